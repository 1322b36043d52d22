"""The API as one page of HTML, from its own schema."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2rem 0 0 } table { border-collapse: collapse; margin: .5rem 0 }
td { padding: .1rem 1rem .1rem 0; vertical-align: top } td:first-child { font-family: ui-monospace, monospace }
"""


def api_page(schema: Mapping[str, Any]) -> str:
    """Every operation of an OpenAPI document with what it takes."""
    title = escape(schema["info"]["title"])
    parts = [
        _operation(schema, f"{method.upper()} {path}", operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f'<h1>{title}</h1><p>{escape(schema["info"].get("description", ""))} As a document: <a href="openapi.json">'
        f"openapi.json</a>.</p>{''.join(parts)}</html>"
    )


def _operation(schema: Mapping[str, Any], name: str, operation: Mapping[str, Any]) -> str:
    rows = [
        (parameter["name"], parameter["schema"], parameter.get("required", False))
        for parameter in operation.get("parameters", ())
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    shape = schema["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], {})
    rows += [(field, part, field in shape.get("required", ())) for field, part in shape.get("properties", {}).items()]
    cells = "".join(
        "<tr>" + "".join(f"<td>{cell}" for cell in (
            escape(field), _type(part), "needed" if needed else "", escape(part.get("description", "")),
        ))
        for field, part, needed in rows
    )  # fmt: skip
    return f"<h2>{escape(name)}</h2><p>{escape(operation.get('description', ''))}</p><table>{cells}</table>"


def _type(part: Mapping[str, Any]) -> str:
    kinds = [one.get("type", "") for one in part.get("anyOf", [part]) if one.get("type") != "null"]
    return escape(", ".join([*kinds, *map(str, part.get("enum", ()))]))
