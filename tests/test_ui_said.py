"""What the workbench says in its own words, in the language of the page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from missed_log import TARGET
from streamlit.testing.v1 import AppTest
from test_ui_missed import missing
from ui_app import opened, widget, word
from worlds import world_store

from workbench import jobs
from workbench.store import writing
from workbench.ui import texts
from workbench.ui.texts.said import said, said_plainly

PAIRS = sorted((Path(str(texts.__file__)).parent / "zh").glob("said*.toml"))
NAMES = re.compile(r"\{(\w+)\}")
# Four English words in a row that no address, command or key is made of.
ENGLISH = re.compile(r"\b[A-Za-z]{2,}(?: [a-z]{2,}){3}")
OWN_TEXTS = {"query_text", "prompt", "uri", "content", "keyword", "hits", "signals"}


def left_in_english(app: AppTest) -> list[str]:
    """Sentences of the page that nobody has translated; what users wrote is left out."""
    kinds = (app.markdown, app.caption, app.info, app.success, app.warning, app.error, app.title, app.subheader)
    said = [one.value for kind in kinds for one in kind]
    for sentences in app.table:
        said += [str(one) for name in sentences.value for one in sentences.value[name]]
    for frame in app.dataframe:
        said += [str(one) for name in frame.value if name not in OWN_TEXTS for one in frame.value[name]]
    return [one for one in said if ENGLISH.search(one)]


@pytest.mark.parametrize("file", PAIRS, ids=lambda file: file.stem)
def test_both_sides_of_a_pair_hold_the_same(file: Path) -> None:
    for english, other in tomllib.loads(file.read_text("utf-8")).items():
        assert set(NAMES.findall(other)) <= set(NAMES.findall(english)), english
        assert len(set(NAMES.findall(english))) == len(NAMES.findall(english)), english


def test_no_pair_stands_twice() -> None:
    known = [english for file in PAIRS for english in tomllib.loads(file.read_text("utf-8"))]
    assert len(known) == len(set(known))


@pytest.mark.parametrize("screen", ["overview", "prompt", "review", "data", "prompts"])
def test_no_generated_sentence_is_left_in_english(screen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(world_store(900, 0.4, 3)))
    app = opened(screen, lang="zh")
    if screen == "prompt":
        box = widget(app, "selectbox", word("prompt.memory", "zh"))
        box.set_value(box.options[3]).run()
    if screen == "review":
        assert len(app.text) > 1
    assert left_in_english(app) == []


def test_advice_is_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(tmp_path / "store.duckdb", "test") as db:
        missing(db)
        jobs.follow_memories(db)
    monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "store.duckdb"))
    assert left_in_english(opened("missed", uri=TARGET, lang="zh")) == []


def test_sentences_are_translated_one_by_one_and_names_stay() -> None:
    said = "Its score is 0.1 below the threshold 0.6. It cannot reach 0.60 by weights in range."
    assert said_plainly(said, "zh") == "得分低于阈值 0.6，差 0.1。范围内的权重无法使它达到 0.60。"
    assert said_plainly("The store knows no memory at core://a {x}.", "zh") == "库中没有地址为 core://a {x} 的记忆。"
    assert said_plainly("Nobody translated this. It has no disclosure.", "zh").endswith("它没有触发条件。")
    assert said_plainly("It has no disclosure.", "en") == "It has no disclosure."


def test_commands_of_the_workbench_stand_as_code_and_nothing_else_does() -> None:
    assert said("Run `workbench embed --model e5` first.") == r"Run `workbench embed --model e5` first\."
    assert said("An address `x` of *yours*") == r"An address \`x\` of \*yours\*"
    assert "`" not in said("`workbench $x$ <b>`").replace(r"\`", "")


@pytest.mark.parametrize(
    "english",
    [
        "searched: 200 characters",
        "Files that are no table of the workbench: job_runs.parquet.",
        "memory_views.updated_at: 2 time stamps lie in the future.",
        "2 view vectors come from another embedding model than most; they are never compared with them.",
    ],
)
def test_what_an_import_and_a_cut_prompt_say_is_translated(english: str) -> None:
    assert not ENGLISH.search(said_plainly(english, "zh"))
    assert said_plainly(english, "zh") != english
