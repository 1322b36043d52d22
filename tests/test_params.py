"""Keys and configurations: the declared table, the checks where a value enters, the step grid, the bound names."""

from __future__ import annotations

import pickle
import subprocess
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import errors
from workbench.errors import BadConfig, WorkbenchError
from workbench.params import KEYS, Effect, Params, checked, key_of, snap

W_EXACT = "recall.weights.w_exact"
ITEMS = "recall.display.max_display_items"

# Key, bound name, default, lowest, highest: section 2 of the description of the recall.
TABLE = [
    ("recall.weights.w_exact", "w_exact", 0.30, 0, 1),
    ("recall.weights.w_glossary_semantic", "w_glossary_semantic", 0.25, 0, 1),
    ("recall.weights.w_dense", "w_dense", 0.30, 0, 1),
    ("recall.weights.w_lexical", "w_lexical", 0.03, 0, 1),
    ("recall.bonus.priority_base", "priority_base", 0.05, 0, 0.5),
    ("recall.bonus.priority_step", "priority_step", 0.01, 0, 0.1),
    ("recall.bonus.multi_view_step", "multi_view_step", 0.015, 0, 0.1),
    ("recall.bonus.multi_view_cap", "multi_view_cap", 0.05, 0, 0.3),
    ("views.weight.gist", "gist_weight", 1.0, 0, 2),
    ("views.weight.question", "question_weight", 0.96, 0, 2),
    ("views.prior.gist", "gist_prior", 0.03, 0, 0.2),
    ("views.prior.question", "question_prior", 0.02, 0, 0.2),
    ("recall.recency.enabled", "recency_enabled", True, 0, 1),
    ("recall.recency.half_life_days", "half_life_days", 180.0, 7, 3650),
    ("recall.recency.max_bonus", "max_bonus", 0.04, 0, 0.3),
    ("recall.recency.priority_exempt", "priority_exempt", 1, -1, 10),
    ("recall.display.min_display_score", "min_display_score", 0.60, 0, 1),
    ("recall.display.max_display_items", "max_display_items", 3, 1, 20),
    ("recall.safety.max_query_chars", "max_query_chars", 200, 50, 2000),
    ("recall.safety.timeout_ms", "timeout_ms", 2000, 500, 30000),
]
NUMERIC = [key for key in KEYS.values() if key.kind is not bool]


def same(left: Any, right: Any) -> bool:
    """Equal, and of the same type."""
    return type(left) is type(right) and bool(left == right)


def test_keys_are_the_documented_table() -> None:
    declared = [(key.name, key.bound, key.default, key.low, key.high) for key in KEYS.values()]
    assert declared == TABLE
    assert all(same(key.default, row[2]) for key, row in zip(KEYS.values(), TABLE, strict=True))
    assert all(name == key.name for name, key in KEYS.items())


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_key_is_complete_and_its_default_lies_on_its_grid(key: Any) -> None:
    assert key.unit
    assert key.help.endswith(".")
    assert key.low <= key.default <= key.high
    assert same(snap(key, key.default), key.default)
    if key.kind is not bool:
        assert Decimal(str(key.low)) % Decimal(str(key.step)) == 0
        assert Decimal(str(key.high)) % Decimal(str(key.step)) == 0


def test_what_a_change_costs() -> None:
    by_effect = {effect: {name for name, key in KEYS.items() if key.effect is effect} for effect in Effect}
    assert by_effect[Effect.REBUILD] == {"views.weight.gist", "views.weight.question"}
    assert by_effect[Effect.RERETRIEVE] == {"recall.safety.max_query_chars", "recall.safety.timeout_ms"}
    assert {name for name, key in KEYS.items() if not key.replayable} == by_effect[Effect.RERETRIEVE]


def test_default_and_lookup() -> None:
    params = Params.default()
    assert dict(params) == params.as_flat() == {row[0]: row[2] for row in TABLE}
    assert len(params) == len(TABLE)
    assert W_EXACT in params
    assert "recall.weights.nothing" not in params


