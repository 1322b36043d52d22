"""How fast the app answers on a large log: `python tests/benchmarks/bench_app.py [PROMPTS] [STORE]`.

Simulates and imports a log of PROMPTS prompts (100,000), or takes the store that is named, and prints for each page
the time of its first load, of a further one, and of one with another filter, each also as a ratio to one streaming read
of the candidates' columns; for What-if also the time after a slider has moved, each time to a value that is new. Goals:
2 s after the first load, 1 s for What-if.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

from measure import STREAM, timed
from streamlit.testing.v1 import AppTest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ui_app import app_at

from workbench import jobs
from workbench.simulate import World, simulate
from workbench.store import reading
from workbench.ui.screens import SCREENS

SECONDS = 900
RUNS = 3
VALUES = (0.59, 0.61, 0.62, 0.63, 0.64)
CLIENT = "codex"


def plain(store: Path) -> float:
    """Seconds of the streaming read, the median of a few."""
    with reading(store) as db:
        return statistics.median(timed(lambda: db.rows(STREAM)) for _ in range(2 * RUNS))


def page(name: str, **address: str) -> AppTest:
    app = app_at(name, **address)
    app.default_timeout = SECONDS
    return app


def sound(app: AppTest) -> None:
    problems = [one.value for one in (*app.exception, *app.error)]
    if problems:
        raise SystemExit(f"the page failed: {problems}")


def made(folder: Path, prompts: int) -> Path:
    simulate(folder / "tables", World(prompts=prompts, memories=400), 1)
    jobs.import_log(folder / "store.duckdb", str(folder / "tables"))
    return folder / "store.duckdb"


def main(store: Path) -> None:
    os.environ["WORKBENCH_DB"] = str(store)
    unit = plain(store)
    with reading(store) as db:
        prompts, candidates = db.row("SELECT count(DISTINCT query_id), count(*) FROM wb.logged_candidates")
    print(f"{prompts:,} prompts, {candidates:,} candidates; streaming read {unit * 1e3:.0f} ms = 1")
    print(f"{'page':<12} {'first load':>16} {'again':>16} {'another filter':>16}")
    for name in (screen.name for screens in SCREENS.values() for screen in screens):
        app = page(name)
        first = timed(app.run)
        again = statistics.median(timed(app.run) for _ in range(RUNS))
        other = page(name, client=CLIENT)
        filtered = timed(other.run)
        sound(app)
        sound(other)
        print(f"{name:<12} " + " ".join(f"{one:7.2f} s {one / unit:5.1f} x" for one in (first, again, filtered)))
    app = page("whatif").run()
    threshold = next(one for one in app.slider if one.label.endswith("score"))
    moves = [timed(threshold.set_value(value).run) for value in VALUES]
    sound(app)
    print(f"what-if, a slider moved: {statistics.median(moves):.2f} s {statistics.median(moves) / unit:.1f} x")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="bench-app-") as made_here:
        asked = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
        main(Path(sys.argv[2]) if len(sys.argv) > 2 else made(Path(made_here), asked))
