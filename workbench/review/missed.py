"""Memories that were often missed: how often, for whom, at which stage they were lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

from workbench.errors import BadInput
from workbench.judge.labels import HAND_LABELS
from workbench.metrics.shrinkage import Prior
from workbench.replay.selection import Selection
from workbench.retrieve.models import imported_model
from workbench.review.advice import settings_advice
from workbench.review.counsel import counsel, not_tried, simulator
from workbench.review.edits import Fix
from workbench.review.estimated import write_estimates
from workbench.review.evidence import GRADES
from workbench.review.fixes import Effect
from workbench.review.found import Memory, Missed
from workbench.review.ground import Ground, Review
from workbench.review.lists import lists
from workbench.review.reasons import Bounds, other_letters, sentence, signal_reasons
from workbench.review.stages import STAGED, Staging
from workbench.store import Database, compose, sql_text

Row = Mapping[str, Any]
_PROMPT_CHARS = 300


class Look:
    """A look for misses in the prompts of a selection.

    `needed` are (node, missed, helped) of every memory that a prompt needed, most often missed first; each miss has
    exactly one stage.
    """

    def __init__(self, ground: Ground, selection: Selection, *, boot: bool | None = None) -> None:
        """Find the misses and what lost each; `boot` in place of the ground's."""
        db = self.db = ground.db
        review = self.review = ground.review if boot is None else replace(ground.review, boot=boot)
        ground.write_missed(selection)
        estimated = write_estimates(db, review.settings.in_force, ground.evidence) if review.estimated else None
        self._seen = dict(db.arrow(compose((*HAND_LABELS, "review/seen"))).to_pylist()[0])
        self._estimate = estimated and estimated.as_json()
        depth = ground.write_stages()
        self._staging = Staging.of(db, depth) if depth else None
        self.needed: list[tuple[str, int, int]] = (
            db.rows(sql_text("review/opportunities"), {"boot": review.boot}) if depth else []
        )
        self._not_tried = not_tried(db, review.model)
        self._try = None if self._not_tried else simulator(review.simulator(db))

    def node_of(self, uri: str) -> str | None:
        """The missed memory that stands, or stood, at `uri`."""
        found = self._chosen(None, uri)
        return found[0][0] if found else None

    def effect(self, fix: Fix, node: str) -> Effect | None:
        """What `fix` of the memory `node` would change; None where no fix can be tried."""
        return self._try(fix, node) if self._try else None

    def memories(self, limit: int | None = None, uri: str | None = None) -> list[Memory]:
        """The `limit` most often missed ones, with `uri` the one that stands, or stood, there: with their misses one by
        one and with advice, fixes being tried for the first `fixes`."""
        chosen = self._chosen(limit, uri)
        if self._staging is None or not chosen:
            return []
        bounds = Bounds.of(self.review.settings.params, self._staging.depth.row_limit)
        return self._advised(chosen, self._rows(chosen, "*"), bounds)

    def outlines(self, limit: int | None = None) -> list[Memory]:
        """The same without advice; of each miss only when, whose, what speaks for it and its stage."""
        chosen = self._chosen(limit, None)
        columns = ", ".join(("node", "uris", "now AS at", "client", "stage", *GRADES))
        rows = self._rows(chosen, columns) if self._staging else {}
        return [self._memory(one, rows[one[0]][-1]["uris"], [_outlined(row) for row in rows[one[0]]]) for one in chosen]

    def document(self, memories: Sequence[Memory], more: Mapping[str, Any]) -> Missed:
        """All of it, with these memories and with `more` entries (lists)."""
        more = {**more, "estimate": self._estimate}
        if self._staging is None:
            return Missed(self._seen, 0, 0, 0, {}, [], lists=more)
        counts = dict(self.db.rows(f"SELECT stage, count(*) FROM {STAGED} GROUP BY 1"))
        left_out = 0 if self.review.boot else counts.pop("boot", 0)
        # Where the display of then had fewer places than that of now, those of now are no gap.
        shared = self.db.arrow(
            "SELECT node, CASE WHEN stage = 'crowded_out' AND fewer_places THEN 'fewer_places' ELSE stage END AS stage,"
            f" below_by FROM {STAGED} WHERE stage <> 'boot'"
        ).to_pylist()
        more |= {"settings_advice": settings_advice(shared), "fixes_not_tried": self._not_tried}
        total, models = sum(counts.values()), (self.review.model, imported_model(self.db))
        found = len(self._chosen(None, None))
        return Missed(self._seen, found, total, left_out, counts, memories, self._staging, *models, more)

    @cached_property
    def _prior(self) -> Prior | None:
        return Prior.of([(count, count + helped) for _, count, helped in self.needed])

    def _chosen(self, limit: int | None, uri: str | None) -> list[tuple[str, int, int]]:
        found = [one for one in self.needed if one[1]]
        if uri is None:
            return found[:limit]
        nodes = {node for (node,) in self.db.rows(
            f"SELECT node FROM {STAGED} WHERE uri = $uri OR list_contains(uris, $uri) OR candidate = $uri", {"uri": uri}
        )} if found else set()  # fmt: skip
        return [one for one in found if one[0] in nodes]

    def _rows(self, chosen: Sequence[tuple[str, int, int]], columns: str) -> dict[str, list[dict[str, Any]]]:
        """The misses of each chosen node, oldest first."""
        by_node: dict[str, list[dict[str, Any]]] = {node: [] for node, _, _ in chosen}
        rows = self.db.arrow(
            f"SELECT {columns} FROM {STAGED} WHERE list_contains($nodes::VARCHAR[], node)"
            " AND (stage <> 'boot' OR $boot) ORDER BY now, query_id",
            {"nodes": list(by_node), "boot": self.review.boot},
        )
        for row in rows.to_pylist():
            by_node[row["node"]].append(row)
        return by_node

    def _advised(
        self, chosen: Sequence[tuple[str, int, int]], rows: Mapping[str, Sequence[Row]], bounds: Bounds
    ) -> list[Memory]:
        review, memories = self.review, []
        for number, one in enumerate(chosen):
            own = rows[one[0]]
            review.progress(number, len(chosen), "trying fixes")
            tried = self._try if number < review.fixes else None
            found = counsel(self.db, review.settings, review.model, own, tried)
            misses = [_miss(row, review, bounds) for row in own]
            memory = self._memory(one, own[-1]["uris"], misses)
            memories.append(replace(memory, advice=found.advice, reach=found.reach))
        return memories

    def _memory(self, one: tuple[str, int, int], uris: Sequence[str], misses: Sequence[dict[str, Any]]) -> Memory:
        node, count, helped = one
        return Memory(node, uris, count, helped, *_shrunk(self._prior, count, helped), misses)


