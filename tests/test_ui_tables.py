"""Tables of the app: what a page shows and what files hold."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow.parquet as pq
from streamlit.testing.v1 import AppTest

from workbench.ui.tables import as_csv, as_json, as_parquet, interval, percent

ROWS: list[dict[str, Any]] = [
    {
        "id": "9007199254740993",
        "text": "=HYPERLINK(1)",
        "uris": ["core://a"],
        "rate": 0.5,
        "day": "2026-03-01T20:00:11",
    },
    {"id": "007", "text": "记忆 🧠\u202e", "uris": [], "rate": None, "day": None},
    {"id": "1e5", "text": "-1+1", "uris": ["＝1"], "rate": 0.25, "day": "2026-03-02 20:00:11"},
]
NAMES = list(ROWS[0])


def test_case_45_a_csv_runs_nothing_and_is_marked() -> None:
    content = as_csv(ROWS, NAMES)
    assert content.startswith(b"\xef\xbb\xbf")
    lines = content.decode("utf-8-sig").splitlines()
    assert lines[1] == '9007199254740993,\'=HYPERLINK(1),"[""core://a""]",0.5,2026-03-01T20:00:11'
    assert lines[2].startswith("007,记忆 🧠")
    assert lines[3].startswith("1e5,'-1+1,")


def test_case_45_json_and_parquet_hold_the_original() -> None:
    assert json.loads(as_json(ROWS, NAMES)) == ROWS
    assert pq.read_table(io.BytesIO(as_parquet(ROWS, NAMES))).to_pylist() == ROWS


def test_an_empty_table_is_a_file_with_its_columns() -> None:
    assert as_csv([], NAMES).decode("utf-8-sig").splitlines() == [",".join(NAMES)]
    assert pq.read_table(io.BytesIO(as_parquet([], NAMES))).column_names == NAMES


def test_what_is_not_known_is_no_data() -> None:
    assert (percent(None), percent(0.0), percent(0.1234)) == ("no data", "0.0 %", "12.3 %")
    assert (interval(None), interval((0.1, 0.25))) == ("no data", "10.0 – 25.0 %")


def _page() -> None:
    from test_ui_tables import ROWS

    from workbench.ui.tables import Column, table

    kinds = {"id": "text", "text": "text", "uris": "text", "rate": "percent", "day": "time"}
    table(ROWS, [Column(name, name, kind) for name, kind in kinds.items()], "rows")  # type: ignore[arg-type]


def _prose_page() -> None:
    from workbench.ui.tables import Column, prose

    rows = [{"why": "see `workbench missed`; $5 *a*", "count": 1234, "known": True}]
    columns = [Column("why", "Why"), Column("count", "Count", "count"), Column("known", "Known", "yes")]
    prose(rows, columns, "reasons")


def test_sentences_stand_in_full_with_commands_as_code() -> None:
    app = AppTest.from_function(_prose_page).run()
    assert not app.exception
    ((why, count, known),) = app.table[0].value.to_numpy().tolist()
    assert why == r"see `workbench missed`; \$5 \*a\*"
    assert (count, known) == ("1,234", "yes")
    assert [button.label for button in app.download_button] == ["CSV", "JSON", "PARQUET"]


def _blank_page() -> None:
    from workbench.ui.tables import Column, table

    rows = [{"score": 0.5, "rate": None}, {"score": None, "rate": 0.25}]
    score = Column("score", "Score", said=lambda one: f"{one:.6f}", blank=True)
    table(rows, [score, Column("rate", "Rate", "percent")], "rows")


def test_what_does_not_apply_is_blank_and_not_no_data() -> None:
    shown = AppTest.from_function(_blank_page).run().dataframe[0].value
    assert shown["score"].tolist() == ["0.500000", ""]
    assert shown["rate"].isna().tolist() == [True, False]


def _empty_page() -> None:
    from workbench.ui.tables import Column, pick, table

    columns = [Column("uri", "Memory")]
    table([], columns, "rows")
    assert pick([], columns, "choice", "uri") is None


def test_a_table_without_rows_says_so() -> None:
    app = AppTest.from_function(_empty_page).run()
    assert not app.exception
    assert [one.value for one in app.caption] == ["There are no rows."] * 2
    assert not app.dataframe


def test_case_23_a_page_shows_text_on_one_line_and_numbers_by_their_kind() -> None:
    app = AppTest.from_function(_page).run()
    assert not app.exception
    shown = app.dataframe[0].value
    assert shown["id"].tolist() == ["9007199254740993", "007", "1e5"]
    assert shown["text"].tolist() == ["=HYPERLINK(1)", "记忆 🧠‹202E›", "-1+1"]
    assert shown["rate"].tolist()[0] == 50
    assert shown["day"].tolist()[::2] == ["2026-03-01 20:00", "2026-03-02 20:00"]
    assert [button.label for button in app.download_button] == ["CSV", "JSON", "PARQUET"]
