"""The report: how helpful recall was by the log, with the way to every denominator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from workbench.errors import BadInput
from workbench.judge import LOG, PROMPTS, Evidence, Joins, Judged, joins, judge_log
from workbench.judge.labels import stage
from workbench.metrics.bootstrap import Interval, bootstrap, ratio
from workbench.metrics.intervals import arrays, likeness
from workbench.metrics.report.durations import Durations, durations
from workbench.metrics.report.held import held
from workbench.metrics.report.periods import checked_zone
from workbench.metrics.report.position import PositionEffect, position_effect
from workbench.metrics.report.rates import Part
from workbench.metrics.report.separation import Separation, separation
from workbench.metrics.report.shift import Shift, against, halves, mix_shift
from workbench.metrics.report.sufficiency import Held, answers, sufficiency
from workbench.metrics.shrinkage import Prior, Sessions, design_effect
from workbench.store import Database, Stage, compose, sql_text

By = Literal["client", "day", "week", "domain", "signal", "position", "tier"]
_COUNTS = len(fields(Part)) - 1
GROUPINGS: tuple[By, ...] = ("client", "day", "week", "domain", "signal", "position", "tier")


@dataclass(frozen=True)
class Step:
    """One step from raw rows to a denominator. The steps with the same `whole` and `split` add up to the step that
    `whole` names; None where a step stands beside."""

    step: str
    count: int
    why: str
    whole: str | None = None
    split: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Step, count and reason, and what it is a part of."""
        return asdict(self)


