"""The main job on the data that comes with the workbench, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import jobs
from workbench.errors import BadInput
from workbench.export import export_to, proposal_of
from workbench.metrics import replay_summary
from workbench.metrics.report import report
from workbench.replay.engine import engine_model
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import parity
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.replay.tokenizers import chosen
from workbench.review import Review, missed
from workbench.store import Database, reading
from workbench.textsearch import tokenizer
from workbench.tune import TuneRequest, studies_folder, tune

DATA = Path(__file__).resolve().parent.parent / "data" / "demo"
TRIALS = 150
STUDY = "demo"
MISSED = 5
WHAT_IF = {"recall.display.min_display_score": 0.66}

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Step:
    """One finished step: its name and what it found."""

    name: str
    found: dict[str, Any]


def run_demo(store: Path, progress: Progress) -> Iterator[Step]:
    """Import, parity, report, missed memories, replay of another threshold, a short tune, export; yields each step when
    it is done.

    The TOML is written beside the store. Raises BadInput when the bundled data is not there or the store exists.
    """
    if not DATA.is_dir():
        raise BadInput(f"The demo data is not at {DATA}; run the demo from a clone of the repository.")
    if store.exists():
        raise BadInput(f"{store} exists already; name a new --db for the demo.")
    yield Step("import", jobs.import_log(store, str(DATA), progress=progress))
    with reading(store) as db:
        in_force = settings_in_force(db).params
        Selection().for_replay().materialise(db)
        yield Step("parity", parity(db, Settings(in_force, in_force)).as_json())
        yield Step("report", report(db, SELECTED).as_json())
        yield Step("missed", _missed(db, Settings(in_force, in_force)))
        what_if = in_force.replace(WHAT_IF)
        yield Step("replay", {"changed": WHAT_IF, **replay_summary(db, Settings(what_if, in_force), SELECTED)})
        folder = studies_folder(store)
        result = tune(db, in_force, folder, TuneRequest(study=STUDY, trials=TRIALS), progress)
        yield Step("tune", result)
    out = store.with_name("recall.toml")
    export_to(proposal_of(result), out, changed_only=False)
    yield Step("export", {"out": str(out), "changed": proposal_of(result).changed})


def _missed(db: Database, settings: Settings) -> dict[str, Any]:
    """The memories that were missed; trying fixes would take longer than all other steps."""
    words = tokenizer(chosen(db).name)
    found = missed(db, Selection(), Review(settings, words, engine_model(db), fixes=0), MISSED).as_json()
    Selection().for_replay().materialise(db)
    return found
