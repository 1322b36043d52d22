"""The words of the app: the same in each language, all of them used, none of them missing."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from studies import finished_study

from workbench import charts, ui
from workbench.metrics import standard_measures
from workbench.params import KEYS
from workbench.replay.parity import CAUSES
from workbench.tune import load_result, studies_folder
from workbench.ui.texts import LANGUAGES, texts
from workbench.ui.texts.said import said_plainly

UI, CHARTS = Path(str(ui.__file__)).parent, Path(str(charts.__file__)).parent
OTHERS = [code for code in LANGUAGES if code != "en"]
WORDS = "charts.words"
# Taken from what the app is made of: pages, parameters of the frame.
NAMED = re.compile(r"^(?:\w+\.title|frame\.(?:look|change|store))$")


def calls() -> Iterator[ast.expr]:
    """The first argument of every call of t and plain."""
    for file in UI.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("t", "plain"):
                yield node.args[0]


def patterns() -> list[str]:
    """What keys the app asks for, as regular expressions: `{…}` in a key may be any word."""
    found = []
    for key in calls():
        for one in (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,):
            if isinstance(one, ast.JoinedStr):
                parts = [
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+" for part in one.values
                ]
                found.append("".join(parts))
            elif isinstance(one, ast.Constant):
                found.append(re.escape(str(one.value)))
    return found


def placeholders(text: Any) -> set[str]:
    whole = " ".join(text.values()) if isinstance(text, Mapping) else text
    return {name for _, name, _, _ in string.Formatter().parse(whole) if name}


@pytest.mark.parametrize("code", OTHERS)
def test_each_language_has_the_same_keys_and_placeholders(code: str) -> None:
    english, other = texts("en"), texts(code)
    assert set(english) == set(other) - {WORDS}
    assert {key: placeholders(text) for key, text in english.items()} == {
        key: placeholders(other[key]) for key in english
    }


def test_every_key_is_used_and_every_use_has_a_key() -> None:
    wanted, known = patterns(), set(texts("en"))
    assert len(wanted) > 50
    unused = [key for key in known if not NAMED.match(key) and not any(re.fullmatch(one, key) for one in wanted)]
    assert unused == []
    assert [one for one in wanted if not any(re.fullmatch(one, key) for key in known)] == []


@pytest.mark.parametrize("code", OTHERS)
def test_the_words_of_charts_are_words_of_charts(code: str) -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in CHARTS.glob("*.py"))
    assert [word for word in texts(code)[WORDS] if word not in sources and word.replace(" ", "_") not in sources] == []


@pytest.mark.parametrize("code", OTHERS)
def test_no_text_is_left_in_english(code: str) -> None:
    alike = {key for key, text in texts("en").items() if texts(code)[key] == text}
    assert alike == set()


def test_a_sentence_that_no_pair_knows_stays_as_it_is() -> None:
    assert said_plainly("Nobody says this. Nor this.", "zh") == "Nobody says this. Nor this."


def test_what_a_run_says_is_said_in_chinese() -> None:
    result = load_result(studies_folder(finished_study()), "study")
    sentences = [*result["reasons"], *result["redundant"], *CAUSES, *(key.help for key in KEYS.values())]
    sentences += [key.unit for key in KEYS.values()]
    sentences += [one.name.replace("_", " ") for one in standard_measures() if not re.search("@|MRR", one.name)]
    assert [one for one in sentences if not re.search("[\u4e00-\u9fff]", said_plainly(one, "zh"))] == []
    with_english = [one for one in sentences if re.search("[a-z]{4}", said_plainly(one, "zh"))]
    assert with_english == []
