"""A server's settings table read with the server's own coercions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.params import KEYS, Params, Value
from workbench.params.settings import from_app_settings, looks_secret

W_EXACT = "recall.weights.w_exact"
ITEMS = "recall.display.max_display_items"
ENABLED = "recall.recency.enabled"
EXEMPT = "recall.recency.priority_exempt"
MAX_BONUS = "recall.recency.max_bonus"

CASE_10 = [
    ("recall.scoring.strategy", {"value": "rrf"}),
    ("recall.scoring.rrf_k", {"value": 20}),
    ("recall.display.read_node_display_mode", {"value": "soft"}),
    ("recall.weights.w_dense", {"value": "0.3"}),
    ("recall.display.min_display_score", 0.6),
    (ITEMS, {"value": 3.9}),
    (W_EXACT, {"value": "abc"}),
]


def one(key: str, stored: Any) -> tuple[Value, tuple[str, ...]]:
    """The value that acts and what was said about it."""
    found = from_app_settings([(key, stored)])
    return found.params[key], found.warnings


@pytest.mark.parametrize("as_text", [False, True], ids=["decoded", "JSON text"])
def test_case_10_retired_settings_coercions_and_four_warnings(as_text: bool) -> None:
    """The four: a text read as a number, a truncated integer, a bad value, and the retired keys together.

    A bare value that has its own type is no divergence.
    """
    found = from_app_settings((key, json.dumps(stored) if as_text else stored) for key, stored in CASE_10)
    assert found.params == Params.default()
    assert found.params[ITEMS] == 3
    assert found.params["recall.display.min_display_score"] == 0.60
    assert found.params[ENABLED] is True
    retired = ("recall.display.read_node_display_mode", "recall.scoring.rrf_k", "recall.scoring.strategy")
    assert found.retired == retired
    assert found.warnings == (
        "recall.weights.w_dense is stored as the text '0.3' and read as 0.3.",
        "recall.display.max_display_items = 3.9 is read as 3 (range 1 to 20).",
        "recall.weights.w_exact = 'abc' is not a number and acts as the default 0.3.",
        f"Retired settings are listed and never exported: {', '.join(retired)}.",
    )


def test_no_settings_are_the_defaults_of_the_server() -> None:
    found = from_app_settings([])
    assert (found.params, found.warnings, found.retired, found.secrets_dropped) == (Params.default(), (), (), ())


VALID = st.fixed_dictionaries(
    {
        name: st.booleans()
        if key.kind is bool
        else st.integers(int(key.low), int(key.high))
        if key.kind is int
        else st.floats(key.low, key.high).filter(bool)
        for name, key in KEYS.items()
    }
)


@given(VALID, st.sampled_from(["wrapped", "bare", "wrapped text", "bare text"]))
def test_a_good_value_is_read_as_it_is_without_a_word(values: dict[str, Value], form: str) -> None:
    rows: list[tuple[str, Any]] = [
        (name, {"value": value} if form.startswith("wrapped") else value) for name, value in values.items()
    ]
    if form.endswith("text"):
        rows = [(name, json.dumps(stored)) for name, stored in rows]
    found = from_app_settings(rows)
    assert found.warnings == ()
    assert found.params == Params(values)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("value"), inner, max_size=3),
    max_leaves=5,
)


@given(st.lists(st.tuples(st.sampled_from([*KEYS, "recall.old", "embedding.model", "x.token"]), JSON)))
def test_whatever_is_stored_gives_an_allowed_configuration(rows: list[tuple[str, Any]]) -> None:
    found = from_app_settings(rows)
    assert Params(found.params.as_flat()) == found.params
    assert all(warning.endswith(".") for warning in found.warnings)


@pytest.mark.parametrize(
    ("key", "stored", "acts", "said"),
    [
        (W_EXACT, {"value": "0.42"}, 0.42, "the text '0.42' and read as 0.42"),
        (W_EXACT, {"value": " 4.2E-1 "}, 0.42, "read as 0.42"),
        (W_EXACT, '"0.42"', 0.42, "the text '0.42'"),
        (W_EXACT, {"value": ""}, 0.3, "'' is not a number and acts as the default 0.3"),
        (W_EXACT, {"value": "0_4"}, 0.3, "is not a number"),
        (W_EXACT, {"value": "\u0661"}, 0.3, "is not a number"),
        (W_EXACT, {"value": "nan"}, 0.3, "is not a number"),
        (W_EXACT, {"value": "1e999"}, 0.3, "is not a number"),
        (W_EXACT, {"value": float("inf")}, 0.3, "is not a number"),
        (W_EXACT, {"value": 10**400}, 0.3, "is not a number"),
        (W_EXACT, {"value": True}, 0.3, "is not a number"),
        (W_EXACT, {"value": [0.4]}, 0.3, "is not a number"),
        (W_EXACT, {"other": 0.4}, 0.3, "is not a number"),
        (W_EXACT, "not json", 0.3, "is not a number"),
        (W_EXACT, {"value": None}, 0.3, "without a value and acts as 0.3"),
        (EXEMPT, {"value": None}, 1, "without a value and acts as 1"),
        (EXEMPT, None, 1, "without a value and acts as 1"),
        (EXEMPT, {"value": -0.5}, 0, "-0.5 is read as 0"),
        (ITEMS, {"value": 3.9}, 3, "3.9 is read as 3"),
        (ITEMS, {"value": "4.7"}, 4, "'4.7' is read as 4"),
        (ENABLED, {"value": "false"}, False, "stored as 'false' and read as false"),
        (ENABLED, {"value": "TRUE"}, True, "read as true"),
        (ENABLED, {"value": 0}, False, "stored as 0 and read as false"),
        (ENABLED, {"value": "maybe"}, True, "neither true nor false and acts as true"),
    ],
)
def test_a_divergence_is_coerced_and_announced_once(key: str, stored: Any, acts: Value, said: str) -> None:
    value, warnings = one(key, stored)
    assert (type(value), value) == (type(acts), acts)
    assert len(warnings) == 1
    assert key in warnings[0]
    assert said in warnings[0]


@pytest.mark.parametrize(
    ("key", "stored", "kept"),
    [
        (W_EXACT, 1.5, 1.0),
        (W_EXACT, -3, 0.0),
        (ITEMS, 99, 20),
        (ITEMS, 0, 1),
        ("recall.recency.half_life_days", 3, 7.0),
    ],
)
def test_a_value_out_of_range_is_taken_to_the_nearest_end_naming_both(key: str, stored: Any, kept: Value) -> None:
    value, warnings = one(key, {"value": stored})
    assert (type(value), value) == (type(kept), kept)
    assert warnings == (f"{key} = {stored} is read as {kept} (range {KEYS[key].range_text}).",)


@pytest.mark.parametrize(
    ("key", "acts"),
    [
        ("recall.recency.half_life_days", 180.0),
        (MAX_BONUS, 0.04),
        ("views.weight.gist", 1.0),
        ("views.weight.question", 1.0),
    ],
)
@pytest.mark.parametrize("stored", [0, 0.0, "0", {"value": 0}, {"value": "0"}])
def test_a_zero_that_the_server_reads_as_another_value_is_announced(key: str, acts: float, stored: Any) -> None:
    value, warnings = one(key, stored)
    assert value == acts
    assert len(warnings) == 1
    assert f"{key} = 0 acts as {acts:g} on the server" in warnings[0]


def test_any_other_zero_stays() -> None:
    assert one("recall.weights.w_lexical", {"value": 0}) == (0.0, ())


def test_keys_of_other_areas_are_passed_over_and_secrets_named_without_their_values() -> None:
    hidden = "sk-do-not-keep"
    rows = [
        ("embedding.model", {"value": "m1"}),
        ("embedding.api_key", {"value": hidden}),
        ("view_llm.api_key", json.dumps({"value": hidden})),
        ("recall.rerank.access_token", hidden),
        (W_EXACT, {"value": 0.4}),
    ]
    found = from_app_settings(rows)
    assert found.params == Params({W_EXACT: 0.4})
    assert found.secrets_dropped == ("embedding.api_key", "recall.rerank.access_token", "view_llm.api_key")
    assert (found.retired, found.warnings) == ((), ())
    assert hidden not in repr(found)


@pytest.mark.parametrize(
    "key",
    [
        "embedding.api_key", "view_llm.api_key", "embedding.apikey", "x.API_TOKEN", "x.private_key", "x.key",
        "x.access_keys", "x.apiKeyProd", "x.password", "db.passwd", "s3.secret_access", "x.credentials", "token",
    ],
)  # fmt: skip
def test_a_secret_is_known_by_its_last_segment(key: str) -> None:
    assert looks_secret(key)


@pytest.mark.parametrize(
    "key", [*KEYS, "embedding.model", "token.count", "glossary.keyword_limit", "embedding.base_url"]
)
def test_what_is_no_secret_is_kept(key: str) -> None:
    assert not looks_secret(key)


def test_a_long_value_does_not_fill_the_screen() -> None:
    _, warnings = one(W_EXACT, {"value": "x" * 2_000_000})
    assert len(warnings[0]) < 200
