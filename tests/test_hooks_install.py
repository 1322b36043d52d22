"""Hooks in the settings of agent runtimes: put in, taken out exactly, everything else kept."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from workbench.errors import BadInput
from workbench.hooks.front import Call, read_call
from workbench.hooks.hosts import HOSTS, START
from workbench.hooks.install import PLACES, install, uninstall

Run = Callable[..., tuple[int, str, str]]
OTHER = {
    "claudecode": '{\n    "model": "opus",\n    "hooks": {\n        "SessionStart": [\n            {"hooks": '
    '[{"type": "command", "command": "mine"}]}\n        ],\n        "Stop": []\n    },\n    "数": 1.50\n}',
    "codex": '{"hooks": {}}\n',
    "zcode": '{\n\t"mcp": {"servers": {}},\n\t"hooks": {\n\t\t"timeoutMs": 5000\n\t}\n}\n',
    "hermes": "# mine\nmodel: 'gpt'   # why\n\nhooks:\n  pre_tool_call:\n  - matcher: \"x\"\n    command: ~/a.sh\n"
    "list: [1,  2]\n",
}  # fmt: skip


def call(runtime: str, folder: Path, url: str | None = None) -> Call:
    return Call(runtime, START, folder / "it's a store.duckdb", url)


def settings(runtime: str, folder: Path) -> Path:
    return folder / ("config.yaml" if runtime == "hermes" else "settings.json")


def read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return YAML(typ="safe").load(text) if path.suffix == ".yaml" else json.loads(text)


def hooks_of(runtime: str, found: Any) -> dict[str, list[Any]]:
    """The groups of each event in settings."""
    for key in PLACES[runtime].keys:
        found = found[key]
    return {event: found[event] for event in PLACES[runtime].events.values()}


def words(runtime: str, group: Any) -> list[str]:
    """The words of the command in a group, as the runtime starts it."""
    hook = group if runtime == "hermes" else group["hooks"][0]
    return [hook["command"], *hook["args"]] if runtime == "zcode" else shlex.split(hook["command"])


@pytest.mark.parametrize("runtime", HOSTS)
def test_a_missing_file_is_made_and_goes_again(runtime: str, tmp_path: Path) -> None:
    path = settings(runtime, tmp_path / "not" / "there")
    done = install(call(runtime, tmp_path), path)
    assert (done.action, path.stat().st_mode & 0o777) == ("installed", 0o600)
    for native, groups in hooks_of(runtime, read(path)).items():
        (group,) = groups
        python, *rest = words(runtime, group)
        assert os.access(python, os.X_OK)
        assert rest[:3] == ["-P", "-m", "workbench.hooks"]
        assert PLACES[runtime].events[read_call(rest[3:]).event] == native
        assert read_call(rest[3:]).store == tmp_path / "it's a store.duckdb"
    assert uninstall(runtime, path).action == "removed"
    assert not path.exists()
    assert uninstall(runtime, path).action == "unchanged"


@pytest.mark.parametrize("runtime", HOSTS)
def test_everything_else_is_kept_and_the_file_comes_back_byte_for_byte(runtime: str, tmp_path: Path) -> None:
    path = settings(runtime, tmp_path)
    path.write_bytes(OTHER[runtime].encode())
    path.chmod(0o640)
    before = read(path)
    install(call(runtime, tmp_path), path)
    assert path.stat().st_mode & 0o777 == 0o640
    found = read(path)
    for native, groups in hooks_of(runtime, found).items():
        former = before
        for key in PLACES[runtime].keys:
            former = former.get(key) or {}
        assert groups[:-1] == former.get(native, [])
    if runtime == "hermes":
        assert "# mine" in path.read_text(encoding="utf-8")
    once = path.read_bytes()
    assert install(call(runtime, tmp_path), path).action == "unchanged"
    assert path.read_bytes() == once
    assert uninstall(runtime, path).action == "removed"
    assert path.read_bytes() == OTHER[runtime].encode()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("runtime", HOSTS)
def test_what_changed_meanwhile_stays(runtime: str, tmp_path: Path) -> None:
    path = settings(runtime, tmp_path)
    path.write_text(OTHER[runtime], encoding="utf-8")
    install(call(runtime, tmp_path), path)
    added = "added: later\n" if runtime == "hermes" else None
    text = path.read_text(encoding="utf-8")
    path.write_text(text + added if added else text.replace("{", '{"added": "later",', 1), encoding="utf-8")
    uninstall(runtime, path)
    found = read(path)
    assert found.pop("added") == "later"
    assert "workbench" not in path.read_text(encoding="utf-8")
    path.write_text(OTHER[runtime], encoding="utf-8")
    former = read(path)
    found.pop("hooks", None)
    former.pop("hooks")
    assert found == former


def test_another_store_takes_the_place_of_the_former_one(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    install(call("claudecode", tmp_path), path)
    install(call("claudecode", tmp_path / "other", "http://localhost:8000"), path)
    for groups in hooks_of("claudecode", read(path)).values():
        (group,) = groups
        there = read_call(words("claudecode", group)[4:])
        assert (there.store.parent, there.url) == (tmp_path / "other", "http://localhost:8000")


def test_only_our_hook_leaves_a_group_that_it_shares(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    install(call("claudecode", tmp_path), path)
    found = read(path)
    found["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "mine"})
    path.write_text(json.dumps(found), encoding="utf-8")
    uninstall("claudecode", path)
    assert read(path) == {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_a_dry_run_shows_the_snippet_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    code, out, _ = run("hook", "install", "claudecode", "--settings", path, "--db", tmp_path / "s.duckdb", "--dry-run")
    assert (code, path.exists()) == (0, False)
    assert "UserPromptSubmit" in out
    assert "would install" in out
    code, out, _ = run("hook", "install", "claudecode", "--settings", path, "--db", tmp_path / "s.duckdb", "--json")
    assert json.loads(json.loads(out)["snippet"]) == read(path)
    assert json.loads(run("hook", "uninstall", "claudecode", "--settings", path, "--json")[1])["action"] == "removed"


@pytest.mark.parametrize(
    ("name", "text"),
    [("s.json", "{"), ("s.json", "[]"), ("s.json", "\x00"), ("s.json", '{"a": 1, "a": 2}'), ("s.json", '{"hooks": []}'),
     ("s.json", '{"hooks": {"SessionStart": {}}}'), ("s.json", '{"hooks": "x"}'), ("s.json", "[" * 100_000),
     ("s.yaml", "a: ["), ("s.yaml", "- x"), ("s.yaml", "hooks: 5"), ("s.yaml", "a: 1\na: 2"), ("s.json", b"\xff\xfe")],
)  # fmt: skip
def test_settings_that_cannot_be_read_are_left_alone(run: Run, tmp_path: Path, name: str, text: str | bytes) -> None:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = path.read_bytes()
    runtime = "hermes" if name.endswith("yaml") else "claudecode"
    code, out, err = run("hook", "install", runtime, "--settings", path, "--db", tmp_path / "s.duckdb")
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    install(call("claudecode", tmp_path), link)
    assert link.is_symlink()
    assert hooks_of("claudecode", read(real))
    uninstall("claudecode", link)
    assert (link.is_symlink(), real.read_text(encoding="utf-8")) == (True, "{}")


def test_an_unknown_runtime_is_refused(run: Run, tmp_path: Path) -> None:
    for way in ("install", "uninstall"):
        code, _, err = run("hook", way, "emacs", "--db", tmp_path / "s.duckdb")
        assert (code, err.count("\n")) == (2, 1)
        assert "claudecode" in err


def test_the_usual_files_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for runtime, variable, name in (
        ("claudecode", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("hermes", "HERMES_HOME", "config.yaml"),
    ):
        monkeypatch.setenv(variable, str(tmp_path / runtime))
        assert PLACES[runtime].file() == tmp_path / runtime / name
    monkeypatch.setenv("HOME", str(tmp_path))
    assert PLACES["zcode"].file() == tmp_path / ".zcode" / "cli" / "config.json"


def test_an_installed_hook_runs_as_a_runtime_starts_it(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    install(call("claudecode", tmp_path), path)
    (group,) = read(path)["hooks"]["UserPromptSubmit"]
    started = ["sh", "-c", group["hooks"][0]["command"]]
    ended = subprocess.run(started, input=b'{"prompt": "x"}', capture_output=True, check=False)
    # no store is there: nothing to say, and no failure
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert "there is no store" in (tmp_path / "it's a store.duckdb.hook.log").read_text(encoding="utf-8")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text().filter(lambda key: key != "hooks"), VALUES, max_size=4), st.sampled_from([None, 2, "\t"])
)
def test_any_settings_come_back(tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any], indent: Any) -> None:
    path = tmp_path_factory.mktemp("s") / "settings.json"
    path.write_text(json.dumps(data, indent=indent), encoding="utf-8")
    before = path.read_bytes()
    try:
        install(call("zcode", path.parent), path)
    except BadInput:
        assert path.read_bytes() == before
        return
    found = read(path)
    del found["hooks"]
    assert found == data
    uninstall("zcode", path)
    assert path.read_bytes() == before
