"""Text search configurations `jiebacfg` and `jiebaqry` of pg_jieba 1.1.1, by a package with the same dictionaries."""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Protocol

from workbench.errors import BadInput
from workbench.textsearch.characters import lower, well_formed
from workbench.textsearch.lexemes import any_of, positions
from workbench.textsearch.tokenizer import AnyOf

_PACKAGE = "cppjieba_py_dat"
_ABSENT = (
    "the tokenizer jieba needs the package cppjieba-py-dat, which is not installed here; "
    "`pip install cppjieba-py-dat==0.0.1` adds it where it exists: Python 3.11 to 3.13 on Linux x86-64, macOS, Windows"
)
_HEADER = struct.Struct(
    "=32sdII"
)  # of the compiled dictionary: MD5, smallest weight, number of words, size of the trie
_ROOM = 2**25  # bytes that must be free in a folder before the dictionary, of 12 MB, is compiled into it
_lock = Lock()


class _Segmenter(Protocol):
    def cut(self, sentence: str) -> list[str]: ...

    def cut_for_search(self, sentence: str) -> list[str]: ...


class Jieba:
    """Satisfies `Tokenizer`; any text is accepted, a lone surrogate counts as U+FFFD and a NUL as a stop word.

    The dictionary is loaded at the first text and shared by all instances. `BadInput` where its package is absent.
    """

    name = "jieba"

    def document(self, text: str) -> Mapping[str, Sequence[int]]:
        """`to_tsvector('jiebacfg', text)`."""
        return positions(_parts(text, _segmenter().cut))

    def query(self, text: str) -> list[str]:
        """The lexemes of `plainto_tsquery('jiebaqry', text)` in order."""
        return [part for part in _parts(text, _segmenter().cut_for_search) if part is not None]

    def any_of(self, text: str) -> AnyOf:
        """The lexemes of `text` joined by OR, each taken as a text of its own by `to_tsquery('jiebacfg', ...)`."""
        return any_of(self.query(text), _again)


@lru_cache(maxsize=2**16)
def _again(lexeme: str) -> tuple[str | None, ...]:
    return tuple(_parts(lexeme, _segmenter().cut))


def _parts(text: str, cut: Callable[[str], list[str]]) -> list[str | None]:
    """The words of `text` as lexemes; None for a stop word."""
    stop_words = _stop_words()
    lexemes = [lower(word if len(word) < 64 else _as_counted_in_a_byte(word)) for word in cut(well_formed(text))]
    return [None if lexeme in stop_words else lexeme for lexeme in lexemes]


@cache
def _stop_words() -> frozenset[str]:
    """The stop list as PostgreSQL reads it: each line up to its first blank, lower case.

    So the lines that hold a space and a tab alone stop nothing. An empty word is one.
    """
    lines = _dictionary("stop_words.utf8").read_text(encoding="utf-8").split("\n")
    return frozenset(lower(line.split()[0]) for line in lines if line.strip()) | {"", "\0"}


def _as_counted_in_a_byte(word: str) -> str:
    """pg_jieba counts the bytes of a word in one byte: of 260 are left 4."""
    encoded = word.encode()
    return encoded[: len(encoded) % 256].decode(errors="ignore")


def _segmenter() -> _Segmenter:
    with _lock:
        return _loaded()


@cache
def _loaded() -> _Segmenter:
    try:
        from cppjieba_py_dat.bindings import Jieba as Segmenter
    except ImportError as error:
        raise BadInput(_ABSENT) from error
    with _folder() as folder, _unchanged_umask():
        segmenter: _Segmenter = Segmenter(
            dict_path=str(_dictionary("jieba.dict.utf8")),
            model_path=str(_dictionary("hmm_model.utf8")),
            user_dict_path=str(_dictionary("user.dict.utf8")),
            dat_cache_path=str(folder),
        )
    return segmenter


def _dictionary(name: str) -> Path:
    try:
        return Path(str(resources.files(_PACKAGE))) / "dict" / name
    except ModuleNotFoundError as error:
        raise BadInput(_ABSENT) from error


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder for the compiled dictionary, which the package keeps in a file: the user's, or one that is gone after.

    The file is put in place whole, by a rename, so that processes may compile it at the same time; once it is open, it
    may be deleted.
    """
    kept = _cache_folder()
    if kept is not None and _is_usable(kept):
        yield kept
        return
    folder = tempfile.mkdtemp(prefix="jieba-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _cache_folder() -> Path | None:
    """The folder for this program among the user's files that may be deleted at any time; None for no home."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "lore-recall-workbench"
    variable, usual = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    return Path(os.environ.get(variable) or home / usual) / "lore-recall-workbench"


def _is_usable(folder: Path) -> bool:
    """Whether a whole compiled dictionary stands in `folder`, or there is room to write one; broken ones are removed.

    A disk that was full while one was written leaves it short, and the package would crash on that.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = list(folder.glob("jieba_*.dat"))
        for file in files:
            if not _is_whole(file):
                file.unlink()
                files = []
        return bool(files) or (os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > _ROOM)
    except OSError:
        return False


def _is_whole(file: Path) -> bool:
    with file.open("rb") as opened:
        header = opened.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return False
    _, _, words, trie = _HEADER.unpack(header)
    return file.stat().st_size == _HEADER.size + 16 * int(words) + 4 * int(trie)


@contextlib.contextmanager
def _unchanged_umask() -> Iterator[None]:
    """The package changes the mask of new files for the whole process."""
    mask = os.umask(0o077)
    os.umask(mask)
    try:
        yield
    finally:
        os.umask(mask)
