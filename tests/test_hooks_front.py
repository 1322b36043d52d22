"""The process of a hook that a runtime starts, and what needs no store: names of projects, limits, the log, inputs."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hook_output import context_of
from hypothesis import given
from hypothesis import strategies as st

from workbench.hooks import front
from workbench.hooks.front import Call, Misused, read_call
from workbench.hooks.hosts import HOSTS, START, SUBMIT, output, shortened
from workbench.hooks.log import MOST_BYTES, log, log_file
from workbench.hooks.payload import Unreadable, read_payload
from workbench.hooks.project import project_names


class TestFront:
    """The process that a runtime starts."""

    @pytest.fixture
    def call(self, tmp_path: Path) -> Call:
        return Call("codex", SUBMIT, tmp_path / "s.duckdb", limit=10)

    @staticmethod
    def works(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
        monkeypatch.setattr(front, "worker", lambda call: [sys.executable, "-c", program])

    def test_a_recall_that_hangs_is_left_in_time_and_told(self, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
        self.works(monkeypatch, "import time\nwhile True: time.sleep(60)")
        for runtime in HOSTS:
            said = front.run(Call(runtime, SUBMIT, call.store, limit=0.3))
            assert "took longer than 0.3 s and was skipped" in context_of(runtime, SUBMIT, said)
        assert log_file(call.store).read_text(encoding="utf-8").count("took longer") == len(HOSTS)

    def test_what_was_said_in_time_is_printed_though_the_end_hangs(
        self, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.works(monkeypatch, "import time; print('found', flush=True); time.sleep(60)")
        assert front.run(Call("codex", SUBMIT, call.store, limit=3)) == "found\n"
        assert not log_file(call.store).exists()

    @pytest.mark.parametrize("program", ["import os; os.abort()", "raise SystemExit(3)", "syntax error here"])
    def test_a_worker_that_dies_is_logged(self, call: Call, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
        self.works(monkeypatch, program)
        assert front.run(call) == ""
        assert "the worker ended with" in log_file(call.store).read_text(encoding="utf-8")

    def test_a_python_that_is_gone_is_logged(self, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(front, "worker", lambda call: ["/nowhere/python"])
        assert front.run(call) == ""
        assert "cannot start" in log_file(call.store).read_text(encoding="utf-8")

    def test_what_the_worker_says_is_printed_as_it_is(self, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
        self.works(monkeypatch, "import sys; sys.stdout.buffer.write('数据\\n'.encode())")
        assert front.run(call) == "数据\n"

    @pytest.mark.parametrize(
        "arguments",
        [[], ["claudecode"], ["claudecode", "stop"], ["x", SUBMIT], ["codex", SUBMIT, "more"],
         ["codex", SUBMIT, "--db"],
         ["codex", SUBMIT, "--limit", "x"], ["codex", SUBMIT, "--limit=11"], ["codex", SUBMIT, "--limit", "0"],
         ["codex", SUBMIT, "--limit", "nan"], ["codex", SUBMIT, "--what"]],
    )  # fmt: skip
    def test_wrong_use_fails_no_prompt(
        self, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "s.duckdb"))
        with pytest.raises(Misused):
            read_call(arguments)
        assert front.main(arguments) == 0
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert log_file(tmp_path / "s.duckdb").exists()

    def test_a_call_is_what_its_arguments_say(self, tmp_path: Path) -> None:
        call = Call("hermes", START, tmp_path / "s.duckdb", "http://localhost:1", 3.5)
        assert read_call(call.arguments()) == call


class TestProject:
    """Names of folder and repository."""

    @pytest.mark.parametrize(
        ("url", "name"),
        [("https://user:secret@host.example/acme/checkout-api.git", "acme/checkout-api"),
         ("git@host.example:acme/checkout-api.git", "acme/checkout-api"), ("/srv/git/api/", "git/api"), ("api", "api")],
    )  # fmt: skip
    def test_a_repository_is_named_by_its_origin(self, tmp_path: Path, url: str, name: str) -> None:
        folder = tmp_path / "repo" / "deep" / "er"
        folder.mkdir(parents=True)
        (tmp_path / "repo" / ".git").mkdir()
        (tmp_path / "repo" / ".git" / "config").write_text(
            f'[core]\n\tbare = false\n[remote "fork"]\n\turl = x/y\n[remote "origin"]\n\turl = {url}\n[branch "m"]\n',
            encoding="utf-8",
        )
        assert project_names(str(folder)) == ("er", name)

    def test_without_an_origin_it_is_the_folder_and_without_git_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "repo" / ".git").mkdir(parents=True)
        assert project_names(str(tmp_path / "repo")) == ("repo", "repo")
        for folder in ("", "relative/x", "/nowhere/at/all"):
            assert project_names(folder) == (folder.rpartition("/")[2], "")

    def test_a_linked_worktree_has_the_origin_of_its_repository(self, tmp_path: Path) -> None:
        def git(*words: str) -> None:
            named = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
            subprocess.run(["git", *named, *words], cwd=tmp_path, check=True, capture_output=True)

        git("init", "main")
        git("-C", "main", "commit", "--allow-empty", "-m", "first")
        git("-C", "main", "remote", "add", "origin", "https://host.example/acme/api.git")
        git("-C", "main", "worktree", "add", "../linked")
        assert project_names(str(tmp_path / "linked")) == ("linked", "acme/api")


def test_a_long_start_is_cut_before_the_recall_blocks() -> None:
    block = '<recall session_id="boot" query_id="q">\n0.90 | a://b\n</recall>'
    long = "<boot>\n" + "x" * 20_000 + "\n</boot>\n\n" + block
    cut = shortened(long, 10_000)
    assert len(cut) <= 10_000
    assert cut.endswith(block)
    assert "cut here" in cut
    assert shortened("short", 10_000) == "short"
    assert len(shortened(block * 500, 10_000)) <= 10_000
    assert len(json.loads(output("claudecode", START, long))["hookSpecificOutput"]["additionalContext"]) <= 10_000


def test_the_log_is_private_and_turned_over(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    log(store, "codex", SUBMIT, "two\nlines")
    assert log_file(store).read_text(encoding="utf-8").endswith(" codex prompt-submit: two lines\n")
    assert log_file(store).stat().st_mode & 0o077 == 0
    with log_file(store).open("a", encoding="utf-8") as file:
        file.write("x" * MOST_BYTES)
    log(store, "codex", SUBMIT, "again")
    assert log_file(store).read_text(encoding="utf-8").count("\n") == 1
    assert log_file(store).with_name("s.duckdb.hook.log.1").stat().st_size > MOST_BYTES
    log(tmp_path / "nowhere" / "s.duckdb", "codex", SUBMIT, "nobody minds")


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["prompt", "session_id", "cwd", "extra", "user_message", "is_first_turn"]) | st.text(), inner
    ),
    max_leaves=12,
), st.sampled_from([START, SUBMIT]))  # fmt: skip
def test_any_json_is_read_or_refused(document: Any, event: str) -> None:
    try:
        found = read_payload(io.BytesIO(json.dumps(document).encode()), "hermes", event)
    except Unreadable:
        return
    sent = found.event("hermes", event)
    assert all(isinstance(value, str) for part in ("normalized", "project") for value in sent[part].values())
    json.dumps(sent)


def test_an_input_is_read_in_the_words_of_each_runtime() -> None:
    for words, prompt in (
        ({"prompt": "a"}, "a"),
        ({"prompt": None, "user_message": "b"}, "b"),
        ({"extra": {"user_message": "c"}, "prompt": ""}, "c"),
        ({"userPrompt": "d", "sessionId": "s"}, "d"),
    ):
        assert read_payload(io.BytesIO(json.dumps(words).encode()), "zcode", SUBMIT).prompt == prompt
