"""The trial path in NumPy gives what the SQL stages give, to the last bit, for any configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import world_store

from workbench.params import KEYS, Key, Params, snap
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings, candidates_of, shown_chain
from workbench.store import Database, compose, in_memory, reading
from workbench.tune.kernel import Kernel

SCORED = [key for key in KEYS.values() if key.replayable]
ROWS = """
SELECT c.* REPLACE (dense_rank() OVER (ORDER BY query_id)::INTEGER AS query_id),
    row_number() OVER (ORDER BY query_id, priority, uri_order) - 1 AS number
FROM wb.logged_candidates AS c
"""


def a_value(key: Key) -> st.SearchStrategy[Any]:
    """On or off the grid, often at an end of the range."""
    if key.kind is bool:
        return st.booleans()
    if key.kind is int:
        return st.integers(int(key.low), int(key.high))
    ends = st.sampled_from([float(key.low), float(key.high)])
    inside = st.floats(key.low, key.high, allow_nan=False)
    return st.one_of(ends, inside, inside.map(lambda value: snap(key, value)))


CONFIGURATIONS = st.fixed_dictionaries({}, optional={key.name: a_value(key) for key in SCORED}).map(Params)


@contextmanager
def numbered(db: Database, rows: str) -> Iterator[Kernel]:
    db.execute(f"CREATE OR REPLACE TEMP TABLE numbered AS {rows}")
    yield Kernel.of(db.arrow(compose(("tune/kernel_rows",))))
    db.execute("DROP TABLE numbered")


def by_sql(db: Database, asked: Settings) -> tuple[np.ndarray[Any, Any], set[int]]:
    """Scores in the order of the kernel's rows, and the numbers of what is shown."""
    bound = asked.bindings()
    candidates = candidates_of(None, "numbered")
    scored = "SELECT score FROM {last} ORDER BY query_id, priority, uri_order"
    scores = db.arrow(compose((candidates, "score"), scored), bound)["score"].to_numpy()
    shown = compose(shown_chain(candidates)[:-1], "SELECT number FROM {last} WHERE shown")
    return scores, {number for (number,) in db.rows(shown, bound)}


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Database, Kernel, Params]]:
    with reading(world_store(900, 0.4, 3)) as db, numbered(db, ROWS) as kernel:
        yield db, kernel, settings_in_force(db).params


@settings(max_examples=40)
@given(params=CONFIGURATIONS)
def test_a_world_is_scored_and_shown_as_by_sql(world: tuple[Database, Kernel, Params], params: Params) -> None:
    db, kernel, in_force = world
    asked = Settings(params, in_force)
    scores, shown = by_sql(db, asked)
    assert (kernel.scores(asked) == scores).all()
    assert set(kernel.shown(asked).tolist()) == shown


def _sometimes(values: st.SearchStrategy[float]) -> st.SearchStrategy[float | None]:
    return st.none() | values


SIMILAR = _sometimes(st.integers(-2, 20).map(lambda twentieths: twentieths / 20))
A_ROW = st.fixed_dictionaries({
    "query_id": st.integers(1, 3), "number": st.integers(0, 20), "priority": st.integers(0, 6),
    "uri_order": st.integers(1, 9), "is_boot": st.booleans(), "query_tokens": st.integers(0, 30),
    "age_days": _sometimes(st.sampled_from([0.0, 1.5, 180.0, 4000.0])),
    **dict.fromkeys(("exact", "glossary_semantic", "dense_gist", "dense_question"), SIMILAR),
    "lexical_gist": SIMILAR, "lexical_question": SIMILAR,
    "gist_weight": _sometimes(st.just(1.0)), "question_weight": _sometimes(st.just(0.96)),
})  # fmt: skip
KINDS = pa.schema([
    (name, pa.bool_() if name == "is_boot" else pa.int32() if name in {
        "query_id", "number", "priority", "uri_order", "query_tokens"
    } else pa.float64())
    for name in ("query_id", "number", "priority", "uri_order", "is_boot", "query_tokens", "age_days", "exact",
                 "glossary_semantic", "dense_gist", "dense_question", "lexical_gist", "lexical_question",
                 "gist_weight", "question_weight")
])  # fmt: skip


@pytest.fixture(scope="module")
def empty() -> Iterator[Database]:
    with in_memory() as db:
        yield db


@given(
    st.lists(A_ROW, max_size=40, unique_by=lambda row: (row["query_id"], row["priority"], row["uri_order"])),
    CONFIGURATIONS, CONFIGURATIONS,
)  # fmt: skip
def test_any_candidates_are_shown_as_by_sql(
    empty: Database, rows: list[dict[str, Any]], params: Params, in_force: Params
) -> None:
    empty.register("given_rows", pa.Table.from_pylist(rows, KINDS))
    plain = "SELECT *, number AS pair, NULL AS node_uuid, false AS logged_shown, false AS used FROM given_rows"
    with numbered(empty, plain) as kernel:
        for changed in (params, in_force, params):
            asked = Settings(changed, in_force)
            scores, shown = by_sql(empty, asked)
            assert (kernel.scores(asked) == scores).all()
            assert set(kernel.shown(asked).tolist()) == shown
            assert len(kernel.shown(asked)) == len(shown)
    empty.unregister("given_rows")
