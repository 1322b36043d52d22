"""Configuration files: what is written reads back equal, and an edit touches the edited lines only."""

from __future__ import annotations

import errno
import os
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadConfig, BadInput
from workbench.params import KEYS, Key, Params, snap
from workbench.params.files import write_atomic
from workbench.params.toml import edit_toml, read_toml, render_toml

W_EXACT = "recall.weights.w_exact"
W_DENSE = "recall.weights.w_dense"
ITEMS = "recall.display.max_display_items"
MAX_BONUS = "recall.recency.max_bonus"
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def values(key: Key) -> st.SearchStrategy[Any]:
    """Values of a key that may be exported: any float of the range, or one of the step grid."""
    if key.kind is bool:
        return st.booleans()
    if key.kind is int:
        return st.integers(int(key.low), int(key.high))
    numbers = st.floats(key.low, key.high)
    if key.name == MAX_BONUS:
        numbers = numbers.filter(bool)
    on_grid = numbers.map(lambda number: snap(key, number)).filter(lambda number: key.name != MAX_BONUS or number > 0)
    return numbers | on_grid


CONFIGS = st.fixed_dictionaries({name: values(key) for name, key in KEYS.items()}).map(Params)
SUBSETS = st.lists(st.sampled_from(list(KEYS)), unique=True)


def read_text(text: str | bytes) -> Params:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recall.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_toml(path)


def typed(params: Params) -> dict[str, tuple[type, Any]]:
    return {name: (type(value), value) for name, value in params.items()}


@given(CONFIGS)
def test_case_36_what_is_written_reads_back_equal_in_value_and_type(config: Params) -> None:
    text = render_toml(config)
    assert typed(read_text(text)) == typed(config)
    for line in text.splitlines():
        name, _, value = line.partition(" = ")
        assert '"' not in name
        assert "." not in name or line.startswith("[")
        assert "e" not in value.lower() or value in {"true", "false"}
    leaves = {
        f"{area}.{table}.{leaf}": value
        for area, tables in tomllib.loads(text).items()
        for table, content in tables.items()
        for leaf, value in content.items()
    }
    assert {name: type(value) for name, value in leaves.items()} == {name: key.kind for name, key in KEYS.items()}


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        (W_EXACT, snap(KEYS[W_EXACT], 0.35000000000000003), "w_exact = 0.35"),
        (W_EXACT, 1e-05, "w_exact = 0.00001"),
        (W_EXACT, 1e-07, "w_exact = 0.0000001"),
        (W_EXACT, 0.0, "w_exact = 0.0"),
        (W_EXACT, -0.0, "w_exact = 0.0"),
        (W_EXACT, 1, "w_exact = 1.0"),
        (W_EXACT, np.float32(0.25), "w_exact = 0.25"),
        ("recall.recency.half_life_days", 180, "half_life_days = 180.0"),
        ("recall.recency.priority_exempt", -1, "priority_exempt = -1"),
        (ITEMS, 3.0, "max_display_items = 3"),
        (ITEMS, np.int64(3), "max_display_items = 3"),
        ("recall.recency.enabled", True, "enabled = true"),
        ("recall.recency.enabled", np.bool_(False), "enabled = false"),
    ],
)
def test_case_36_numbers_as_they_are_written(name: str, value: Any, written: str) -> None:
    table = name.rpartition(".")[0]
    assert render_toml(Params({name: value}), only=[name]) == f"[{table}]\n{written}\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan"), np.float32("-inf")])
def test_case_36_no_number_is_never_written(value: Any) -> None:
    with pytest.raises(BadConfig, match="finite number"):
        render_toml(Params({W_EXACT: value}))


@given(CONFIGS, SUBSETS)
def test_a_part_reads_back_with_the_defaults_for_the_rest(config: Params, only: list[str]) -> None:
    assert read_text(render_toml(config, only)) == Params({name: config[name] for name in only})


def test_a_zero_bonus_is_not_exported_as_if_it_switched_the_bonus_off(tmp_path: Path) -> None:
    path = tmp_path / "recall.toml"
    path.write_text("[recall.recency]\nmax_bonus = 0.04\n")
    off = Params({MAX_BONUS: 0})
    for export in (lambda: render_toml(off), lambda: edit_toml(path, off, [MAX_BONUS])):
        with pytest.raises(BadConfig, match=r"recall.recency.enabled = false"):
            export()
    assert path.read_text() == "[recall.recency]\nmax_bonus = 0.04\n"
    assert "max_bonus" not in render_toml(off, only=[W_EXACT])


@given(st.text())
def test_any_comment_stays_a_comment(comment: str) -> None:
    text = render_toml(Params({W_EXACT: 0.5}), [W_EXACT], comment)
    assert read_text(text) == Params({W_EXACT: 0.5})


def test_a_comment_comes_first_a_line_each() -> None:
    text = render_toml(Params(), [W_EXACT], "Study a: better.\nHeld out 40 prompts.")
    assert text == "# Study a: better.\n# Held out 40 prompts.\n\n[recall.weights]\nw_exact = 0.3\n"


