"""How far a model's estimate of newly shown memories is from the planted truth, world by world.

python tests/benchmarks/estimates_against_truth.py [WORLDS A KIND]: for each kind of world how often the model is used,
how often its 95 % interval holds the expected uses among what a threshold lower by 0.03 newly shows, and the estimate
over the truth.
"""

from __future__ import annotations

import sys

from workbench.estimate import Model, estimate_newly, fit_model, shown_pairs, wanted_pairs
from workbench.params import THRESHOLD
from workbench.replay.run import Settings, replay_shown
from workbench.replay.selection import Selection
from workbench.simulate import PLANTED_NEEDS, TRUTH, WORLDS, World, planted_log

SIZE, USED, LOWER = World(prompts=900, needs=PLANTED_NEEDS), 200, 0.03
_NEW = """
CREATE OR REPLACE TEMP TABLE estimate_new AS
SELECT row_number() OVER (ORDER BY s.query_id, s.node) - 1 AS number, s.*, q.client_type AS client
FROM (SELECT DISTINCT query_id, coalesce(node_uuid, uri) AS node FROM shown) AS s
JOIN wb.logged_queries AS q ON q.query_id = s.query_id
ANTI JOIN estimate_log AS l ON l.query_id = s.query_id AND l.node = s.node
"""


def one_world(kind: str, seed: int) -> tuple[float, bool] | None:
    """Estimate over truth, and whether the interval holds the truth; None where no model may be used."""
    with planted_log(SIZE, kind, USED, seed) as (db, planted):
        in_force = planted.in_force
        Selection().for_replay().materialise(db)
        model = fit_model(shown_pairs(db, in_force, "selected"))
        if not isinstance(model, Model) or not model.usable:
            return None
        lower = in_force.replace({THRESHOLD: float(in_force[THRESHOLD]) - LOWER})
        replay_shown(db, Settings(lower, in_force), "selected")
        db.execute(_NEW)
        found = estimate_newly(model, wanted_pairs(db, in_force, "estimate_new"))
        joined = f"estimate_new AS n JOIN {TRUTH} AS t ON t.query_id = n.query_id AND t.node_uuid = n.node"
        truth = db.row(f"SELECT sum(chance) FROM {joined}")[0] * planted.used / planted.helpful_shown
    assert found.interval is not None
    assert found.helpful is not None
    return found.helpful / truth, bool(found.interval.low <= truth <= found.interval.high)


def main(worlds: int) -> None:
    """Print a line a kind."""
    for kind in WORLDS:
        found = [one for seed in range(worlds) if (one := one_world(kind, seed))]
        ratios = " ".join(f"{ratio:.2f}" for ratio, _ in found)
        held = sum(holds for _, holds in found)
        print(f"{kind}: used in {len(found)} of {worlds}, interval holds the truth in {held}; estimate/truth {ratios}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
