"""Hooks put into the settings of an agent runtime, and taken out again."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.hooks.front import MOST_SECONDS, Call
from workbench.hooks.hosts import HOSTS, START, SUBMIT
from workbench.hooks.settings_file import SettingsFile

_MODULE = "workbench.hooks"
_SECONDS = int(MOST_SECONDS)


@dataclass(frozen=True)
class Place:
    """Where a runtime keeps its hooks: the file, the keys that lead to them, the native names of the events, and how a
    hook is written; `also` has to stand beside them."""

    file: Callable[[], Path]
    keys: tuple[str, ...]
    events: Mapping[str, str]
    group: Callable[[list[str]], dict[str, Any]]
    note: str
    also: tuple[str, bool] | None = None


@dataclass(frozen=True)
class Installed:
    """What was done to a settings file: `action` is installed, unchanged, removed, or what a dry run would do;
    `snippet` is what belongs there."""

    runtime: str
    settings: Path
    action: str
    snippet: str
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The document of the command."""
        return {**self.__dict__, "settings": str(self.settings), "notes": list(self.notes)}


def install(call: Call, settings: Path | None = None, *, dry_run: bool = False) -> Installed:
    """Put the hooks of the runtime of `call` into its settings, in place of those that stand there already.

    Everything else stays; the former file is kept beside it. BadInput, and nothing changed, where the file cannot be
    read as settings.
    """
    place = _place(call.runtime)
    file = SettingsFile(settings or place.file())
    data = file.data()
    before = file.data()
    held = _take_out(data, place, file.path)
    wanted = {native: place.group(_command(call, event)) for event, native in place.events.items()}
    for native, group in wanted.items():
        _list(data, (*place.keys, native), file.path).append(group)
    if place.also:
        _object(data, place.keys[:1], file.path).setdefault(*place.also)
    notes = _notes(place, data)
    snippet: dict[str, Any] = {}
    for native, group in wanted.items():
        _list(snippet, (*place.keys, native), file.path).append(group)
    shown = file.dumped(snippet).rstrip()
    if data == before:
        return Installed(call.runtime, file.path, "unchanged", shown, notes)
    if dry_run:
        return Installed(call.runtime, file.path, "would install", shown, notes)
    if not held:
        file.keep_backup()
    file.write(_checked(file, data))
    return Installed(call.runtime, file.path, "installed", shown, notes)


def uninstall(runtime: str, settings: Path | None = None, *, dry_run: bool = False) -> Installed:
    """Take the hooks out of a runtime's settings again. Where nothing else changed meanwhile, the file is byte for byte
    what it was; one that was made for the hooks goes."""
    place = _place(runtime)
    file = SettingsFile(settings or place.file())
    data = file.data()
    if not _take_out(data, place, file.path):
        return Installed(runtime, file.path, "unchanged", "")
    _prune(data, place)
    if dry_run:
        return Installed(runtime, file.path, "would remove", "")
    former = _former(file, data, place)
    if former is not None:
        file.write(former)
        file.backup.unlink(missing_ok=True)
    elif not data and not file.backup.exists():
        file.path.unlink()
    else:
        file.write(_checked(file, data))
    return Installed(runtime, file.path, "removed", "")


def _notes(place: Place, data: dict[str, Any]) -> tuple[str, ...]:
    """What the operator has to know; what is switched off in the file stays so."""
    if not place.also or data[place.keys[0]][place.also[0]] == place.also[1]:
        return (place.note,)
    key = f"{place.keys[0]}.{place.also[0]}"
    return (f"{key} is not {json.dumps(place.also[1])} there, so that no hook runs; change it to use them.", place.note)


def _place(runtime: str) -> Place:
    if runtime not in PLACES:
        raise BadInput(f"Unknown runtime {runtime!r}; choose from {', '.join(HOSTS)}.")
    return PLACES[runtime]


def _command(call: Call, event: str) -> list[str]:
    """What a runtime starts: this Python, without the folder that it is started in on its path."""
    there = Call(call.runtime, event, call.store, call.url, call.limit)
    return [sys.executable, "-P", "-m", _MODULE, *there.arguments()]


def _line(words: list[str]) -> str:
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def _shell_group(words: list[str]) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": _line(words), "timeout": _SECONDS}]}


def _argument_group(words: list[str]) -> dict[str, Any]:
    return {"matcher": "", "hooks": [{"type": "command", "command": words[0], "args": words[1:]}]}


def _plain_entry(words: list[str]) -> dict[str, Any]:
    return {"command": _line(words), "timeout": _SECONDS}


def _home(variable: str, folder: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / folder)


