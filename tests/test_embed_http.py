"""The embedder for OpenAI-compatible servers: what it asks, what it takes for an answer, and how it fails."""

from __future__ import annotations

import logging
import socket
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from embedders import vector_of
from embedding_server import Reply, Server, answer, encoded, error, listed, serving

from workbench.addresses import shown_address
from workbench.embed import fill
from workbench.embed.address import endpoint
from workbench.embed.choose import Wanted, choose
from workbench.embed.http import ATTEMPTS, HttpEmbedder
from workbench.embed.protocol import KEY_VARIABLE, Refused
from workbench.errors import BadConfig, BadInput, WorkbenchError
from workbench.store import in_memory

KEY = "sk-very-secret-0123456789"
TEXTS = ["refund", "退款", "a b"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as running:
        yield running


class Patient(HttpEmbedder):
    """Notes how long it would have slept."""

    def __init__(self, server: Server, **options: Any) -> None:
        self.waits: list[float] = []
        super().__init__(server.url, "m1", sleep=self.waits.append, **options)


def expected(texts: list[str]) -> list[list[float]]:
    return [vector_of(text).tolist() for text in texts]


@pytest.mark.parametrize(
    ("base", "asked"),
    [
        ("http://h:1", "http://h:1/v1/embeddings"),
        ("http://h:1/", "http://h:1/v1/embeddings"),
        ("http://h:1/v1", "http://h:1/v1/embeddings"),
        ("http://h:1/v1/", "http://h:1/v1/embeddings"),
        ("https://h/api/paas/v4", "https://h/api/paas/v4/embeddings"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/embeddings"),
        ("https://h/proxy", "https://h/proxy/v1/embeddings"),
        (" https://h/v1/embeddings ", "https://h/v1/embeddings"),
    ],
)
def test_an_address_is_taken_with_or_without_its_end(base: str, asked: str) -> None:
    assert endpoint(base) == asked


@pytest.mark.parametrize("base", ["", "localhost:8000", "ftp://h/v1", "http://", "http://h:99999", "http://[h"])
def test_an_address_that_is_none_is_refused(base: str) -> None:
    with pytest.raises(BadConfig, match="write it like http://localhost:8000/v1"):
        endpoint(base)


def test_user_and_password_of_an_address_are_never_said() -> None:
    assert shown_address("http://me:secret@h:1/v1/embeddings?token=secret") == "http://h:1/v1/embeddings"


@pytest.mark.parametrize("base", ["", "/v1"])
def test_vectors_come_in_the_order_of_the_texts(server: Server, base: str) -> None:
    embedder = HttpEmbedder(server.url + base, "m1", key=KEY)
    assert embedder.embed(TEXTS).tolist() == expected(TEXTS)
    assert embedder.embed(TEXTS[:1]).dtype == np.float32
    assert server.asked[0] == {"model": "m1", "input": TEXTS, "encoding_format": "base64"}
    assert (server.paths[0], server.keys) == ("/v1/embeddings", [f"Bearer {KEY}"] * 2)


def test_without_a_key_none_is_sent(server: Server) -> None:
    HttpEmbedder(server.url, "m1").embed(TEXTS)
    assert server.keys == [None]


def test_numbers_are_taken_as_well_as_base64(server: Server) -> None:
    server.always = lambda body: answer({**body, "encoding_format": "float"})
    assert HttpEmbedder(server.url, "m1").embed(TEXTS).tolist() == expected(TEXTS)


def test_a_server_that_knows_no_base64_is_asked_for_numbers(server: Server) -> None:
    def reply(body: dict[str, Any]) -> Reply:
        return error(400, "unknown field encoding_format") if "encoding_format" in body else answer(body)

    server.always = reply
    embedder = HttpEmbedder(server.url, "m1")
    assert embedder.embed(TEXTS).tolist() == embedder.embed(TEXTS).tolist() == expected(TEXTS)
    assert ["encoding_format" in body for body in server.asked] == [True, False, False]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_busy_server_is_asked_again_with_growing_patience(server: Server, status: int) -> None:
    server.replies = [error(status, "later")] * 3
    embedder = Patient(server)
    assert embedder.embed(TEXTS).tolist() == expected(TEXTS)
    assert embedder.waits == [1, 2, 4]


def test_the_time_that_a_server_names_is_kept(server: Server) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    server.replies = [error(429, "later", Retry_After=wait) for wait in ("7", "0.5", then, "soon")]
    embedder = Patient(server)
    embedder.embed(TEXTS)
    assert embedder.waits[:2] == [7, 0.5]
    assert 30 < embedder.waits[2] <= 40
    assert embedder.waits[3] == 8


def test_patience_ends(server: Server) -> None:
    server.always = lambda _: error(503, "later")
    embedder = Patient(server)
    with pytest.raises(BadInput, match=rf"is busy \(503\), {ATTEMPTS} times in a row; what is done is kept"):
        embedder.embed(TEXTS)
    assert len(server.asked) == ATTEMPTS == len(embedder.waits) + 1
    server.always = lambda _: error(429, "later", Retry_After="7200")
    with pytest.raises(BadInput, match="asks to wait 7200 s"):
        embedder.embed(TEXTS)
    server.always = lambda _: error(429, "You exceeded your quota", "insufficient_quota")
    asked = len(server.asked)
    with pytest.raises(BadInput, match="exceeded your quota"):
        embedder.embed(TEXTS)
    assert len(server.asked) == asked + 1


def test_a_server_that_does_not_answer_in_time_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        waits: list[float] = []
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        embedder = HttpEmbedder(url, "m1", timeout=0.05, sleep=waits.append)
        with pytest.raises(BadInput, match=r"does not answer within 0\.05 s, 5 times in a row"):
            embedder.embed(TEXTS)
    assert waits == [1, 2, 4, 8]
    with pytest.raises(BadInput, match=r"Cannot reach http://127.*/v1/embeddings .*; is the server running there\?"):
        HttpEmbedder(url, "m1").embed(TEXTS)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), "refuses the key in the environment variable"),
        (error(403, "no"), "refuses the key in the environment variable"),
        (error(404, "The model `m1` does not exist", "model_not_found"), "does not know the model m1"),
        (error(404, 'model "m1" not found, try pulling it first'), "does not know the model m1"),
        (error(400, "no", "model_not_found"), "does not know the model m1"),
        ((404, b"<html>nothing here</html>"), "does not exist on that server"),
        ((307, b"", {"Location": f"https://elsewhere/{KEY}"}), "answers from another address"),
        (error(400, f"bad header {KEY}"), "embeds nothing: the server refuses it (400: bad header …)"),
        (error(418, f"teapot {KEY}"), "fails (418: teapot …)"),
        ((200, b"<html>"), "answers something other than embeddings"),
        ((200, {"object": "list"}), "answers something other than embeddings"),
        ((200, {"data": [1, 2, 3]}), "answers something other than embeddings"),
        (listed([1.0], [2.0]), "answers 2 vectors for 3 texts"),
        ((200, {"data": [{"index": 1, "embedding": [1.0]}] * 3}), "does not number its vectors from 0 on"),
        ((200, {"data": [{"index": "0", "embedding": [1.0]}] * 3}), "does not number its vectors from 0 on"),
    ],
)
def test_a_failure_is_one_sentence_without_the_key(server: Server, reply: Reply, said: str) -> None:
    server.always = lambda _: reply
    embedder = Patient(server, key=KEY)
    with pytest.raises(WorkbenchError) as raised:
        embedder.embed(TEXTS)
    assert said in str(raised.value)
    assert embedder.waits == []
    shown = (
        "".join(traceback.format_exception(raised.value)) + repr(raised.value) + repr(embedder) + str(vars(embedder))
    )
    assert KEY not in shown


