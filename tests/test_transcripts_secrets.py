"""Secrets of transcripts never reach the store; --redact keeps no text at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from transcript_lines import Claude, Codex, block, written

from workbench.importers.transcripts.secrets import masked
from workbench.store import reading

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----"
SECRETS = (
    "sk-proj-abcdefghijklmnopqrstuvwx", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghij", "MIIEowIBAAKCAQEA7", "hunter2hunter2", "correcthorsebattery",
)  # fmt: skip
PROMPT = (
    f"deploy with {SECRETS[0]} and {SECRETS[1]}, {SECRETS[2]}, {SECRETS[3]}\n{PEM}\nDB_PASSWORD={SECRETS[5]} "
    f"postgres://me:{SECRETS[6]}@db/x please"
)
OUTPUT = "the output of a tool that holds top-secret-output"


def both_agents(folder: Path) -> Path:
    claude, codex = Claude(), Codex()
    for session in (claude, codex):
        session.user(PROMPT)
        session.told(block("core://a", session="sess_1", query="q_1"))
        session.call("t1", "lore_get_node", uri="core://a", query_id="q_1", note=SECRETS[5])
        session.answer("t1", OUTPUT)
        session.call("t2", "lore_search", query=f"where is {SECRETS[0]}")
        session.answer("t2", json.dumps({"results": [{"uri": "core://b", "content": OUTPUT}]}))
        session.call("t3", "Bash", command=f"echo {OUTPUT}")
        session.answer("t3", OUTPUT)
    claude.lines.append("{broken " + OUTPUT)
    claude.line("top-secret-output" + "!" * 90)
    written(folder, claude.lines)
    written(folder, codex.lines, "rollout-1.jsonl")
    return folder


@pytest.mark.parametrize("options", [[], ["--redact"]])
def test_no_secret_reaches_the_store_or_the_report(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, options: list[str]
) -> None:
    store = tmp_path / "w.duckdb"
    code, out, err = run("import", both_agents(tmp_path / "in"), "--db", store, "--json", *options)
    assert code == 0, err
    data = store.read_bytes()
    for secret in (*SECRETS, "top-secret-output"):
        assert secret.encode() not in data
        assert secret not in out + err
    assert json.loads(out)["tables"]["agent_opens"]["added"] == 2
    with reading(store) as db:
        texts = db.rows("SELECT query_text FROM wb.agent_prompts UNION ALL SELECT query_text FROM wb.agent_searches")
        links = db.rows("SELECT query_id, uris FROM wb.agent_recalls")
    assert links == [("q_1", ["core://a"])] * 2
    if options:
        assert texts == [(None,)] * 4
    else:
        assert all((text and "please" in text) or "where is" in text for (text,) in texts)


@pytest.mark.parametrize("text", [
    "how do I rotate a token", "the password is asked for twice", "sk-learn and gh_pages", "key: value", "eyes only",
    "the password is required", "why is the password wrong", "the token was rejected", "密码是什么？怎么重置密码",
    "mkdir -p src/app2", "ssh -p 2222 host", "docker run -p 8080:80 -u 1000:1000 web", "cp -p notes to",
    "-----BEGIN CERTIFICATE-----", "set token=", "mail me@example.com about https://example.com/a:b@c",
])  # fmt: skip
def test_ordinary_words_stay(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(("text", "kept"), [
    ("密码：hunter3secret 请部署", "密码：*** 请部署"),
    ("密码是hunter3secret，请部署", "密码是***，请部署"),
    ("password：hunter3secret", "password：***"),
    ("the password is correcthorse", "the password is ***"),
    ("the password is correcthorse, use it", "the password is ***, use it"),
    ("the API key was 'correcthorse' once", "the API key was '***' once"),
    ("curl -u admin:pa55word https://x/y", "curl -u admin:*** https://x/y"),
    ('curl --user "admin:pa55word" x', 'curl --user "admin:***" x'),
    ("mysql -u root -p MyPass123 shop", "mysql -u root -p *** shop"),
    ("mysql -uroot -pcorrecthorse shop", "mysql -uroot -p*** shop"),
    ("sshpass -p correcthorse ssh me@host", "sshpass -p *** ssh me@host"),
    ("run it with -p MyPass123", "run it with -p ***"),
    ("login --password correcthorse now", "login --password *** now"),
])  # fmt: skip
def test_a_secret_that_is_told_in_words_or_to_a_program_is_taken_out(text: str, kept: str) -> None:
    assert masked(text) == kept


def test_the_mark_of_a_private_key_alone_does_not_take_long() -> None:
    text = "-----BEGIN " * 200_000
    assert masked(text) == text