def test_replace_leaves_the_original_and_tells_what_changed() -> None:
    before = Params.default()
    after = before.replace({W_EXACT: 0.42, ITEMS: 5})
    assert before == Params()
    assert (after[W_EXACT], after[ITEMS]) == (0.42, 5)
    assert after.changed_from(before) == {W_EXACT: 0.42, ITEMS: 5}
    assert before.changed_from(after) == {W_EXACT: 0.3, ITEMS: 3}
    assert after.changed_from(after) == {}


def test_equality_hash_and_pickle_go_by_value() -> None:
    one, other = Params({W_EXACT: 0.42}), Params().replace({W_EXACT: np.float64(0.42)})
    assert one == other
    assert len({one, other, Params()}) == 2
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  # our own bytes
    assert Params() != dict(Params())


def test_a_configuration_cannot_be_changed_in_place() -> None:
    params: Any = Params()
    with pytest.raises(TypeError):
        params[W_EXACT] = 0.5
    with pytest.raises(AttributeError):
        params.w_exact = 0.5
    params.as_flat()[W_EXACT] = 0.5
    assert params == Params()


@pytest.mark.parametrize(
    ("unknown", "nearest"),
    [
        ("recall.weights.w_exat", "recall.weights.w_exact"),
        ("recall.weight.w_dense", "recall.weights.w_dense"),
        ("recall.display.max_items", "recall.display.max_display_items"),
        ("views.priors.question", "views.prior.question"),
        ("max_bonus", "recall.recency.max_bonus"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(unknown: str, nearest: str) -> None:
    with pytest.raises(BadConfig, match=f"{unknown!r}; the nearest known key is {nearest}"):
        Params({unknown: 1})
    with pytest.raises(BadConfig, match=nearest):
        key_of(unknown)
    with pytest.raises(BadConfig, match=nearest):
        Params()[unknown]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (W_EXACT, 1.0000001, "0 to 1, not 1.0000001"),
        (W_EXACT, -0.01, "0 to 1, not -0.01"),
        (W_EXACT, 10**400, "0 to 1, not 1000"),
        (W_EXACT, float("nan"), "finite number from 0 to 1, not nan"),
        (W_EXACT, float("-inf"), "finite number from 0 to 1, not -inf"),
        (W_EXACT, np.float32("nan"), "finite number from 0 to 1, not nan"),
        (W_EXACT, True, "finite number from 0 to 1, not True"),
        (W_EXACT, np.bool_(True), "finite number from 0 to 1, not True"),
        (W_EXACT, "0.3", "finite number from 0 to 1, not '0.3'"),
        (W_EXACT, None, "finite number from 0 to 1, not None"),
        (W_EXACT, np.array([0.1, 0.2]), "finite number from 0 to 1, not array"),
        ("recall.recency.half_life_days", 0, "7 to 3650, not 0"),
        ("recall.recency.priority_exempt", -2, "-1 to 10, not -2"),
        (ITEMS, 3.5, "whole number from 1 to 20, not 3.5"),
        (ITEMS, np.float32(3.5), "whole number from 1 to 20, not 3.5"),
        (ITEMS, 0, "1 to 20, not 0"),
        (ITEMS, False, "finite number from 1 to 20, not False"),
        ("recall.recency.enabled", 1, "true or false, not 1"),
        ("recall.recency.enabled", "true", "true or false, not 'true'"),
        ("recall.recency.enabled", np.int64(1), "true or false, not 1"),
    ],
)
def test_a_bad_value_is_refused_with_key_value_and_rule(name: str, value: Any, said: str) -> None:
    with pytest.raises(BadConfig) as caught:
        Params({name: value})
    assert name in str(caught.value)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        (W_EXACT, np.float64(0.25), 0.25),
        (W_EXACT, np.float32(0.25), 0.25),
        (W_EXACT, np.int64(1), 1.0),
        (W_EXACT, 1, 1.0),
        (W_EXACT, -0.0, 0.0),
        (ITEMS, np.int64(4), 4),
        (ITEMS, np.float32(4), 4),
        (ITEMS, 4.0, 4),
        ("recall.recency.enabled", np.bool_(False), False),
    ],
)
def test_a_value_takes_the_type_of_its_key(name: str, value: Any, kept: Any) -> None:
    held = Params({name: value})[name]
    assert same(held, kept)
    assert repr(held) == repr(kept)