def missed(
    db: Database, selection: Selection, review: Review, limit: int | None = 20, uri: str | None = None
) -> Missed:
    """The memories that the prompts of `selection` missed, the `limit` most often missed ones; with `uri` the one that
    stands, or stood, there.

    Leaves the temporary tables misses and staged_misses. Each miss has exactly one stage. Raises BadInput for a `uri`
    of which nothing in the store speaks.
    """
    expect_known(db, uri)
    look = Look(Ground(db, review), selection)
    more = {} if uri is not None else lists(db, review.tokenizer, limit)
    return look.document(look.memories(limit, uri), more)


def expect_known(db: Database, uri: str | None) -> None:
    """Refuse an address of which nothing in the store speaks."""
    if uri is not None and not db.rows(sql_text("review/known"), {"uri": uri}):
        raise BadInput(f"The store knows no memory at {uri}; `workbench search` finds addresses.")


def _shrunk(prior: Prior | None, missed: int, helped: int) -> tuple[float | None, list[float] | None]:
    if prior is None:
        return None, None
    found = prior.shrink(missed, missed + helped)
    return found.rate, found.interval.as_json()


def _outlined(row: Row) -> dict[str, Any]:
    return {
        "at": _iso(row["at"]),
        "client": row["client"],
        "stage": row["stage"],
        "evidence": {grade: row[grade] for grade in GRADES},
    }


def _miss(row: Row, review: Review, bounds: Bounds) -> dict[str, Any]:
    """One missed prompt as it stands in the document."""
    text = row["query_text"]
    return {
        "query_id": row["query_id"] if row["logged"] else None,
        "prompt_id": None if row["logged"] else row["query_id"],
        "at": _iso(row["now"]),
        "client": row["client"],
        "prompt": None if text is None else text[:_PROMPT_CHARS],
        "evidence": {**{grade: _plain(row[grade]) for grade in GRADES}, "model_estimate": row["estimate"]},
        "stage": row["stage"],
        "source": row["source"],
        "why": sentence(row, bounds),
        "uri": row["candidate"] or row["uri"],
        "rank": row["rank"],
        "score": row["score"],
        "below_by": row["below_by"],
        "crowded_out_by": [one["uri"] for one in row["crowd"] or ()] if row["stage"] == "crowded_out" else [],
        "not_searched": row["unsearched"] if row["stage"] == "prompt_cut" else None,
        "signals": signal_reasons(row, review.model),
        "other_letters": other_letters(row),
    }


def _plain(value: Any) -> Any:
    return _iso(value) if isinstance(value, datetime) else value


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
