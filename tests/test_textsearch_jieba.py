"""The tokenizer `jieba`: what pg_jieba does besides cutting, and how the dictionary gets onto a machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.textsearch import AnyOf, tokenizer
from workbench.textsearch import jieba as module

pytest.importorskip("cppjieba_py_dat", reason="the dictionaries of jieba are not installed on this platform")

JIEBA = tokenizer("jieba")


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache" / "workbench"
    monkeypatch.setattr(module, "_cache_folder", lambda: folder)
    return folder


def load_afresh() -> list[str]:
    """What a segmenter cuts that is loaded now, as in a new process."""
    return module._loaded.__wrapped__().cut("云计算平台")


def test_documents_hold_words_and_queries_their_parts_too() -> None:
    assert JIEBA.document("云计算平台") == {"云计算": [1], "平台": [2]}
    assert JIEBA.query("云计算平台") == ["计算", "云计算", "平台"]
    assert JIEBA.any_of("云计算平台").lexemes == ("计算", "云计算", "平台")


def test_a_space_is_a_lexeme_and_a_stop_word_keeps_its_position() -> None:
    assert JIEBA.document("the Cache 的 C++") == {" ": [2, 4, 6], "cache": [3], "c++": [7]}


def test_the_stop_list_is_read_as_the_server_reads_it() -> None:
    for word in ("\u2014", "\u0130", "I", "according"):
        assert JIEBA.query(word) == [], word
    for word in ("\t", " ", "\n"):
        assert JIEBA.query(word) == [word]


def test_the_bytes_of_a_word_are_counted_in_one_byte() -> None:
    assert JIEBA.query("x" * 255) == ["x" * 255]
    assert JIEBA.query("x" * 260) == ["xxxx"]
    assert JIEBA.document("x" * 256 + " y") == {" ": [2], "y": [3]}


def test_a_word_whose_lower_case_is_no_word_becomes_a_phrase() -> None:
    """The dictionary knows T恤 alone: a query finds the letter beside the character, and not the word itself."""
    assert JIEBA.document("T恤") == {"t恤": [1]}
    assert JIEBA.query("T恤") == ["t恤"]
    assert JIEBA.any_of("T恤") == AnyOf((), (("t", "恤"),))


@given(st.text(max_size=60))
def test_any_text_becomes_ascending_positions(text: str) -> None:
    for lexeme, positions in JIEBA.document(text).items():
        assert lexeme
        assert positions[0] >= 1
        assert list(positions) == sorted(set(positions))
    assert all(JIEBA.query(text))


def test_a_text_that_no_database_holds() -> None:
    assert JIEBA.document("x\0y \ud800 \ud83d\ude00") == {"x": [1], "y": [3], " ": [4, 6], "\ufffd": [5], "😀": [7]}


def test_the_compiled_dictionary_is_kept_and_a_broken_one_is_made_again(cache_folder: Path) -> None:
    load_afresh()
    (kept,) = cache_folder.iterdir()
    whole = kept.read_bytes()
    written = kept.stat().st_mtime_ns
    assert load_afresh() == ["云计算", "平台"]
    assert kept.stat().st_mtime_ns == written, "it is read, not written again"
    for broken in (whole[: len(whole) // 2], b""):
        kept.unlink()
        kept.write_bytes(broken)
        assert load_afresh() == ["云计算", "平台"]
        assert kept.read_bytes() == whole


@pytest.mark.parametrize("hindrance", ["a file stands there", "no room", "no home"])
def test_without_a_folder_of_the_user_nothing_is_left_behind(
    hindrance: str, cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if hindrance == "a file stands there":
        cache_folder.parent.write_text("not a folder")
    elif hindrance == "no room":
        monkeypatch.setattr(module, "_ROOM", 2**62)
    else:
        monkeypatch.setattr(module, "_cache_folder", lambda: None)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert load_afresh() == ["云计算", "平台"]
    assert list(temporary.iterdir()) == []
    assert not list(tmp_path.glob("**/*.dat"))


def test_loading_leaves_the_mask_of_new_files_alone(cache_folder: Path) -> None:
    mask = os.umask(0o037)
    try:
        load_afresh()
        assert os.umask(0o037) == 0o037
    finally:
        os.umask(mask)
    assert cache_folder.is_dir()


def test_processes_may_load_it_at_the_same_time(tmp_path: Path) -> None:
    script = "from workbench.textsearch import tokenizer; print(len(tokenizer('jieba').query('云计算平台')))"
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")}
    environment = os.environ | home | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    started = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=-1, stderr=-1, text=True)
        for _ in range(3)
    ]
    assert [process.communicate(timeout=120) for process in started] == [("3\n", "")] * 3
    assert len(list(tmp_path.glob("**/*"))) > len(list(tmp_path.glob("**/*.dat"))) == 1


def test_where_the_package_is_absent_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cppjieba_py_dat", "cppjieba_py_dat.bindings"):
        monkeypatch.setitem(sys.modules, name, None)
    for cached in (module._loaded, module._stop_words, module._again):
        cached.cache_clear()
    for use in (JIEBA.document, JIEBA.query, JIEBA.any_of):
        with pytest.raises(BadInput, match="cppjieba-py-dat"):
            use("text")