@pytest.mark.parametrize(
    "content",
    [
        b"[recall.weights]\nw_exact = 0.42\n",
        b"\xef\xbb\xbf[recall.weights]\r\nw_exact = 0.42\r\n",
        b"recall.weights.w_exact = 0.42",
        b"recall = {weights = {w_exact = 0.42}}",
        b'["recall"."weights"]\n"w_exact" = 4.2e-1 # kept low\n',
    ],
)
def test_every_way_to_write_nested_tables_is_read(content: bytes) -> None:
    assert read_text(content) == Params({W_EXACT: 0.42})


def test_an_empty_file_is_the_default() -> None:
    assert read_text("") == Params.default()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[recall.weights]\n\nw_exat = 0.3\n", "line 3: Unknown configuration key 'recall.weights.w_exat'"),
        (b"[recall.weights]\n\nw_exat = 0.3\n", "nearest known key is recall.weights.w_exact"),
        (b"\xef\xbb\xbf[recall.display]\r\nmax_display_items = 21\r\n", "line 2: recall.display.max_display_items"),
        (b"[recall.display]\nmax_display_items = 21\n", "1 to 20, not 21"),
        (b"[recall.display]\nmax_display_items = 3.5\n", "whole number from 1 to 20, not 3.5"),
        (b"recall = {weights = {w_exact = 3.0}}", "w_exact must lie in 0 to 1, not 3.0"),
        (b"[recall.weights]\nw_exact = nan\n", "finite number from 0 to 1, not nan"),
        (b"[recall.weights]\nw_exact = true\n", "finite number from 0 to 1, not True"),
        (b"[recall.recency]\nenabled = 1\n", "true or false, not 1"),
        (b'"recall.weights.w_exact" = 0.5\n', "nearest known key is recall.weights.w_exact"),
        (b"[team]\nowner = 1\n", "line 2: Unknown configuration key 'team.owner'"),
        (b"recall = 3\n", "line 1: Unknown configuration key 'recall'"),
        (b"[recall.weights]\nw_exact = 3 4\n", "line 2"),
        (b"[recall.weights]\nw_exact = 0.3\nw_exact = 0.4\n", "not valid TOML"),
        (b"x = " + b"9" * 5000, "not valid TOML"),
        (b"x = " + b"[" * 5000, "not valid TOML"),
        (b"\x00\x01\x02", "not valid TOML"),
        ("[recall.weights]".encode("utf-16"), "not UTF-8"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "recall.toml"
    path.write_bytes(content)
    for use in (lambda: read_toml(path), lambda: edit_and_read(path)):
        with pytest.raises(BadConfig) as caught:
            use()
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(BadConfig) as caught:
        read_toml(path)
    assert said in str(caught.value)


def edit_and_read(path: Path) -> None:
    edit_toml(path, Params({"views.prior.gist": 0.05}), ["views.prior.gist"])
    read_toml(path)


@pytest.mark.parametrize("use", [read_toml, lambda path: edit_toml(path, Params(), [W_EXACT])])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, use: Callable[[Path], object]) -> None:
    for path, reason in ((tmp_path / "none.toml", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(BadConfig, match=f"Cannot read the configuration {path}: {reason}"):
            use(path)


@pytest.mark.skipif(ROOT, reason="root reads everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "recall.toml"
    path.touch(mode=0)
    with pytest.raises(BadConfig, match="Permission denied"):
        read_toml(path)


TEAM_FILE = (
    "# Recall of team A; ask before changing.\r\n"
    "\r\n"
    "[team]\r\n"
    "owner = 'ana'   # not ours\r\n"
    "\r\n"
    "[recall.display]\r\n"
    "min_display_score   =   0.60  # less is noise\r\n"
    "max_display_items = 3 # three fit\r\n"
    "\r\n"
    "[[history]]\r\n"
    'note = """two\r\n'
    'lines"""\r\n'
    "[views.prior]\r\n"
    "gist = 0.03 # since May\r\n"
    "[recall.weights]\r\n"
    "w_exact = 0.30 # terms matter\r\n"
    "w_dense = 0.3\r\n"
)


def test_case_37_only_the_two_values_change(tmp_path: Path) -> None:
    path = tmp_path / "recall.toml"
    path.write_bytes(TEAM_FILE.encode())
    path.chmod(0o640)
    tuned = Params({W_EXACT: 0.42, "recall.display.min_display_score": 0.55})
    changed = edit_toml(path, tuned, KEYS.keys() & {W_EXACT, "recall.display.min_display_score", ITEMS})
    assert set(changed) == {W_EXACT, "recall.display.min_display_score"}
    after = path.read_bytes().decode()
    before, now = TEAM_FILE.split("\n"), after.split("\n")
    assert [(old, new) for old, new in zip(before, now, strict=True) if old != new] == [
        ("min_display_score   =   0.60  # less is noise\r", "min_display_score   =   0.55  # less is noise\r"),
        ("w_exact = 0.30 # terms matter\r", "w_exact = 0.42 # terms matter\r"),
    ]
    backup = tmp_path / "recall.toml.bak"
    assert backup.read_bytes() == TEAM_FILE.encode()
    assert {path.stat().st_mode & 0o777, backup.stat().st_mode & 0o777} == {0o640}
    assert sorted(tmp_path.iterdir()) == [path, backup]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_case_37_a_failing_write_leaves_the_file_intact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "recall.toml"
    path.write_bytes(TEAM_FILE.encode())

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse) if failing == "fsync" else monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(BadInput, match="No space left on device"):
        edit_toml(path, Params({W_EXACT: 0.42}), [W_EXACT])
    assert path.read_bytes() == TEAM_FILE.encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(ROOT, reason="root writes everywhere")
def test_case_37_a_read_only_folder_leaves_the_file_intact(tmp_path: Path) -> None:
    path = tmp_path / "recall.toml"
    path.write_bytes(TEAM_FILE.encode())
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(BadInput, match="Permission denied"):
            edit_toml(path, Params({W_EXACT: 0.42}), [W_EXACT])
    finally:
        tmp_path.chmod(0o755)
    assert path.read_bytes() == TEAM_FILE.encode()
    assert list(tmp_path.iterdir()) == [path]


def test_an_edit_without_a_difference_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "recall.toml"
    path.write_text("[recall.weights]\nw_exact = 3e-1\n[recall.display]\nmax_display_items = 3\n")
    before = path.stat()
    assert edit_toml(path, Params(), [W_EXACT, ITEMS]) == []
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list(tmp_path.iterdir()) == [path]


@given(CONFIGS, CONFIGS, SUBSETS, SUBSETS, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_an_edit_changes_the_edited_lines_only(
    before: Params, after: Params, held: list[str], only: list[str], end: str, marked: bool
) -> None:
    lines = [
        f"{line}  # why {n}" if " = " in line else line for n, line in enumerate(render_toml(before, held).split("\n"))
    ]
    old = ("\ufeff" if marked else "") + end.join(["# team", "[team]", "a.b = [1, 2] # ours", *lines])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recall.toml"
        path.write_bytes(old.encode())
        changed = edit_toml(path, after, only)
        new = path.read_bytes().decode()
        assert (path.with_name("recall.toml.bak").read_bytes() == old.encode()) if changed else new == old
    assert set(changed) == {name for name in only if name not in held or before[name] != after[name]}
    assert new.count("\n") == new.count(end)
    assert read_text(new.replace("a.b", "# a.b")) == Params(
        {name: before[name] for name in held} | {name: after[name] for name in only}
    )
    leaves = {name.rpartition(".")[2] for name in changed}
    untouched = [line for line in old.split(end) if line and line.partition(" = ")[0] not in leaves]
    remaining = iter(new.split(end))
    assert all(line in remaining for line in untouched), "every other line stays, in order"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "# nothing yet",
        "[recall.weights]\nw_exact = 0.3",
        "recall.weights.w_exact = 0.3 # dotted\n",
        "[recall]\nweights.w_exact = 0.3 # dotted\ndisplay.max_display_items = 3\n",
        "recall = {weights = {w_exact = 0.3}} # inline\n",
        "[recall]\nweights = {w_exact = 0.3}\n",
        "[recall.weights]\nw_exact = 'high'\n",
        "[recall.weights]\nw_exact = true\n[recall.recency]\nenabled = 1\n",
        "[recall.weights]\n[views.prior]\n[recall.display]\n[views.weight]\n",
    ],
)
def test_an_edit_finds_its_way_in_every_layout(tmp_path: Path, content: str) -> None:
    path = tmp_path / "recall.toml"
    path.write_text(content)
    wanted = {W_EXACT: 1.0, W_DENSE: 0.2, ITEMS: 5, "views.prior.gist": 0.05, "recall.recency.enabled": True}
    edit_toml(path, Params(wanted), wanted)
    assert typed(read_toml(path)) == typed(Params(wanted))
    assert [part for part in content.split() if part.startswith("#")] == [
        part for part in path.read_text().split() if part.startswith("#")
    ]


@pytest.mark.parametrize("content", ["recall = 3\n", "[[recall]]\nweights = 3\n", "[recall]\nweights = 3\n"])
def test_an_edit_does_not_turn_a_value_into_a_table(tmp_path: Path, content: str) -> None:
    path = tmp_path / "recall.toml"
    path.write_text(content)
    with pytest.raises(BadConfig, match=r"recall\.toml"):
        edit_toml(path, Params({W_EXACT: 0.5}), [W_EXACT])
    assert path.read_text() == content


def test_an_edit_follows_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "shared.toml", tmp_path / "recall.toml"
    target.write_text("[recall.weights]\nw_exact = 0.3\n")
    link.symlink_to(target)
    edit_toml(link, Params({W_EXACT: 0.5}), [W_EXACT])
    assert link.is_symlink()
    assert target.read_text() == "[recall.weights]\nw_exact = 0.5\n"


def test_a_file_is_written_whole_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    write_atomic(path, b"one", 0o600)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"one", 0o600)
    write_atomic(path, b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o600)
    with pytest.raises(BadInput, match="choose a folder that exists"):
        write_atomic(tmp_path / "none" / "a.bin", b"x")
    assert list(tmp_path.iterdir()) == [path]