@dataclass(frozen=True)
class Report:
    """Figures of the log. `session_interval` is that of the overall use rate with sessions as the unit,
    `prompt_intervals` those of shown memories per prompt and of the share of silent prompts."""

    by: str
    zone: str
    evidence: Evidence
    judged: Judged
    overall: Part
    session_interval: Interval | None
    prompt_intervals: Mapping[str, Interval | None]
    parts: Sequence[Part]
    separation: Separation
    durations: Durations
    denominators: Sequence[Step]
    joins: Joins
    position: PositionEffect
    shift: Shift
    held: Held

    @property
    def sufficiency(self) -> str:
        """What can be seen with this many used memories, in plain words."""
        return sufficiency(self.overall.used, self.overall.prompts)

    @property
    def prior(self) -> Prior | None:
        """What the use rates of the parts have in common; memories of a session are alike, so they count less."""
        alike = max((part.design_effect for part in self.parts), default=1.0)
        return Prior.of([(part.used, part.judged) for part in self.parts], alike)

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench report --json`."""
        overall, prior = self.overall.as_json(), self.prior
        del overall["part"]
        return {
            "sufficiency": self.sufficiency,
            "questions": [answer.as_json() for answer in answers(self.held)],
            "detectable_loss": self.held.held_out.as_json(),
            "evidence": self.evidence.names(),
            "by": self.by,
            "zone": self.zone,
            **overall,
            "use_rate_session_interval": self.session_interval and self.session_interval.as_json(),
            **{f"{name}_interval": one and one.as_json() for name, one in self.prompt_intervals.items()},
            "parts": [{**part.as_json(), **_shrunk(prior, part)} for part in self.parts],
            "parts_in_common": prior and {"rate": prior.mean, "strength": prior.strength},
            "separation": self.separation.as_json(),
            "position": self.position.as_json(),
            "shift": self.shift.as_json(),
            "duration_ms": self.durations.as_json(),
            "marks": {"linked": self.judged.linked, "blanket": self.judged.blanket},
            "answers": {
                "shown": self.judged.answered,
                "helpful_not_shown": self.judged.helpful_beyond,
                "unhelpful_not_shown": self.judged.unhelpful_beyond,
            },
            "late_prompts": self.judged.late_prompts,
            "denominators": [step.as_json() for step in self.denominators],
            "joins": self.joins.as_json(),
        }


def _shrunk(prior: Prior | None, part: Part) -> dict[str, Any]:
    """The use rate of a part drawn towards that of all parts, with its interval."""
    if prior is None:
        return {"use_rate_shrunk": None, "use_rate_shrunk_interval": None}
    found = prior.shrink(part.used, part.judged)
    return {"use_rate_shrunk": found.rate, "use_rate_shrunk_interval": found.interval.as_json()}


def report(
    db: Database,
    selected: str | None = "selected",
    by: str = "client",
    zone: str = "UTC",
    evidence: Evidence | None = None,
    before: str | None = None,
) -> Report:
    """How helpful recall was for the selected queries (None: all), also by part.

    `by` is one of GROUPINGS; days and weeks are those of `zone`, an IANA name. Parts by signal overlap, because several
    signals can return a memory. The change of the use rate is that against the queries of the table `before`, else that
    from the older to the newer half. Raises BadInput for an unknown grouping or zone.
    """
    if by not in GROUPINGS:
        raise BadInput(f"Cannot group by {by!r}; choose from {', '.join(GROUPINGS)}.")
    checked_zone(zone)
    evidence = evidence or Evidence.standard(db)
    periods = _periods(db, before, evidence)
    judged = judge_log(db, selected, evidence)
    log, prompts = stage("log", LOG), stage("prompts", PROMPTS)
    parts = read_parts(db, by, zone)
    steps: tuple[Stage, ...] = (*prompts, *log, "logged/memory_now", "logged/traffic")
    overall, interval, apart = _overall(db, judged), use_rate_interval(db), separation(db)
    clients = parts if by == "client" else read_parts(db, "client")
    return Report(
        by,
        zone,
        evidence,
        judged,
        overall,
        interval,
        _prompt_intervals(db),
        parts,
        apart,
        durations(db),
        [Step(*row[1:]) for row in db.rows(compose(steps, sql_text("report/denominators")))],
        joins(db, selected),
        position_effect(db),
        mix_shift(db, periods),
        held(db, overall, clients, apart.auc_interval),
    )


def _periods(db: Database, before: str | None, evidence: Evidence) -> tuple[Stage, ...]:
    """The two periods of the change; judges the queries of `before` where it names a table."""
    if before is None:
        return halves()
    judge_log(db, before, evidence, into="log_before", prompts="prompts_before", beyond="beyond_before")
    return against("prompts_before", "log_before")


def read_parts(db: Database, by: str, zone: str = "UTC") -> list[Part]:
    """The parts of the judged log, with the likeness within sessions that they have in common."""
    chain = (*stage("prompts", PROMPTS), *stage("log", LOG), "exact_tiers", "report/parted")
    rows = db.rows(compose(chain, sql_text("report/groups")), {"by": by, "zone": zone})
    parts = [Part(*row[:_COUNTS]) for row in rows]
    alike = design_effect([(part.used, part.judged) for part in parts], [Sessions(*row[_COUNTS:]) for row in rows])
    return [replace(part, design_effect=alike) for part in parts]


def use_rate_interval(db: Database) -> Interval | None:
    """The 95 % interval of the use rate of the judged log, with sessions as the unit."""
    return bootstrap(*arrays(db, compose(stage("log", LOG), sql_text("report/use_clusters")), {}), ratio(0, 1, 0, 1))


def _prompt_intervals(db: Database) -> dict[str, Interval | None]:
    """The 95 % intervals of the figures per prompt, with sessions as the unit."""
    chain = (*stage("prompts", PROMPTS), *stage("log", LOG))
    sums, sessions = arrays(db, compose(chain, sql_text("report/prompt_clusters")), {})
    return {
        "shown_per_prompt": bootstrap(sums, sessions, ratio(0, 2, 0)),
        "silent_share": bootstrap(sums, sessions, ratio(1, 2, 0, 1)),
    }


def _overall(db: Database, judged: Judged) -> Part:
    (speaking,) = db.row(f"SELECT count(DISTINCT query_id) FROM {LOG}")
    silent = judged.prompts - speaking
    alike = likeness(*arrays(db, compose(stage("log", LOG), sql_text("report/use_clusters")), {}))
    return Part("", judged.prompts, silent, judged.shown, judged.used, judged.shown_unused, judged.unknown, alike)
