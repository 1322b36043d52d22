"""The command search: lore_search over the store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from workbench.cli.engine import Model, TokenizerName
from workbench.cli.options import Db, Json, opened
from workbench.cli.output import emit, say, table
from workbench.embed.live import query_vector
from workbench.errors import BadInput, WorkbenchError
from workbench.replay.engine import engine_model
from workbench.replay.tokenizers import AUTO, chosen
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.nearest import Floats
from workbench.search import MODES, Documents, search
from workbench.store import Database
from workbench.text import shown, trimmed
from workbench.textsearch import tokenizer as tokenizer_named


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("search")(search_command)


def search_command(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    mode: Annotated[str, typer.Option(help=f"{', '.join(MODES)}.")] = "hybrid",
    domain: Annotated[str | None, typer.Option(help="Only addresses of this domain.")] = None,
    limit: Annotated[int, typer.Option(help="How many results, 1 to 100.")] = 10,
    content_limit: Annotated[int, typer.Option(help="How many results come with their whole content.")] = 5,
    tokenizer: TokenizerName = AUTO,
    model: Model = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Search the memories by words, by meaning, or both."""
    if mode not in MODES:
        raise BadInput(f"Unknown mode {mode!r}; choose from {', '.join(MODES)}.")
    with opened(db) as (database, settings):
        name = chosen(database).name if tokenizer == AUTO else tokenizer
        used = engine_model(database, model) if mode != "keyword" else None
        vector = _vector(database, used, trimmed(query), mode) if mode != "keyword" else None
        corpus = load_corpus(database, tokenizer_named(name), used)
        found = search(
            corpus, Documents.of(corpus), settings, query, datetime.now(UTC), mode=mode, vector=vector, domain=domain,
            limit=limit, content_limit=content_limit,
        ).as_json()  # fmt: skip
    emit(found, json, _search_text(found))


def _vector(db: Database, model: str | None, text: str, mode: str) -> Floats | None:
    """The query's vector; a search by words too goes on without one, a search by meaning alone cannot."""
    try:
        vector = query_vector(db, model, text) if model else None
        missing = f"There is no vector of {model} for the query" if model else "No text of the store is embedded"
    except WorkbenchError as error:
        vector, missing = None, str(error).removesuffix(".")
    if vector is None and mode == "semantic" and text:
        raise BadInput(f"{missing}; run `workbench embed`, or search with --mode keyword.")
    if vector is None and text:
        say(f"{missing}: searching by words alone.")
    return vector


def _search_text(found: dict[str, Any]) -> str:
    if not found["results"]:
        return "Nothing was found."
    rows = [
        (place, result["score_display"], result["uri"], " · ".join(result["cues"][:3]), ", ".join(result["matched_on"]))
        for place, result in enumerate(found["results"], 1)
    ]
    parts = [table(("", "score", "memory", "cues", "matched on"), rows, width=60)]
    parts += [f"{result['uri']}\n  {shown(result['snippet'], 300)}" for result in found["results"] if result["snippet"]]
    return "\n\n".join(parts)
