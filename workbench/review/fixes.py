"""Changes of one memory, tried out: what recall would show for all prompts with the memory changed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from workbench.replay.engine import CANDIDATES, depth_of, prompts_of, retrieve_candidates, vectors_of
from workbench.replay.run import Settings, replay_shown
from workbench.retrieve.clock import Clock
from workbench.retrieve.corpus import load_corpus
from workbench.review.edits import Fix, Tables
from workbench.review.vectors import Embed
from workbench.store import Database, sql_text
from workbench.text import counted
from workbench.textsearch import Tokenizer

# A fix is tried on the newest prompts, this many at most, and on all that missed a memory.
MOST_PROMPTS = 20_000
BEFORE, AFTER = "shown_before", "shown_after"


@dataclass(frozen=True)
class Effect:
    """What a fix does to what is shown, in prompts; `missed` of them missed the memory.

    It is shown in `shown_before` of those without the fix and in `shown_after` with it; in `newly_shown` others it
    comes, in `no_longer_shown` it goes. `others_gone` and `others_come` count shows of other memories, `used_gone`
    those of them that were used. `left_out` says what could not be computed.
    """

    prompts: int
    missed: int
    shown_before: int
    shown_after: int
    newly_shown: int
    no_longer_shown: int
    others_gone: int
    used_gone: int
    others_come: int
    left_out: str | None = None

    def as_json(self) -> dict[str, Any]:
        """All counts, and `words`."""
        return {**asdict(self), "words": self.words}

    @property
    def words(self) -> str:
        """The effect as the end of a sentence that begins with the fix."""
        said = f"it would be shown in {self.shown_after} of {counted(self.missed, 'prompt')} that missed it"
        said += f" ({self.shown_before} without)" if self.shown_before else ""
        said += f" and newly shown in {counted(self.newly_shown, 'other')}"
        said += f", no longer in {self.no_longer_shown}" if self.no_longer_shown else ""
        if self.others_gone:
            said += f"; {counted(self.others_gone, 'show')} of other memories would go, {self.used_gone} of them used"
        return f"{said}.{f' {self.left_out}' if self.left_out else ''}"


class Simulator:
    """Tries fixes on the prompts of the table `selected`, with the memories as they stand today (`clock`).

    The changed memory is put into temporary copies of the source tables, and the whole engine runs over them: what a
    fix shows is what an import of the changed source would show.
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        tokenizer: Tokenizer,
        model: str | None,
        embed: Embed | None = None,
        selected: str = "selected",
        clock: Clock | None = None,
    ) -> None:
        """Retrieve the prompts once, as things are; the tables misses and judged_log name what is counted."""
        self._db, self._settings, self._tokenizer, self._model = db, settings, tokenizer, model
        self._clock = (clock or Clock("today")).resolved(db)
        self._tables = Tables(db, settings.in_force, self._clock.at, model, embed)
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE tried AS SELECT query_id FROM {selected}"
            " QUALIFY row_number() OVER (ORDER BY now DESC, query_id) <= $most"
            f" UNION SELECT query_id FROM {selected} WHERE query_id IN (SELECT m.query_id FROM misses AS m)",
            {"most": MOST_PROMPTS},
        )
        self._prompts = prompts_of(db, settings, "tried", self._clock)
        self._vectors = vectors_of(db, model, [prompt.searched for prompt in self._prompts])
        self._show(BEFORE)

    def effect(self, fix: Fix, node: str) -> Effect:
        """What `fix` would change, the memory being `node`."""
        with self._tables.edited(fix) as left_out:
            self._show(AFTER)
        counts = self._db.arrow(sql_text("review/fix_effect"), {"node": node}).to_pylist()[0]
        return Effect(prompts=len(self._prompts), left_out=left_out, **counts)

    def _show(self, into: str) -> None:
        corpus = load_corpus(self._db, self._tokenizer, self._model, self._clock)
        retrieve_candidates(corpus, self._prompts, self._vectors, depth_of(self._settings))
        replay_shown(self._db, replace(self._settings, candidates=CANDIDATES), None, into)
