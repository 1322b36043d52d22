"""User text on its way out: shown literally, never run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.output import cell, percent, table
from workbench.text import cells, counted, csv_cell, shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cost $5 or $7", "cost $5 or $7"),
        ("email:dev@host", "email:dev@host"),
        ("[x] (y)", "[x] (y)"),
        ("<b>hi</b>", "<b>hi</b>"),
        ("a\x00b", "a␀b"),
        ("ab\u202ecd", "ab‹202E›cd"),
        ("one\ntwo", "one⏎two"),
        ("half \ud800 pair", "half ‹D800› pair"),
    ],
)
def test_case_23_text_is_shown_literally(text: str, said: str) -> None:
    assert shown(text) == said


def test_case_23_direction_marks_cannot_reorder_the_columns() -> None:
    text = table(("a", "b"), [("שלום\u202e", 1), ("core://" + "x" * 300, 22)])
    lines = text.splitlines()
    assert "\u202e" not in text
    assert [line.split()[-1] for line in lines[2:]] == ["1", "22"]
    assert "…" in lines[3]


@given(st.text(max_size=80), st.integers(min_value=2, max_value=40))
def test_shown_text_is_one_line_of_the_asked_width(text: str, width: int) -> None:
    said = shown(text, width)
    assert cells(said) <= width
    assert not any(character in said for character in "\n\r\t\x00\u202e\u2066")


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1+1", "-1+1", "@x", "＝1", "\t=1"])
def test_case_45_a_spreadsheet_runs_nothing(text: str) -> None:
    assert csv_cell(text) == "'" + text


@pytest.mark.parametrize("text", ["9007199254740993", "-1", "-0.5", "plain", ""])
def test_case_45_ids_and_numbers_stay_as_they_are(text: str) -> None:
    assert csv_cell(text) == text


def test_absent_figures_are_no_data_and_never_zero() -> None:
    assert (cell(None), cell(float("nan")), percent(None)) == ("no data",) * 3
    assert (cell(0), percent(0.0), cell(True)) == ("0", "0.0 %", "yes")


def test_one_thing_is_counted_in_the_singular() -> None:
    assert [counted(number, "prompt") for number in (0, 1, 2000)] == ["0 prompts", "1 prompt", "2,000 prompts"]
    assert [counted(number, "memory", "memories") for number in (1, 2)] == ["1 memory", "2 memories"]