def test_without_a_key_the_sentence_names_the_variable(server: Server) -> None:
    server.always = lambda _: error(401, "no")
    with pytest.raises(BadConfig, match=f"wants a key; put it into the environment variable {KEY_VARIABLE}"):
        HttpEmbedder(server.url, "m1").embed(TEXTS)


@pytest.mark.parametrize("key", ["sk-1\n", "sk 1 2", "sk-\u4e2d", "sk-\x00"])
def test_a_key_that_no_header_can_carry_is_not_shown(key: str) -> None:
    with pytest.raises(BadConfig) as raised:
        HttpEmbedder("http://h", "m1", key=key)
    assert KEY_VARIABLE in str(raised.value)
    assert key not in str(raised.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (None, "gives no vector"),
        ([], "gives no vector"),
        (["x"], "other than numbers"),
        ([[1.0]], "no plain list"),
        ("AAA", "not base64 of 32-bit numbers"),
        ("AAAAAAA=", "not base64 of 32-bit numbers"),
        ([1.0, 2.0], "vectors of 2 and of 8 numbers"),
    ],
)
def test_an_odd_vector_is_refused_alone(server: Server, row: Any, said: str) -> None:
    def reply(body: dict[str, Any]) -> Reply:
        rows = [row if text == "odd" else vector_of(text).tolist() for text in body["input"]]
        return listed(*rows)

    server.always = reply
    with pytest.raises(Refused, match=said):
        HttpEmbedder(server.url, "m1").embed(["a", "odd", "b"])
    with in_memory() as db:
        filled = fill(db, HttpEmbedder(server.url, "m1"), [f"t{n}" for n in range(9)] + ["odd"])
        assert (filled.embedded, [refusal.text for refusal in filled.refused]) == (9, ["odd"])


