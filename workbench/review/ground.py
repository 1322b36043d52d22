"""What looks for missed memories share: how they look, and what no selection changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from workbench.judge import Evidence
from workbench.judge.labels import expect_answers
from workbench.replay.engine import Progress
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.review.alike import alike_texts
from workbench.review.evidence import ALL_PROMPTS, MISSES, write_evidence, write_missed
from workbench.review.fixes import Simulator
from workbench.review.stages import Depth, keep_stages, pick_stages, write_stages
from workbench.review.vectors import Embed
from workbench.store import Database
from workbench.textsearch import Tokenizer


@dataclass(frozen=True)
class Review:
    """How misses are looked for: `settings` are those in force, `model` and `embed` as for the engine; `boot` counts
    start-up memories too, `estimates` is the table of a model (write_missed), with `estimated` one is fitted. Fixes are
    tried for the first `fixes` memories."""

    settings: Settings
    tokenizer: Tokenizer
    model: str | None = None
    embed: Embed | None = None
    boot: bool = False
    estimates: str | None = None
    estimated: bool = False
    fixes: int = 1
    progress: Progress = lambda done, total, what: None

    def simulator(self, db: Database) -> Callable[[], Simulator]:
        """Makes what tries fixes on the selected prompts of `db`."""
        return lambda: Simulator(db, self.settings, self.tokenizer, self.model, self.embed)


class Ground:
    """What looks for misses stand on, held in temporary tables of `db`: for one thread at a time, and for one look at a
    time, because the next takes its place."""

    def __init__(self, db: Database, review: Review) -> None:
        """Judge the log."""
        expect_answers(db)
        self.db, self.review = db, review
        self.evidence = Evidence().under(review.settings.in_force)
        self._alike: pa.Table | None = None
        self._whole: Depth | None = None
        write_evidence(db, self.evidence)

    def prepare(self) -> None:
        """Find what lost each miss of the whole log, so that every look only picks its own: worth it from the second
        one on. The search is then as deep as it is for the whole log."""
        self._alike = alike_texts(self.db, ALL_PROMPTS, self.review.tokenizer)
        self.write_missed(Selection(traffic=None))
        self._whole = self.write_stages()
        if self._whole:
            keep_stages(self.db)

    def write_missed(self, selection: Selection) -> None:
        """write_missed for the selection."""
        write_missed(self.db, selection, self.review.tokenizer, self.review.estimates, self._alike)

    def write_stages(self) -> Depth | None:
        """Write what lost each of the present misses; None without any."""
        if not self.db.row(f"SELECT count(*) FROM {MISSES}")[0]:
            return None
        if self._whole:
            pick_stages(self.db)
            return self._whole
        review = self.review
        return write_stages(self.db, review.settings, review.tokenizer, review.model, review.embed)
