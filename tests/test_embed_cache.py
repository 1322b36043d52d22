"""The cache of vectors by model and text: its laws, what is kept out of it, and that a stopped filling goes on."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from embedders import Fake, vector_of
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.embed import fill
from workbench.errors import BadInput
from workbench.replay.query import prepare
from workbench.retrieve.embeddings import add, dimension, missing, normalise, vectors
from workbench.store import in_memory, reading, writing

TEXTS = st.lists(st.text(max_size=12), max_size=20)


@given(st.text())
def test_a_normalised_text_stays_as_it_is(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == normalise(f"\ufeff\n {text}\t\u3000")


@given(st.text(alphabet=st.characters(categories=("Cs", "Zs", "Cc", "Lo")), max_size=30))
def test_a_normalised_text_can_be_stored(text: str) -> None:
    assert normalise(text).encode().decode() == normalise(text)


def test_normalising_is_the_rule_of_the_server() -> None:
    assert normalise(" a\u00a0\r\n b\ufeffc\u200bd ") == "a b c\u200bd"
    assert normalise("half \ud83d, pair \ud83d\ude00") == "half \ufffd, pair 😀"


@settings(max_examples=25)
@given(TEXTS, TEXTS)
def test_what_is_missing_and_what_is_found_are_the_whole(first: list[str], second: list[str]) -> None:
    with in_memory() as db:
        fill(db, Fake(), first)
        wanted = list(dict.fromkeys(map(normalise, second)))
        absent = missing(db, "fake", second)
        found = vectors(db, "fake", wanted)
        assert sorted([*absent, *(wanted[place] for place in found.positions)]) == sorted(wanted)
        assert set(absent) == set(wanted) - set(map(normalise, first))
        for place, row in zip(found.positions, found.matrix, strict=True):
            assert row.tolist() == vector_of(wanted[place]).tolist()


@settings(max_examples=25)
@given(TEXTS)
def test_filling_twice_embeds_nothing_twice_and_keeps_models_apart(texts: list[str]) -> None:
    with in_memory() as db:
        first = fill(db, Fake(), texts, batch=3)
        again, other = Fake(), Fake(name="other", dimension=5)
        assert fill(db, again, texts).present == first.texts == first.embedded
        assert again.asked == []
        assert fill(db, other, texts).embedded == first.texts
        assert vectors(db, "fake", texts).matrix.shape[1:] in ((8,), (0,))
        assert vectors(db, "other", texts).matrix.shape[1:] in ((5,), (0,))


def test_every_text_of_the_golden_server_is_found_by_its_normalised_form(conformance: Path) -> None:
    held = set(pq.read_table(conformance / "embeddings.parquet")["text"].to_pylist())
    assert {normalise(text) for text in held} == held
    tables = conformance / "tables"
    wanted = pq.read_table(tables / "memory_views.parquet")["text_content"].to_pylist()
    wanted += pq.read_table(tables / "glossary_term_embeddings.parquet")["match_text"].to_pylist()
    for name in ("golden_recall.jsonl.gz", "golden_recall_jieba.jsonl.gz"):
        with gzip.open(conformance / name) as lines:
            for record in map(json.loads, lines):
                limit = int(record["settings"].get("recall.safety.max_query_chars", 200))
                wanted += [prepare(record["query"], limit).searched]
    assert len(wanted) > 6000
    assert {normalise(text) for text in wanted} - held == set()


def test_vectors_without_direction_are_listed_and_not_kept() -> None:
    odd = {
        "zero": np.zeros(8, np.float32),
        "nan": np.full(8, np.nan, np.float32),
        "infinite": np.full(8, np.inf, np.float32),
        "short": np.ones(3, np.float32),
    }
    with in_memory() as db:
        filled = fill(db, Fake(odd=odd, refused=frozenset({"long"})), ["a", *odd, "b", "long", "c"])
        assert {refusal.text: refusal.reason for refusal in filled.refused} == {
            "zero": "its vector is zero",
            "nan": "its vector holds a number that is not finite",
            "infinite": "its vector holds a number that is not finite",
            "short": "its vector has 3 numbers instead of 8",
            "long": "too long for the model",
        }
        assert (filled.texts, filled.present, filled.embedded) == (8, 0, 3)
        assert vectors(db, "fake", ["zero", "a", "long", "c"]).positions.tolist() == [1, 3]


@pytest.mark.parametrize("known", [True, False])
def test_another_length_under_the_same_name_is_refused(known: bool) -> None:
    with in_memory() as db:
        fill(db, Fake(), ["a"])
        changed = Fake(dimension=4) if known else Fake(dimension=None, odd={"b": np.ones(4, np.float32)})
        with pytest.raises(BadInput, match=r"fake gives 4 numbers a text, but its vectors in the store have 8"):
            fill(db, changed, ["b", "b"] if known else ["b"])
        assert dimension(db, "fake") == 8


def test_a_text_keeps_its_vector() -> None:
    with in_memory() as db:
        one = np.ones((1, 2), np.float32)
        assert (add(db, "m", ["a"], one), add(db, "m", ["a"], 2 * one), add(db, "n", ["a"], one)) == (1, 0, 1)
        assert vectors(db, "m", ["a"]).matrix.tolist() == [[1, 1]]


def test_vectors_of_an_odd_length_in_the_cache_are_not_found() -> None:
    with in_memory() as db:
        add(db, "m", ["a", "b"], np.ones((2, 3), np.float32))
        add(db, "m", ["c"], np.ones((1, 2), np.float32))
        found = vectors(db, "m", ["c", "b", "a"])
        assert (found.positions.tolist(), found.matrix.shape) == ([1, 2], (2, 3))
        assert dimension(db, "m") == 3


def test_an_error_loses_the_batch_at_hand_alone(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    with writing(store, "test"):
        pass
    texts = [f"text {number}" for number in range(20)]
    with pytest.raises(RuntimeError, match="gone"):
        fill(store, Fake(breaks_after=3), texts, batch=4)
    resumed = Fake()
    filled = fill(store, resumed, texts, batch=4)
    assert (filled.present, filled.embedded) == (12, 8)
    assert [text for batch in resumed.asked for text in batch] == texts[12:]


def test_a_kill_loses_one_publication_at_most(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    with writing(store, "test"):
        pass
    program = """
        import os, signal, sys
        from embedders import Fake
        from workbench.embed import fill
        from pathlib import Path

        class Killed(Fake):
            def embed(self, texts):
                if len(self.asked) == 7:
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().embed(texts)

        fill(Path(sys.argv[1]), Killed(), [f"text {n}" for n in range(50)], batch=5, publish_after=10)
    """
    here = Path(__file__).parent
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), store],
        env={"PYTHONPATH": f"{here}:{here.parent}"},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == -9, ended.stderr
    with reading(store) as db:
        kept = db.row("SELECT count(*) FROM wb.embeddings")[0]
    assert kept in (10, 20, 30)
    filled = fill(store, Fake(), [f"text {n}" for n in range(50)])
    assert (filled.present, filled.embedded) == (kept, 50 - kept)
