"""SQL stages from `sql/`, composed into one statement."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

# Strings, quoted names and comments come first, so that a $ inside them names nothing.
_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | \$\$.*?\$\$ | (?<![\w$])\$([A-Za-z_]\w*)""",
    re.DOTALL | re.VERBOSE,
)

Stage = str | tuple[str, str]


@cache
def sql_text(stage: str) -> str:
    """The text of `sql/<stage>.sql` without its header comment; `stage` may contain a folder."""
    text = resources.files("workbench").joinpath("sql", *f"{stage}.sql".split("/")).read_text(encoding="utf-8")
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line and not line.startswith("--"))
    return "\n".join(lines[first:])


def compose(stages: Sequence[Stage], select: str = "SELECT * FROM {last}") -> str:
    """One WITH statement: a stage `score` becomes the CTE `score` with the text of score.sql (the file stem names it);
    a pair (name, sql) is an inline CTE. `{last}` in `select` stands for the last stage."""
    parts = []
    name = ""
    for stage in stages:
        name, text = stage if isinstance(stage, tuple) else (stage.rpartition("/")[2], sql_text(stage))
        parts.append(f"{name} AS (\n{text}\n)")
    return "WITH " + ",\n".join(parts) + "\n" + select.replace("{last}", name)


def bound_values(sql: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Those of `params` that `sql` names; DuckDB refuses superfluous ones. KeyError when one is missing."""
    given = params or {}
    names = parameters(sql)
    if missing := [name for name in names if name not in given]:
        raise KeyError(f"the statement names ${missing[0]}, but only {sorted(given)} are given")
    return {name: given[name] for name in names}


@lru_cache(maxsize=512)
def parameters(sql: str) -> tuple[str, ...]:
    """The names that stand as `$name` in `sql`, outside strings, quoted names and comments."""
    return tuple(dict.fromkeys(match[1] for match in _TOKEN.finditer(sql) if match[1]))