def test_numpy_is_understood_without_being_imported() -> None:
    program = (
        "import sys, workbench.params.settings, workbench.params.toml; "
        "sys.exit(bool({'numpy', 'duckdb'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "value", "snapped"),
    [
        (W_EXACT, 0.35000000000000003, 0.35),
        (W_EXACT, 1e-05, 0.0),
        (W_EXACT, -0.001, 0.0),
        (W_EXACT, np.float32(0.35), 0.35),
        (W_EXACT, 7.0, 1.0),
        (W_EXACT, -1e300, 0.0),
        ("recall.bonus.multi_view_step", 0.0155, 0.015),
        ("recall.bonus.priority_step", 0.0016, 0.002),
        ("recall.recency.half_life_days", 99.6, 100.0),
        ("recall.recency.priority_exempt", -1.4, -1),
        (ITEMS, 3.5, 4),
        ("recall.safety.max_query_chars", 204, 200),
    ],
)
def test_snap_gives_the_shortest_decimal_of_the_grid(name: str, value: float, snapped: Any) -> None:
    assert repr(snap(KEYS[name], value)) == repr(snapped)


@given(st.sampled_from(NUMERIC), st.floats(allow_nan=False, allow_infinity=False))
def test_a_snapped_value_is_allowed_near_and_stays(key: Any, value: float) -> None:
    snapped = snap(key, value)
    assert same(checked(key, snapped), snapped)
    assert same(snap(key, snapped), snapped)
    assert Decimal(repr(snapped)) % Decimal(repr(key.step)) == 0
    inside = Decimal(repr(float(min(max(value, key.low), key.high))))
    assert abs(Decimal(repr(snapped)) - inside) <= Decimal(repr(key.step)) / 2


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("name", [W_EXACT, ITEMS])
def test_snap_refuses_what_is_no_number(name: str, value: float) -> None:
    with pytest.raises(BadConfig, match="finite number"):
        snap(KEYS[name], value)


def test_bindings_name_every_value_once() -> None:
    bound = Params.default().bindings()
    assert bound == {row[1]: row[2] for row in TABLE}
    assert all(same(bound[row[1]], row[2]) for row in TABLE)


@pytest.mark.parametrize(
    ("name", "bound", "acts_as"),
    [
        ("recall.recency.max_bonus", "max_bonus", 0.04),
        ("views.weight.gist", "gist_weight", 1.0),
        ("views.weight.question", "question_weight", 1.0),
    ],
)
def test_a_zero_that_the_server_reads_as_another_value_is_bound_as_that_value(
    name: str, bound: str, acts_as: float
) -> None:
    params = Params({name: 0})
    assert params[name] == 0
    assert params.bindings()[bound] == acts_as
    assert Params({name: 0.1}).bindings()[bound] == 0.1


@pytest.mark.parametrize("name", ["recall.weights.w_dense", "views.prior.gist", "recall.display.min_display_score"])
def test_any_other_zero_is_bound_as_zero(name: str) -> None:
    assert Params({name: 0}).bindings()[KEYS[name].bound] == 0


def test_exit_codes_are_those_of_the_command_line() -> None:
    codes = {
        name: kind.exit_code
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, WorkbenchError)
    }
    assert codes == {
        "WorkbenchError": 2,
        "BadInput": 2,
        "BadConfig": 2,
        "StoreLocked": 2,
        "StoreVersion": 2,
        "Stopped": 130,
        "AnswerIsNo": 3,
        "NotEnoughEvidence": 4,
    }
