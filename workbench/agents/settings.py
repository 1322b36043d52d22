"""The settings of a store in the shape of the server's settings API, read and changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import BadConfig
from workbench.params import KEYS, Params
from workbench.replay.logged import settings_in_force
from workbench.store import reading, writing

_WAIT_SECONDS = 10.0


def read_settings(path: Path) -> dict[str, Any]:
    """The document of GET /api/settings: schema, sections, values, defaults, sources."""
    with reading(path) as db:
        params = settings_in_force(db).params
        stored = {key for (key,) in db.rows("SELECT key FROM app_settings")}
    return {
        "schema": [_described(name) for name in KEYS],
        "sections": list(dict.fromkeys(name.rpartition(".")[0] for name in KEYS)),
        "values": params.as_flat(),
        "defaults": Params.default().as_flat(),
        "sources": {name: "database" if name in stored else "default" for name in KEYS},
    }


def change_settings(path: Path, patch: Mapping[str, Any]) -> dict[str, Any]:
    """Put values in force, all of them or none, and return the new document.

    BadConfig for an unknown key or a value outside its range, StoreLocked while another writer is busy.
    """
    if not patch:
        raise BadConfig("The patch names no setting.")
    checked = Params.default().replace(patch)
    rows = [
        {"key": name, "value": json.dumps({"value": checked[name]}), "updated_at": datetime.now(UTC)} for name in patch
    ]
    with writing(path, "a change of settings", _WAIT_SECONDS) as db:
        db.execute("DELETE FROM app_settings WHERE list_contains($keys, key)", {"keys": [*patch]})
        db.append("app_settings", rows)
    return read_settings(path)


def _described(name: str) -> dict[str, Any]:
    key = KEYS[name]
    return {
        "key": name,
        "section": name.rpartition(".")[0],
        "type": {bool: "boolean", int: "integer", float: "number"}[key.kind],
        "default": key.default,
        "min": key.low,
        "max": key.high,
        "step": key.step,
        "unit": key.unit,
        "description": key.help,
    }
