"""Lines of transcripts of agents, as they stand in the files of Claude Code and Codex, and rows out of a store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.importers import ImportOptions, load
from workbench.store import Database

START = "2026-12-01T10:00:00Z"
AGENT_TABLES = ("agent_prompts", "agent_recalls", "agent_searches", "agent_opens")


def at(seconds: float) -> str:
    """A time stamp so long after ten o'clock."""
    minutes, rest = divmod(seconds, 60)
    return f"2026-12-01T10:{int(minutes):02}:{rest:06.3f}Z"


def block(*uris: str, session: str | None = None, query: str | None = None) -> str:
    """A recall block as the server writes it."""
    named = {"session_id": session, "query_id": query, "phase": "prompt"}
    attributes = " ".join(f'{name}="{value}"' for name, value in named.items() if value)
    rows = [f"0.{80 - place} | {uri} | one cue · another" for place, uri in enumerate(uris)]
    return "\n".join([f"<recall {attributes}>", *rows, "</recall>"])


class Claude:
    """Lines of one session of Claude Code, each a second after the one before."""

    def __init__(self, session: str = "agent-1", start: float = 0) -> None:
        self.session, self.now, self.lines = session, start, list[str]()

    def line(self, kind: str, **fields: Any) -> None:
        """Any line."""
        number = len(self.lines)
        row = {"type": kind, "uuid": f"{self.session}-{number}", "sessionId": self.session, "timestamp": at(self.now)}
        self.lines.append(json.dumps(row | fields, ensure_ascii=False))
        self.now += 1

    def user(self, content: object, **fields: Any) -> None:
        """A message of the user's side."""
        self.line("user", message={"role": "user", "content": content}, **fields)

    def told(self, text: str) -> None:
        """What a hook adds to a prompt."""
        self.line("attachment", attachment={"type": "hook_additional_context", "content": [text]})

    def call(self, call_id: str, tool: str, **given: Any) -> None:
        """A call of a tool of Lore."""
        use = {"type": "tool_use", "id": call_id, "name": f"mcp__plugin_lore_lore__{tool}", "input": given}
        self.line("assistant", message={"role": "assistant", "content": [use]})

    def answer(self, call_id: str, text: str, *, is_error: bool = False) -> None:
        """The answer of a tool."""
        result = {"type": "tool_result", "tool_use_id": call_id, "content": [{"type": "text", "text": text}]}
        self.user([result | ({"is_error": True} if is_error else {})])

    def opened(self, call_id: str, uri: str, **given: Any) -> None:
        """A memory that was opened and returned."""
        self.call(call_id, "lore_get_node", uri=uri, **given)
        self.answer(call_id, f"URI: {uri}\nNode UUID: 1b1dbfcf")

    def searched(self, call_id: str, query: str, *uris: str) -> None:
        """A search and what it returned."""
        self.call(call_id, "lore_search", query=query)
        self.answer(call_id, json.dumps({"results": [{"uri": uri, "content": "see core://quoted"} for uri in uris]}))


class Codex:
    """Items of one session of Codex, each a second after the one before."""

    def __init__(self, session: str = "codex-1", start: float = 0) -> None:
        self.now, self.lines = start, list[str]()
        self.line("session_meta", id=session, cwd="/work")

    def line(self, kind: str, **payload: Any) -> None:
        """Any line."""
        self.lines.append(json.dumps({"timestamp": at(self.now), "type": kind, "payload": payload}, ensure_ascii=False))
        self.now += 1

    def forks(self, other: Codex) -> None:
        """The session goes on from where another one stands: it copies all of it under the present time."""
        stamp = at(self.now)
        self.lines += [json.dumps(json.loads(line) | {"timestamp": stamp}, ensure_ascii=False) for line in other.lines]
        self.now += 60

    def says(self, text: str) -> None:
        """The agent's answer."""
        self.line("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": text}])

    def user(self, text: str, *, event: bool = True) -> None:
        """A prompt: an item, and the event that says the same."""
        content = [{"type": "input_text", "text": text}]
        self.line("response_item", type="message", role="user", content=content)
        if event:
            self.line("event_msg", type="user_message", message=text)

    def told(self, text: str) -> None:
        """What a hook adds to a prompt."""
        content = [{"type": "input_text", "text": text}]
        self.line("response_item", type="message", role="developer", content=content)

    def call(self, call_id: str, tool: str, **given: Any) -> None:
        """A call of a tool of Lore."""
        self.line(
            "response_item",
            type="function_call",
            name=f"mcp__lore__{tool}",
            arguments=json.dumps(given),
            call_id=call_id,
        )

    def answer(self, call_id: str, output: object) -> None:
        """The answer of a tool."""
        self.line("response_item", type="function_call_output", call_id=call_id, output=output)

    def opened(self, call_id: str, uri: str, **given: Any) -> None:
        """A memory that was opened and returned."""
        self.call(call_id, "lore_get_node", uri=uri, **given)
        self.answer(call_id, json.dumps([{"type": "text", "text": f"URI: {uri}"}]))


def written(folder: Path, lines: Sequence[str], name: str = "project/agent-1.jsonl") -> Path:
    """The file `name` of `folder` with these lines."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    return path


def taken(db: Database, source: Path, **options: Any) -> dict[str, Any]:
    """The report of an import of `source`."""
    return load(db, str(source), ImportOptions(**options)).as_json()


def held(db: Database, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """Columns of a table of what agents did, by key."""
    return db.rows(f"SELECT {', '.join(columns)} FROM wb.{table} ORDER BY 1, 2")


def added(report: Mapping[str, Any]) -> dict[str, int]:
    """How many rows of each table an import added, by the name without agent_."""
    return {
        name.removeprefix("agent_"): counts["added"] for name, counts in report["tables"].items() if counts["added"]
    }


def everything(db: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of what agents did."""
    return {table: db.rows(f"SELECT * FROM wb.{table} ORDER BY ALL") for table in AGENT_TABLES}
