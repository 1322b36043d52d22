"""The command line: what each command prints, its exit codes, and that a problem is one sentence."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from worlds import world_store

from workbench.cli.app import app
from workbench.params import Params
from workbench.params.toml import read_toml
from workbench.store import writing

Run = Callable[..., tuple[int, str, str]]

COMMANDS = {"demo", "ui", "import", "status", "embed", "parity", "replay", "report", "explain", "recall", "search",
            "missed", "memory", "fold", "label", "open", "serve", "simulate", "tune", "compare", "export", "apply",
            "rollback", "check", "hook", "periods"}  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a simulated store, for one module."""
    target = tmp_path_factory.mktemp("cli") / "store.duckdb"
    shutil.copy(world_store(900, 0.4, 3), target)
    return target


def document(run: Run, *arguments: str | Path, code: int = 0) -> dict[str, Any]:
    """The JSON document of a command, which is all that stands on standard output."""
    got, out, _ = run(*arguments, "--json")
    assert got == code
    found: dict[str, Any] = json.loads(out)
    return found


def refused(run: Run, *arguments: str | Path, code: int = 2) -> str:
    """The one sentence of a command that cannot be carried out."""
    got, out, err = run(*arguments)
    assert (got, out) == (code, "")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return err.strip()


def test_the_commands_are_the_named_ones() -> None:
    names = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert names == COMMANDS


def test_import_reports_every_row_and_a_second_run_adds_nothing(run: Run, tmp_path: Path) -> None:
    document(run, "simulate", tmp_path / "w", "--prompts", "40")
    first = document(run, "import", tmp_path / "w", "--db", tmp_path / "s.duckdb")
    assert first["tables"]["recall_queries"]["added"] >= 40
    assert first["capabilities"]["logged_replay"]["possible"] is True
    second = document(run, "import", tmp_path / "w", "--db", tmp_path / "s.duckdb")
    for counts in second["tables"].values():
        assert (counts["added"], counts["updated"], counts["skipped"]) == (0, 0, counts["read"])


def test_a_report_with_a_start_holds_it_against_the_time_before(run: Run, store: Path) -> None:
    start = "2026-11-05"
    said = document(run, "report", "--db", store, "--since", start, "--until", "2026-11-12")
    earlier, later = said["shift"]["earlier"], said["shift"]["later"]
    assert (later["prompts"], later["used"]) == (said["prompts"], said["used"])
    assert "2026-10-29" <= earlier["first"] <= earlier["last"] < start <= later["first"]
    _, text, _ = run("report", "--db", store, "--since", start)
    assert "Change of the use rate from 2026-10-" in text
    assert "Effect of the first place" in text
    assert "What this log can answer:" in text
    assert text.index(said["by"]) < text.index("logged signal rows"), "figures first, then the way there"


def test_a_dry_run_changes_nothing(run: Run, tmp_path: Path) -> None:
    document(run, "simulate", tmp_path / "w", "--prompts", "20")
    said = document(run, "import", tmp_path / "w", "--db", tmp_path / "s.duckdb", "--dry-run")
    assert said["dry_run"] is True
    assert not (tmp_path / "s.duckdb").exists()


