"""The words of the app in each language; one file a page, `<language>/<page>.toml`, read as `page.key`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.ui import kept
from workbench.ui.literal import literal

LANGUAGES = {"en": "English", "zh": "中文"}
GENERATED = "said"
_FOLDER = Path(__file__).parent


def language() -> str:
    """The language of this session, one of LANGUAGES: as chosen, else that of the browser, else English."""
    return kept.value(kept.LANGUAGE, browser_language(), lambda one: one in LANGUAGES)


def browser_language() -> str:
    """The language that the browser asks for, where there are texts in it; else English."""
    code = (st.context.locale or "en").partition("-")[0].lower()
    return code if code in LANGUAGES else "en"


def t(key: str, **values: Any) -> str:
    """The text `key` as Markdown, with `values` put in; text among them is shown literally."""
    safe = {name: literal(value) if isinstance(value, str) else value for name, value in values.items()}
    return plain(key, **safe)


def plain(key: str, **values: Any) -> str:
    """The text `key` for places that know no Markdown: cells, charts, names of files."""
    found = texts(language())[key]
    text: str = found["one" if values.get("count") == 1 else "many"] if isinstance(found, Mapping) else found
    return text.format(**values) if values else text


@cache
def texts(code: str) -> dict[str, Any]:
    """All texts of a language: a string, or {one, many} where the value `count` decides."""
    files = sorted(file for file in (_FOLDER / code).glob("*.toml") if not file.stem.startswith(GENERATED))
    read = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}
    return {f"{page}.{key}": text for page, held in read.items() for key, text in held.items()}