_NATIVE = {START: "SessionStart", SUBMIT: "UserPromptSubmit"}
PLACES = {
    "claudecode": Place(
        lambda: _home("CLAUDE_CONFIG_DIR", ".claude") / "settings.json", ("hooks",), _NATIVE, _shell_group,
        "Sessions that are started from now on run the hooks; /hooks lists them.",
    ),
    "codex": Place(
        lambda: _home("CODEX_HOME", ".codex") / "hooks.json", ("hooks",), _NATIVE, _shell_group,
        "Codex runs a new hook only once you trusted it: open /hooks in a session.",
    ),
    "zcode": Place(
        lambda: Path.home() / ".zcode" / "cli" / "config.json", ("hooks", "events"), _NATIVE, _argument_group,
        "Start ZCode anew, and trust the hooks where it asks.", ("enabled", True),
    ),
    "hermes": Place(
        lambda: _home("HERMES_HOME", ".hermes") / "config.yaml", ("hooks",), {SUBMIT: "pre_llm_call"}, _plain_entry,
        "Hermes asks once whether it may run the hook; the first prompt of a session brings the start-up memories.",
    ),
}  # fmt: skip


def _object(data: dict[str, Any], keys: tuple[str, ...], path: Path) -> dict[str, Any]:
    """The object that the keys lead to, made where there is none. BadInput where something else stands there."""
    for number, key in enumerate(keys):
        if data.get(key) is None:
            data[key] = {}
        data = data[key]
        if not isinstance(data, dict):
            raise BadInput(f"{'.'.join(keys[: number + 1])} in {path} is no object; mend it first.")
    return data


def _list(data: dict[str, Any], keys: tuple[str, ...], path: Path) -> list[Any]:
    above = _object(data, keys[:-1], path)
    if above.get(keys[-1]) is None:
        above[keys[-1]] = []
    found = above[keys[-1]]
    if not isinstance(found, list):
        raise BadInput(f"{'.'.join(keys)} in {path} is no list; mend it first.")
    return found


def _take_out(data: dict[str, Any], place: Place, path: Path) -> bool:
    """Remove our hooks from `data`, and groups that held nothing else; whether there were any."""
    taken = False
    for native in place.events.values():
        above: Any = data
        for key in place.keys:
            above = above.get(key) if isinstance(above, dict) else None
        if not isinstance(above, dict) or above.get(native) is None:
            continue
        groups = _list(above, (native,), path)
        for group in list(groups):
            hooks = group.get("hooks") if isinstance(group, dict) else None
            ours = [hook for hook in hooks if _is_ours(hook)] if isinstance(hooks, list) else []
            if isinstance(hooks, list) and ours and len(ours) < len(hooks):
                for hook in ours:
                    hooks.remove(hook)
            elif ours or _is_ours(group):
                groups.remove(group)
            else:
                continue
            taken = True
    return taken


def _is_ours(hook: Any) -> bool:
    """Whether an entry starts a hook of the workbench."""
    if not isinstance(hook, dict):
        return False
    words = [hook.get("command"), *(hook["args"] if isinstance(hook.get("args"), list) else [])]
    return f"-m {_MODULE} " in " ".join(map(str, words)) + " "


def _prune(data: dict[str, Any], place: Place) -> None:
    """Drop the lists and objects on the way to the hooks that hold nothing any more."""
    above: list[dict[str, Any]] = [data]
    for key in place.keys:
        if not isinstance(above[-1].get(key), dict):
            return
        above.append(above[-1][key])
    for native in place.events.values():
        if above[-1].get(native) == []:
            del above[-1][native]
    for holder, key in zip(reversed(above[:-1]), reversed(place.keys), strict=True):
        if not holder[key] or (place.also and holder[key] == dict([place.also])):
            del holder[key]


def _former(file: SettingsFile, data: dict[str, Any], place: Place) -> str | None:
    """The file as it was before the hooks came, where nothing else changed since; else None."""
    try:
        text = file.backup.read_bytes().decode("utf-8")
        former = file.parsed(text)
    except (OSError, UnicodeDecodeError, BadInput):
        return None
    _prune(former, place)
    compared = json.loads(json.dumps(data, default=str))
    if place.also and place.also[0] not in (former.get(place.keys[0]) or {}):
        (compared.get(place.keys[0]) or {}).pop(place.also[0], None)
    return text if compared == json.loads(json.dumps(former, default=str)) else None


def _checked(file: SettingsFile, data: dict[str, Any]) -> str:
    """`data` in the format of the file, once reading it back gives the same."""
    text = file.dumped(data)
    if file.parsed(text) != data:
        raise BadInput(f"{file.path} cannot be written without losing something; put the snippet in by hand.")
    return text
