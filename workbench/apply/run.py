"""Put a configuration in force through the settings API, and take it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.apply.records import APPLIED, FAILED, PENDING, UNDONE, Record, keep, records, settle
from workbench.apply.settings_api import SettingsApi
from workbench.errors import BadInput
from workbench.params import Params, Value
from workbench.params.settings import from_app_settings

_CLOSE = 1e-9


@dataclass(frozen=True)
class Change:
    """A key whose value the server has as `before` and is to have as `after`."""

    key: str
    before: Value
    after: Value


def differences(api: SettingsApi, wanted: Params, keys: Iterable[str] | None = None) -> list[Change]:
    """What would change on the server; `keys` limits it (None: all that a configuration has)."""
    present = _present(api)
    return [
        Change(key, present[key], wanted[key])
        for key in (keys if keys is not None else wanted.as_flat())
        if not _same(present[key], wanted[key])
    ]


def apply(
    api: SettingsApi, changes: Iterable[Change], folder: Path, source: str, forecast: Mapping[str, Any] | None = None
) -> Record:
    """Write the changes, read them back, and keep the former values in `folder` from before the first write.

    Where the server refuses or keeps another value, what it had is put back; BadInput then says why.
    """
    chosen = list(changes)
    before = {change.key: change.before for change in chosen}
    after = {change.key: change.after for change in chosen}
    record = keep(folder, api.shown, source, before, after, forecast)
    try:
        api.write(after)
        kept = _present(api)
        wrong = [key for key, value in after.items() if not _same(kept[key], value)]
        if wrong:
            raise BadInput(f"{api.shown} took the change and yet has {wrong[0]} = {kept[wrong[0]]}.")
    except BadInput as error:
        raise BadInput(f"{str(error).removesuffix('.')}; {_put_back(api, record, folder)}.") from error
    return settle(folder, record, APPLIED)


def rollback(api: SettingsApi, folder: Path) -> tuple[Record, list[str]]:
    """Put back what the newest application on this server had replaced. Keys that somebody has changed since keep
    their present value; they are returned beside the record.

    BadInput when nothing was applied there.
    """
    record = newest(folder, api.shown)
    present = _present(api)
    since = [key for key, value in record.after.items() if not _same(present[key], value)]
    back = {key: value for key, value in record.before.items() if key not in since}
    if back:
        api.write(back)
        kept = _present(api)
        wrong = [key for key, value in back.items() if not _same(kept[key], value)]
        if wrong:
            raise BadInput(f"{api.shown} took the change and yet has {wrong[0]} = {kept[wrong[0]]}; try again.")
    return settle(folder, record, UNDONE), since


def newest(folder: Path, server: str) -> Record:
    """The newest application on `server` that is in force, or whose end is not known."""
    found = [one for one in records(folder) if one.server == server and one.state in (APPLIED, PENDING)]
    if not found:
        raise BadInput(f"Nothing was applied to {server} from this store; there is nothing to take back.")
    return found[-1]


def _put_back(api: SettingsApi, record: Record, folder: Path) -> str:
    """Restore the former values after a failure; a phrase that says how that went."""
    try:
        present = _present(api)
        changed = {key: value for key, value in record.before.items() if not _same(present[key], value)}
        if changed:
            api.write(changed)
    except BadInput:
        return "the former values could not be put back, run `workbench rollback` when the server answers again"
    settle(folder, record, FAILED)
    return "the former values are in force" if changed else "nothing was changed"


def _present(api: SettingsApi) -> Mapping[str, Value]:
    """The values that act on the server, defaults where it names none."""
    return from_app_settings((name, {"value": value}) for name, value in api.read().items()).params.as_flat()


def _same(one: Value, other: Value) -> bool:
    return abs(float(one) - float(other)) < _CLOSE