def test_the_store_comes_from_the_option_or_the_environment(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "workbench.duckdb" in refused(run, "status")
    monkeypatch.setenv("WORKBENCH_DB", str(store))
    assert document(run, "status")["db"] == str(store)


def test_status_says_what_the_store_holds(run: Run, store: Path) -> None:
    said = document(run, "status", "--db", store)
    assert said["tables"]["nodes"] == 143
    assert said["traffic"]["prompt"] == 900
    assert said["imports"][0]["kind"] == "tables"


def test_parity_passes_and_fails_with_exit_3(run: Run, store: Path, tmp_path: Path) -> None:
    said = document(run, "parity", "--db", store)
    assert (said["share"], said["flips"], said["passes"]) == (1.0, 0, True)
    broken = tmp_path / "broken.duckdb"
    shutil.copy(store, broken)
    with writing(broken, "test") as db:
        db.execute("UPDATE wb.logged_candidates SET exact = exact / 2")
    failed = document(run, "parity", "--db", broken, code=3)
    assert failed["causes"][0]["rows"] > 100
    code, _, err = run("tune", "--db", broken, "--trials", "1")
    assert (code, "Tuning is locked" in err) == (3, True)


def test_replay_has_the_fields_of_the_contract_and_dumps(run: Run, store: Path, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[recall.display]\nmin_display_score = 0.7\n", encoding="utf-8")
    dump = tmp_path / "dump.parquet"
    said = document(run, "replay", "--db", store, "--config", tmp_path / "c.toml", "--dump", dump)
    fields = "config prompts shown used_kept used_lost removed newly_shown silent_prompts metrics intervals"
    assert set(fields.split()) <= set(said)
    assert said["config"]["recall.display.min_display_score"] == 0.7
    assert said["prompts"] == 900
    rows = pq.read_table(dump).to_pylist()
    assert sum(row["shown"] for row in rows) == said["shown"]


def test_one_filter_serves_replay_and_report(run: Run, store: Path) -> None:
    clients = ("claudecode", "codex", "openclaw", "pi")
    parts = [document(run, "report", "--db", store, "--client", client) for client in clients]
    whole = document(run, "report", "--db", store)
    for figure in ("prompts", "shown", "used", "silent_prompts"):
        assert sum(part[figure] for part in parts) == whole[figure]
    assert document(run, "replay", "--db", store, "--client", "pi")["prompts"] == parts[3]["prompts"]


def test_explain_shows_all_stages(run: Run, store: Path, tmp_path: Path) -> None:
    dump = tmp_path / "dump.parquet"
    document(run, "replay", "--db", store, "--dump", dump)
    row = next(row for row in pq.read_table(dump).to_pylist() if row["shown"])
    said = document(run, "explain", row["query_id"], row["uri"], "--db", store)
    (candidate,) = said["candidates"]
    assert candidate["score"] == row["score"]
    assert said["single_changes"]
    assert "holds no query" in refused(run, "explain", "nope", "--db", store)


def test_tune_export_and_compare_go_together(run: Run, store: Path, tmp_path: Path) -> None:
    code, out, _ = run("tune", "--db", store, "--trials", "60", "--study", "s1", "--json")
    tuned = json.loads(out)
    assert code == (4 if tuned["verdict"] == "not enough evidence" else 0)
    assert {"study", "verdict", "reasons", "config", "current", "holdout", "luck", "plateau", "pareto"} <= set(tuned)
    document(run, "export", "--db", store, "--study", "s1", "--out", tmp_path / "s1.toml")
    assert dict(read_toml(tmp_path / "s1.toml")) == tuned["config"]
    (tmp_path / "c.toml").write_text("[recall.weights]\nw_exact = 0.1\n", encoding="utf-8")
    said = document(run, "compare", "current", tmp_path / "c.toml", "s1", "--db", store)
    assert [pair["config"] for pair in said["pairs"]] == [str(tmp_path / "c.toml"), "s1"]


def test_thin_evidence_exits_with_4(run: Run, tmp_path: Path) -> None:
    document(run, "simulate", tmp_path / "w", "--prompts", "15")
    document(run, "import", tmp_path / "w", "--db", tmp_path / "s.duckdb")
    assert "has a used memory" in refused(run, "tune", "--db", tmp_path / "s.duckdb", code=4)


def test_export_writes_only_what_was_asked(run: Run, store: Path, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[views.prior]\ngist = 0.05\n", encoding="utf-8")
    _, out, _ = run("export", "--db", store, "--config", tmp_path / "c.toml", "--changed-only")
    assert out == "[views.prior]\ngist = 0.05\n"
    _, out, _ = run("export", "--db", store, "--config", tmp_path / "c.toml", "--changed-only", "--inverse")
    assert out.splitlines()[-1] == f"gist = {Params()['views.prior.gist']}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "No such command"),
        (["import"], "Missing argument"),
        (["import", "missing.json"], "There is no missing.json"),
        (["report", "--traffic", "magic"], "Unknown traffic class"),
        (["report", "--by", "colour"], "Cannot group by 'colour'"),
        (["report", "--zone", "Mars/North"], "Mars/North"),
        (["report", "--repeats", "thrice"], "--repeats is each or once"),
        (["report", "--since", "yesterday"], "is no time"),
        (["replay", "--as-of", "today"], "add --signals engine"),
        (["replay", "--signals", "engine", "--as-of", "yesterday"], "is no time"),
        (["tune", "--jobs", "0"], "--jobs must lie in 1 to"),
        (["tune", "--seed", "-4"], "--seed must not be negative"),
        (["simulate", "world", "--seed", "-1"], "--seed must not be negative"),
        (["export", "--config", "a.toml", "--into", "b.toml", "--out", "c.toml"], "leave --out and --changed-only"),
        (["compare", "current"], "at least two"),
        (["compare", "current", "current"], "named twice"),
        (["export"], "either --study NAME or --config FILE"),
        (["export", "--study", "none"], "no finished study none"),
        (["replay", "--config", "none.toml"], "none.toml"),
        (["simulate", "w", "--prompts", "0"], "must lie in 1 to"),
    ],
)
def test_misuse_is_one_sentence_with_exit_2(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_DB", str(store))
    assert said in refused(run, *arguments)


def test_a_bad_configuration_names_file_key_and_rule(run: Run, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    for text, said in (
        ("[recall.weights]\nw_exct = 0.3\n", "recall.weights.w_exact"),
        ("[recall.weights]\nw_exact = 7.0\n", "0 to 1"),
        ("[recall.weights\n", "not valid TOML"),
    ):
        file.write_text(text, encoding="utf-8")
        message = refused(run, "replay", "--db", store, "--config", file)
        assert said in message
        assert "c.toml" in message


def test_case_45_no_console_stops_a_command(store: Path, tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("workbench")
    environment = {**os.environ, "PYTHONIOENCODING": "gbk"}
    dump = tmp_path / "d.parquet"
    subprocess.run([command, "replay", "--db", store, "--dump", dump], env=environment, check=True, capture_output=True)
    query_id = pq.read_table(dump, columns=["query_id"])["query_id"][0].as_py()
    with writing(store, "test") as db:
        db.execute(
            "UPDATE recall_queries SET query_text = '中文 😀 é ' || chr(0) || ' text' WHERE query_id = $id",
            {"id": query_id},
        )
    for extra in ([], ["--json"]):
        done = subprocess.run(
            [command, "explain", query_id, "--db", store, *extra], env=environment, check=True, capture_output=True
        )
        if extra:
            assert json.loads(done.stdout.decode("utf-8"))["query"]["text"].startswith("中文 😀 é")


def test_the_demo_runs_the_whole_chain(run: Run, tmp_path: Path) -> None:
    said = document(run, "demo", "--db", tmp_path / "demo.duckdb")
    assert said["parity"]["share"] == 1.0
    assert said["report"]["prompts"] == 1500
    assert said["tune"]["verdict"] in ("keep current", "not enough evidence", "worth a trial", "safe to try")
    assert dict(read_toml(Path(said["export"]["out"]))) == said["tune"]["config"]
    assert "exists already" in refused(run, "demo", "--db", tmp_path / "demo.duckdb")


def test_the_readme_lists_every_command() -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    listed = {line.split("`")[1].split()[0] for line in readme.splitlines() if line.startswith("| `")}
    assert listed == COMMANDS


def test_a_reader_that_leaves_early_and_a_full_device(store: Path) -> None:
    command = [sys.executable, "-c", "from workbench.cli import main; main()", "status", "--db", str(store)]
    for extra in ([], ["--json"]):
        line = f"set -o pipefail; {shlex.join([*command, *extra])} | head -c 1"
        piped = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
        assert (piped.returncode, piped.stderr) == (0, b"")
        with Path("/dev/full").open("w") as full:
            done = subprocess.run([*command, *extra], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("Cannot write to standard output")
        assert len(done.stderr.splitlines()) == 1


def test_the_same_command_says_the_same_on_every_run(run: Run, store: Path) -> None:
    """The order in which a database adds numbers up differs from run to run; what is said must not."""
    for command in (["replay"], ["report", "--by", "day"]):
        first = run(*command, "--db", store, "--json")[1]
        assert all(run(*command, "--db", store, "--json")[1] == first for _ in range(3))


def test_a_replay_without_vectors_says_beside_its_figures_that_they_are_no_measure(run: Run, store: Path) -> None:
    code, out, _ = run("replay", "--signals", "engine", "--db", store)
    assert code == 0
    assert "no measure of the configuration" in out.splitlines()[0]
    assert "no measure" not in run("replay", "--db", store)[1]


def test_case_34_without_a_feasible_trial_tune_ends_with_exit_4(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = shutil.copy(world_store(900, 0.4, 3), tmp_path / "store.duckdb")
    monkeypatch.setattr("workbench.tune.goal.Goal.violations", lambda self, kept: {"shown": 1.0})
    code, _, said = run("tune", "--db", store, "--trials", "2")
    assert (code, "No trial keeps within the limits" in said) == (4, True)
    out = tmp_path / "out.toml"
    assert run("export", "--db", store, "--study", "study", "--out", out)[0] == 2
    assert not out.exists()


def test_a_cause_that_does_not_exist_cannot_be_accepted(run: Run, store: Path) -> None:
    code, _, said = run("tune", "--db", store, "--accept-cause", "clocks")
    assert (code, "'clocks' is no cause" in said) == (2, True)
