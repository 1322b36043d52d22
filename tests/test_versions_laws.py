"""Laws of the versions, over histories that a server in miniature made up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from histories import BEGIN, HOUR, MEMORY_SIDE, Server, as_of, event, fill
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.store import Database, in_memory

_URIS = ("core://a", "project://b", "core://c", "ops://d/e")
_WORDS = ("redis", "重试", "webhook")
_OPERATIONS = (
    "create",
    "create",
    "edit",
    "edit",
    "retag",
    "move",
    "alias",
    "alias",
    "delete",
    "hard delete",
    "restore",
)
_STEPS = st.lists(st.tuples(st.sampled_from(_OPERATIONS), st.integers(0, 11), st.integers(0, 11)), max_size=14)


@pytest.fixture(scope="module")
def store() -> Iterator[Database]:
    with in_memory() as db:
        yield db


def play(steps: list[tuple[str, int, int]], *, alias_events: bool = True, logs: bool = True) -> Server:
    """A server after these operations; those that cannot be done are left out."""
    server = Server(logs=logs)
    for number, (operation, first, second) in enumerate(steps):
        uris, free = server.uris(), [uri for uri in _URIS if uri not in server.uris()]
        uri = uris[first % len(uris)] if uris else None
        other = free[second % len(free)] if free else None
        if operation == "create" and other:
            server.create(other, f"text {number}", second % 4, _WORDS[: first % 3])
        elif operation == "restore" and other and server.deleted():
            server.restore(other, server.deleted()[first % len(server.deleted())])
        elif uri and operation == "edit":
            server.edit(uri, f"text {number}" if second % 3 else None, second % 4 if first % 2 else None)
        elif uri and operation == "retag":
            server.edit(uri, add=_WORDS[first % 3 :][:1], remove=_WORDS[second % 3 :][:1])
        elif uri and operation in ("delete", "hard delete"):
            server.delete(uri, hard=operation == "hard delete")
        elif uri and other and operation == "move":
            server.move(uri, other)
        elif uri and other and operation == "alias":
            server.alias(uri, other, second % 4 if first % 2 else None, logged=alias_events)
    return server


@settings(max_examples=60)
@given(_STEPS)
def test_a_complete_log_tells_every_state_of_the_past(store: Database, steps: list[tuple[str, int, int]]) -> None:
    server = play(steps)
    server.fill(store)
    for moment, truth in server.truth:
        for at in (moment, moment + HOUR / 2):
            found = as_of(store, at)
            assert {uri: said[0] for uri, said in found.addresses.items()} == {
                uri: said[0] for uri, said in truth.addresses.items()
            }
            assert (found.contents, found.keywords) == (truth.contents, truth.keywords)
            known = as_of(store, at, known=True)
            assert known.addresses.items() <= truth.addresses.items()
    assert not as_of(store, "2026-03-01T11:59:59Z").addresses, "nothing before the first event"


@settings(max_examples=40)
@given(_STEPS, st.booleans(), st.sets(st.integers(0, 13)))
def test_whatever_is_lost_of_the_log_now_is_what_the_tables_say(
    store: Database, steps: list[tuple[str, int, int]], logs: bool, lost: set[int]
) -> None:
    server = play(steps, alias_events=False, logs=logs)
    events = server.tables["memory_events"]
    fill(store, {**server.tables, "memory_events": [row for n, row in enumerate(events) if n not in lost]})
    now = server.standing()
    for at in ("infinity", server.now, server.now + 365 * 24 * HOUR):
        assert as_of(store, at) == now
    for moment, _ in server.truth:
        as_of(store, moment)


_RUBBISH = st.builds(
    lambda kind, uri, node, hours, before, after, details: event(
        900, kind, uri, node, BEGIN + HOUR * hours, before, after, details
    ),
    st.sampled_from(["create", "update", "move", "delete", "hard_delete", "restore", "add_alias", "remove_alias"]),
    st.sampled_from(_URIS),
    st.sampled_from(["n1", "n2", "n9", None, ""]),
    st.integers(-3, 20),
    st.sampled_from([None, {"content": "text 0", "priority": 1, "glossary_keywords": ["redis"]}, {"uri": "core://a"}]),
    st.sampled_from([None, {"content": "new", "priority": 9, "glossary_keywords": ["重试"]}, {"uri": "project://b"}]),
    st.sampled_from([
        None, {"affected_paths": ["core://a", "core://c"]}, {"deprecated_node_uuids": ["n1", "n2"]},
        {"glossary_added": ["webhook"], "glossary_removed": ["redis"]}, {"new_uri": "core://c"}, {"affected_paths": 3},
    ]),
)  # fmt: skip


@settings(max_examples=80)
@given(_STEPS, st.lists(_RUBBISH, max_size=6), st.booleans())
@example([("create", 0, 0)], [event(900, "create", "core://a", None, BEGIN + HOUR)], False)
@example(
    [("create", 0, 0)],
    [event(900, "update", "core://a", "n1", BEGIN - HOUR, None, {"glossary_keywords": ["重试"]})],
    False,
)
@example(
    [("create", 0, 0), ("create", 0, 0)],
    [
        event(900, "create", "project://b", "n1", BEGIN),
        event(900, "move", "core://a", "n2", BEGIN, None, None, {"new_uri": "project://b"}),
    ],
    False,
)
def test_events_that_contradict_the_tables_never_change_what_stands_now(
    store: Database, steps: list[tuple[str, int, int]], rubbish: list[dict[str, Any]], logs: bool
) -> None:
    server = play(steps, logs=logs)
    fill(store, {**server.tables, "memory_events": [*server.tables["memory_events"], *rubbish]})
    assert as_of(store, "infinity") == server.standing()
    for hour in range(-4, 22):
        as_of(store, BEGIN + HOUR * hour)
    nodes = store.rows("SELECT uri, valid_from, count(*) FROM identity GROUP BY ALL HAVING count(*) > 1")
    assert nodes == []


@settings(max_examples=40)
@given(_STEPS, st.sets(st.integers(0, 13)))
def test_a_memory_created_after_the_prompt_never_appears(
    store: Database, steps: list[tuple[str, int, int]], lost: set[int]
) -> None:
    server = play(steps)
    events = server.tables["memory_events"]
    fill(store, {**server.tables, "memory_events": [row for n, row in enumerate(events) if n not in lost]})
    born = {row["uuid"]: row["created_at"] for row in server.tables["nodes"]}
    for moment, _ in server.truth:
        found = as_of(store, moment - HOUR / 2)
        there = {node for node, *_ in found.addresses.values()} | found.contents.keys() | found.keywords.keys()
        assert all(born[node] < moment for node in there & born.keys())


def test_the_same_history_gives_the_same_versions(store: Database) -> None:
    steps = [("create", 2, 1), ("alias", 1, 2), ("edit", 1, 2), ("move", 0, 1), ("retag", 1, 1), ("delete", 1, 0)]
    server = play(steps)
    tables = ("address_versions", "content_versions", "keyword_versions", "identity", "rebuilds")
    said = []
    for turned in (False, True):
        fill(store, {name: server.tables[name][:: -1 if turned else 1] for name in MEMORY_SIDE})
        said.append([store.rows(f"SELECT * FROM {name}") for name in tables])
    assert said[0] == said[1]
