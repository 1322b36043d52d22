"""Apply and rollback against a settings API that enforces ranges and a token, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from settings_server import TOKEN, Server, settings_server
from typer.testing import CliRunner

from workbench.apply import SettingsApi, apply, differences, records_folder, rollback
from workbench.apply.records import records
from workbench.cli.app import app
from workbench.errors import BadConfig, BadInput
from workbench.params import Params

EXACT, DENSE = "recall.weights.w_exact", "recall.weights.w_dense"
WANTED = Params.default().replace({EXACT: 0.35, DENSE: 0.25})


@pytest.fixture
def server() -> Iterator[Server]:
    with settings_server() as state:
        yield state


@pytest.fixture
def api(server: Server) -> Iterator[SettingsApi]:
    client = SettingsApi(server.address, TOKEN)
    yield client
    client.close()


def test_what_is_applied_is_read_back_and_taken_back(server: Server, api: SettingsApi, tmp_path: Path) -> None:
    changes = differences(api, WANTED)
    assert [(one.key, one.before, one.after) for one in changes] == [(EXACT, 0.30, 0.35), (DENSE, 0.30, 0.25)]
    record = apply(api, changes, tmp_path / "applied", "study s")
    assert (server.values[EXACT], server.values[DENSE], record.state) == (0.35, 0.25, "applied")
    assert differences(api, WANTED) == []
    undone, since = rollback(api, tmp_path / "applied")
    assert (server.values[EXACT], server.values[DENSE]) == (0.30, 0.30)
    assert (undone.state, since) == ("undone", [])
    with pytest.raises(BadInput, match="there is nothing to take back"):
        rollback(api, tmp_path / "applied")


def test_a_partial_failure_is_rolled_back(server: Server, api: SettingsApi, tmp_path: Path) -> None:
    server.fail_after = 1
    with pytest.raises(BadInput, match=r"refuses \(500\): database is locked; the former values are in force"):
        apply(api, differences(api, WANTED), tmp_path / "applied", "study s")
    assert server.values == dict(Params.default().as_flat())
    assert [record.state for record in records(tmp_path / "applied")] == ["failed"]


def test_a_value_that_does_not_stick_is_rolled_back(server: Server, api: SettingsApi, tmp_path: Path) -> None:
    server.stubborn = {DENSE}
    with pytest.raises(BadInput, match=f"yet has {DENSE} = 0.3; the former values are in force"):
        apply(api, differences(api, WANTED), tmp_path / "applied", "study s")
    assert server.values[EXACT] == 0.30


def test_a_value_changed_by_somebody_since_is_left_alone(server: Server, api: SettingsApi, tmp_path: Path) -> None:
    apply(api, differences(api, WANTED), tmp_path / "applied", "study s")
    server.values[DENSE] = 0.4
    _, since = rollback(api, tmp_path / "applied")
    assert since == [DENSE]
    assert (server.values[EXACT], server.values[DENSE]) == (0.30, 0.4)


def test_the_former_values_are_kept_before_the_server_is_touched(
    server: Server, api: SettingsApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(self: SettingsApi, patch: object) -> None:
        raise KeyboardInterrupt

    changes = differences(api, WANTED)
    with monkeypatch.context() as patched:
        patched.setattr(SettingsApi, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            apply(api, changes, tmp_path / "applied", "study s")
    (record,) = records(tmp_path / "applied")
    assert (record.state, record.before) == ("pending", {EXACT: 0.30, DENSE: 0.30})
    assert rollback(api, tmp_path / "applied")[0].state == "undone"


@pytest.mark.parametrize(
    ("address", "token", "sentence"),
    [
        ("http://127.0.0.1:1", TOKEN, "Cannot reach http://127.0.0.1:1"),
        (None, "wrong", "refuses the token; set WORKBENCH_SERVER_TOKEN"),
        (None, None, "refuses the token"),
    ],
)
def test_a_server_that_cannot_be_used_is_one_sentence(
    server: Server, address: str | None, token: str | None, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence) as caught:
        SettingsApi(address or server.address, token).read()
    assert "wrong" not in str(caught.value)


def test_an_address_that_is_none_and_a_secret_in_one() -> None:
    with pytest.raises(BadConfig, match="write it like http://localhost:18901"):
        SettingsApi("localhost:18901")
    assert repr(SettingsApi("http://me:secret@localhost:1/api/settings", TOKEN)) == "SettingsApi('http://localhost:1')"


def test_the_commands_show_the_difference_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SERVER_TOKEN", TOKEN)
    config = tmp_path / "new.toml"
    config.write_text("[recall.weights]\nw_exact = 0.35\n", encoding="utf-8")
    store = tmp_path / "store.duckdb"
    common = ["--server", server.address, "--db", str(store), "--json"]
    runner = CliRunner()
    shown = json.loads(runner.invoke(app, ["apply", "--config", str(config), *common]).stdout)
    assert (shown["applied"], shown["changes"]) == (False, [{"key": EXACT, "from": 0.3, "to": 0.35}])
    assert server.writes == []
    done = json.loads(runner.invoke(app, ["apply", "--config", str(config), "--yes", *common]).stdout)
    assert (done["applied"], server.values[EXACT]) == (True, 0.35)
    assert TOKEN not in "".join(path.read_text() for path in records_folder(store).iterdir())
    back = json.loads(runner.invoke(app, ["rollback", "--yes", *common]).stdout)
    assert (back["undone"], server.values[EXACT]) == (True, 0.3)
