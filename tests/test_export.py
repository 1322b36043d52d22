"""Configuration leaving as TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadConfig, BadInput
from workbench.export import Proposal, export_into, export_to, proposal_of, toml_text
from workbench.params import KEYS, Key, Params, Value, snap
from workbench.params.keys import ZERO_ACTS_AS_DEFAULT
from workbench.params.toml import read_toml

CURRENT = Params()
CHANGED = CURRENT.replace({"recall.weights.w_exact": 0.35, "recall.display.max_display_items": 2})
PROPOSAL = Proposal(CHANGED, CURRENT, ["Study x: safe to try.", "two\nlines"])


RESULT: dict[str, Any] = {
    "study": "spring",
    "verdict": "safe to try",
    "feasible": True,
    "reasons": ["Held-out prompts: 0 of 22 used memories lost."],
    "current": CURRENT.as_flat(),
    "config": CHANGED.as_flat(),
    "split": {"train_prompts": 700, "holdout_prompts": 300, "train_used": 51, "holdout_used": 22},
    "data": {"first_day": "2026-03-01", "last_day": "2026-04-12"},
}


def values(key: Key) -> st.SearchStrategy[Value]:
    """Any value of a key that may be exported."""
    low = max(key.low, key.step) if key.name in ZERO_ACTS_AS_DEFAULT else key.low
    if key.kind is bool:
        return st.booleans()
    if key.kind is int:
        return st.integers(int(key.low), int(key.high))
    return st.floats(low, key.high)


CONFIGS = st.fixed_dictionaries({}, optional={name: values(key) for name, key in KEYS.items()}).map(Params)


def test_case_36_what_is_exported_reads_back_equal(tmp_path: Path) -> None:
    for changed_only in (True, False):
        export_to(PROPOSAL, tmp_path / "out.toml", changed_only)
        assert read_toml(tmp_path / "out.toml") == CHANGED


def test_only_changed_keys_are_written_when_asked() -> None:
    text = toml_text(PROPOSAL, changed_only=True)
    values = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    assert values == ["w_exact = 0.35", "max_display_items = 2"]
    assert text.startswith("# Study x: safe to try.\n# two\n# lines\n")


def test_the_inverse_undoes_the_change(tmp_path: Path) -> None:
    export_to(PROPOSAL.inverse, tmp_path / "undo.toml", changed_only=True)
    assert read_toml(tmp_path / "undo.toml") == CURRENT
    assert PROPOSAL.inverse.changed == PROPOSAL.changed


def test_case_37_a_file_of_the_team_keeps_everything_else(tmp_path: Path) -> None:
    file = tmp_path / "team.toml"
    before = (
        '# why: see the minutes\r\n[recall.weights]\r\nw_exact = 0.3 # chosen in May\r\n\r\n[team]\r\nname = "a"\r\n'
    )
    file.write_bytes(before.encode())
    assert export_into(PROPOSAL, file) == ["recall.weights.w_exact", "recall.display.max_display_items"]
    after = file.read_bytes().decode()
    assert "w_exact = 0.35 # chosen in May\r\n" in after
    assert "# why: see the minutes\r\n" in after
    assert '[team]\r\nname = "a"\r\n' in after
    assert (tmp_path / "team.toml.bak").read_bytes().decode() == before


@given(CONFIGS, CONFIGS, st.booleans())
def test_case_36_any_configuration_reads_back_equal_types_included(
    tmp_path_factory: pytest.TempPathFactory, proposed: Params, current: Params, inverse: bool
) -> None:
    proposal = Proposal(proposed, current)
    proposal = proposal.inverse if inverse else proposal
    out = tmp_path_factory.getbasetemp() / "random.toml"
    export_to(proposal, out, changed_only=False)
    read = read_toml(out)
    assert read == proposal.params
    assert [type(value) for value in read.values()] == [type(value) for value in proposal.params.values()]
    if current == Params():
        export_to(Proposal(proposed, current), out, changed_only=True)
        assert read_toml(out) == proposed


def test_case_36_tuned_values_lie_on_their_steps_and_others_stay_exact() -> None:
    current = CURRENT.replace({"recall.weights.w_dense": 0.3123})
    tuned = current.replace({"recall.weights.w_exact": 0.35000000000000003, "recall.bonus.priority_step": 0.0119999})
    proposal = proposal_of({**RESULT, "current": current.as_flat(), "config": tuned.as_flat()})
    assert proposal.params["recall.weights.w_exact"] == 0.35
    assert proposal.params["recall.bonus.priority_step"] == 0.012
    assert proposal.params["recall.weights.w_dense"] == 0.3123
    assert all(proposal.params[name] == snap(KEYS[name], proposal.params[name]) for name in proposal.changed)


def test_case_36_a_zero_that_switches_nothing_off_is_not_exported(tmp_path: Path) -> None:
    off = Proposal(CURRENT.replace({"recall.recency.max_bonus": 0.0}), CURRENT)
    with pytest.raises(BadConfig, match=r"recall\.recency\.enabled = false"):
        export_to(off, tmp_path / "out.toml", changed_only=True)
    assert list(tmp_path.iterdir()) == []


def test_case_34_a_study_without_a_feasible_trial_is_not_exported() -> None:
    with pytest.raises(BadInput, match="study spring found no configuration within its limits"):
        proposal_of({**RESULT, "feasible": False})


def test_the_comment_says_the_verdict_the_counts_and_the_days() -> None:
    comment = proposal_of(RESULT).comment
    assert comment == [
        "Study spring: safe to try.",
        "Held-out prompts: 0 of 22 used memories lost.",
        "Data: prompts from 2026-03-01 to 2026-04-12; trained on 700 with 51 used memories, held out 300 with 22.",
    ]


def test_a_study_that_keeps_the_present_values_says_so() -> None:
    kept = proposal_of({**RESULT, "verdict": "keep current", "config": CURRENT.as_flat()})
    assert kept.changed == []
    assert list(kept.comment[:2]) == [
        "Study spring: keep current.",
        "These are the values in force when it was tuned: nothing is changed.",
    ]
    assert "=" not in toml_text(kept, changed_only=True)


def test_an_inverse_names_the_study_that_it_undoes() -> None:
    undo = proposal_of(RESULT).inverse
    assert list(undo.comment) == ["Undoes the study spring: the values that were in force before."]
    assert undo.params == CURRENT


def test_case_37_a_change_and_its_inverse_leave_a_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "team.toml"
    before = "# ours\n[recall.weights]\nw_exact = 0.3 # May\n[recall.display]\nmax_display_items = 3\n"
    file.write_text(before, encoding="utf-8")
    proposal = proposal_of(RESULT)
    assert export_into(proposal, file) == proposal.changed
    assert read_toml(file) == CHANGED
    assert export_into(proposal.inverse, file) == proposal.changed
    assert file.read_text(encoding="utf-8") == before
    assert export_into(proposal.inverse, file) == []