@pytest.mark.parametrize("row", [[None] * 8, [1e300] * 8, [0.0] * 8])
def test_a_vector_without_direction_is_listed(server: Server, row: list[Any]) -> None:
    server.always = lambda body: listed(*(row if text == "odd" else vector_of(text).tolist() for text in body["input"]))
    with in_memory() as db:
        filled = fill(db, HttpEmbedder(server.url, "m1"), ["a", "odd", "b", ""])
        assert (filled.embedded, {refusal.text for refusal in filled.refused}) == (2, {"odd", ""})


def test_texts_that_the_server_refuses_are_found_and_listed(server: Server) -> None:
    def reply(body: dict[str, Any]) -> Reply:
        too_long = any(len(text) > 50 for text in body["input"])
        return error(400, "maximum context length of this model is 8") if too_long else answer(body)

    server.always = reply
    texts = [f"t{n}" for n in range(40)] + ["long " * 20, "longer " * 20]
    with in_memory() as db:
        filled = fill(db, HttpEmbedder(server.url, "m1"), texts, batch=16)
    assert filled.embedded == 40
    assert {refusal.reason for refusal in filled.refused} == {
        "the server refuses it (400: maximum context length of this model is 8)"
    }


def test_a_model_that_changes_its_length_stops_the_filling(server: Server) -> None:
    server.replies = [answer, lambda body: listed(*[[1.0, 2.0]] * len(body["input"]))]
    with in_memory() as db:
        with pytest.raises(BadInput, match="m1 gives 2 numbers a text"):
            fill(db, HttpEmbedder(server.url, "m1"), [f"t{n}" for n in range(9)], batch=3)
        assert db.row("SELECT count(*) FROM wb.embeddings") == (3,)


def test_no_log_line_holds_the_key(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    Patient(server, key=KEY).embed(TEXTS)
    assert caplog.text
    assert KEY not in caplog.text


def test_base64_is_little_endian(server: Server) -> None:
    assert encoded([1.0], {"encoding_format": "base64"}) == "AACAPw=="
    server.always = lambda _: listed("AACAPwAAAEA=")
    assert HttpEmbedder(server.url, "m1").embed(["a"]).tolist() == [[1, 2]]


def test_options_come_before_the_environment(server: Server) -> None:
    environment = {
        "WORKBENCH_EMBEDDER": "use", "WORKBENCH_EMBEDDING_URL": "http://other", "WORKBENCH_EMBEDDING_MODEL": "m9",
        KEY_VARIABLE: f" {KEY}\n",
    }  # fmt: skip
    embedder = choose(Wanted(base_url=server.url, model="m1", name="mine"), None, environment)
    assert embedder.name == "mine"
    embedder.embed(TEXTS)
    assert (server.asked[0]["model"], server.keys) == ("m1", [f"Bearer {KEY}"])
    assert choose(Wanted(), None, environment).name.startswith("universal-sentence-encoder")
    del environment["WORKBENCH_EMBEDDER"]
    assert choose(Wanted(), None, environment).name == "m9"
    assert choose(Wanted(kind="openai"), "imported", {"WORKBENCH_EMBEDDING_URL": "http://h"}).name == "imported"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(kind="word2vec"), "Unknown embedder 'word2vec'; choose from openai, use, e5"),
        (Wanted(kind="openai", model="m"), "needs the address of the server"),
        (Wanted(model="m"), "needs the address of the server"),
        (Wanted(kind="openai", base_url="http://h"), "needs the name of the model"),
        (Wanted(kind="use", model="m"), "--model goes with --embedder openai"),
    ],
)
def test_what_cannot_be_chosen_is_one_sentence(wanted: Wanted, said: str) -> None:
    with pytest.raises(BadConfig, match=said):
        choose(wanted, None, {})
