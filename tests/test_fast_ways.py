"""What pages compute the short way is what the long way gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from log_builder import Candidate, Prompt, log_of
from worlds import world_store

from workbench.compare import compare
from workbench.compare.beside import beside
from workbench.judge import judge_log
from workbench.params import THRESHOLD
from workbench.replay.logged import settings_in_force
from workbench.replay.logged_block import logged_block
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.review import Ground, Look, Review, missed
from workbench.review.alike import _token_sets, alike_texts, pairs_alike, write_used_alike
from workbench.review.lists import lists
from workbench.store import Database, compose, reading
from workbench.textsearch import tokenizer

WORDS = tokenizer("simple")
SELECTIONS = {
    "typed": Selection(),
    "client": Selection(clients=("codex",)),
    "time": Selection(since=datetime(2026, 11, 1, tzinfo=UTC)),
    "all": Selection(traffic=None),
}


@pytest.fixture
def db() -> Iterator[Database]:
    with reading(world_store(900, 0.4, 3)) as database:
        Selection().materialise(database)
        yield database


def review_of(db: Database, boot: bool = False) -> Review:
    in_force = settings_in_force(db).params
    return Review(Settings(in_force, in_force), WORDS, boot=boot, fixes=0)


@pytest.mark.parametrize("boot", [False, True])
@pytest.mark.parametrize("selection", SELECTIONS.values(), ids=SELECTIONS)
def test_a_held_look_says_of_all_and_of_one_memory_what_missed_says(
    db: Database, selection: Selection, boot: bool
) -> None:
    ground = Ground(db, review_of(db))
    ground.prepare()
    Look(ground, Selection(clients=("pi",)))  # leaves nothing for the next
    look = Look(ground, selection, boot=boot)
    outline = look.document(look.outlines(5), lists(db, WORDS, 5)).outline()
    full = look.memories(uri=outline["memories"][0]["uri"])[0].as_json()
    review = review_of(db, boot)
    said = missed(db, selection, review, 5).as_json()
    assert said["memories"]
    for memory, outlined in zip(said["memories"], outline["memories"], strict=True):
        assert set(memory) - set(outlined) == {"advice", "reach", "prompts"}
        assert {name: memory[name] for name in outlined} == outlined
    assert {**said, "memories": []} == {**outline, "memories": []}
    assert missed(db, selection, review, 5, full["uri"]).as_json()["memories"] == [full]


def test_memories_used_in_near_identical_prompts_are_those_of_a_plain_loop(db: Database) -> None:
    judge_log(db, None, into="used_log", prompts="all_prompts", beyond="beyond_used")
    write_used_alike(db, SELECTED, WORDS)
    own = db.rows("SELECT * FROM used_alike ORDER BY ALL")
    write_used_alike(db, SELECTED, WORDS, alike_texts(db, "all_prompts", WORDS))
    assert db.rows("SELECT * FROM used_alike ORDER BY ALL") == own
    texts = dict(db.rows("SELECT query_id, query_text FROM recall_queries"))
    used = db.rows("SELECT query_id, node, uri FROM used_log WHERE label = 'used' ORDER BY ALL")
    asked = [query_id for (query_id,) in db.rows(f"SELECT query_id FROM {SELECTED} ORDER BY ALL")]
    sets = dict(_token_sets(WORDS, dict.fromkeys(texts[twin] for twin, _, _ in used)))
    expected = {}
    for text, other in pairs_alike(_token_sets(WORDS, dict.fromkeys(texts[one] for one in asked)), sets):
        for query_id in (one for one in asked if texts[one] == text):
            for twin, node, uri in used:
                if texts[twin] == other and twin != query_id:
                    expected[query_id, node] = (query_id, node, uri, twin)
    assert expected
    assert sorted(db.rows("SELECT query_id, node, uri, twin FROM used_alike")) == sorted(expected.values())


def test_prompts_that_find_a_memory_under_two_addresses_count_once() -> None:
    prompts = [
        Prompt(f"q{number}", [Candidate("a://one", 0.8), Candidate("a://other", 0.7, shown=number < 2)])
        for number in range(4)
    ]
    with log_of(prompts, {"a://one": "n1", "a://other": "n1", "a://alone": "n2"}) as db:
        judge_log(db, None)
        stages = (("addresses", "SELECT 'n1' AS node, ['a://one', 'a://other'] AS uris"), "boot_uris", "review/unseen")
        (row,) = db.arrow(compose(stages)).to_pylist()
    assert (row["retrieved"], row["shown"], row["best"]) == (4, 4, pytest.approx(0.8))


def test_the_stages_of_a_prompt_are_the_same_with_the_evidence_at_hand(db: Database) -> None:
    params = settings_in_force(db).params
    (query_id,) = db.row("SELECT min(query_id) FROM wb.logged_candidates WHERE used")
    lower = Settings(params.replace({THRESHOLD: 0.4}), params)
    rows = beside(db, Settings(params, params), lower, query_id)
    opened = db.arrow("SELECT * FROM miss_evidence WHERE query_id = $id", {"id": query_id})
    assert rows
    assert beside(db, Settings(params, params), lower, query_id, opened) == rows


def test_without_the_estimate_a_comparison_says_all_the_rest(db: Database) -> None:
    params = settings_in_force(db).params
    named = {"a": params, "b": params.replace({THRESHOLD: 0.5})}
    whole = compare(db, named, params, SELECTED)
    brief = compare(db, named, params, SELECTED, estimated=False)
    assert whole["estimate"]["model"]
    assert brief == {**whole, "estimate": None}


def test_the_cues_of_a_block_are_found_where_only_the_metadata_name_the_query(db: Database) -> None:
    (query_id,) = db.row("SELECT min(query_id) FROM wb.logged_candidates WHERE logged_shown")
    given = logged_block(db, query_id)
    db.execute("CREATE TEMP TABLE recall_events AS SELECT * FROM recall_events WHERE query_id = $id", {"id": query_id})
    db.execute("UPDATE recall_events SET metadata = json_merge_patch(metadata, json_object('query_id', query_id))")
    db.execute("UPDATE recall_events SET query_id = ''")
    assert db.row("SELECT count(*) FROM recall_events")[0] > 0
    assert logged_block(db, query_id) == given
