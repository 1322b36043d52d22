"""What configurations show over the whole log: replayed once for each state of the store, for every filter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import streamlit as st

from workbench.params import Params, Value
from workbench.replay.run import SHOWN, Settings, replay_shown
from workbench.store import Database, reading
from workbench.ui.cached import state_of, store_path

_MOST_REPLAYS = 6
_WHOLE = "whole_replay"


def replay_held(db: Database, settings: Settings, selected: str | None, into: str = SHOWN) -> None:
    """As `replay_shown`, for settings without overrides."""
    path = store_path()
    flat, in_force = (dict(one.as_flat()) for one in (settings.params, settings.in_force))
    db.register(_WHOLE, _shown(str(path), state_of(path), flat, in_force))
    where = f" WHERE query_id IN (SELECT query_id FROM {selected})" if selected else ""
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS SELECT * FROM {_WHOLE}{where}")
    db.unregister(_WHOLE)


@st.cache_data(max_entries=_MOST_REPLAYS, show_spinner=False)
def _shown(path: str, state: str, flat: Mapping[str, Value], in_force: Mapping[str, Value]) -> pa.Table:
    """`state` is only part of what a replay is held under."""
    with reading(Path(path)) as db:
        replay_shown(db, Settings(Params(flat), Params(in_force)), None)
        return db.arrow(f"SELECT * FROM {SHOWN}")
