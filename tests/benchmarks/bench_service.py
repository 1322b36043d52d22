"""The service under load: 16 clients, an import and a tuning run beside it, killed on the way and at the end.

`python tests/benchmarks/bench_service.py FOLDER [REQUESTS]` takes the tables of FOLDER (golden results of the real
server), sends REQUESTS (default 10,000), and prints how many answers were wrong, how many acknowledged events were
lost, and the times as ratios to those of a single client.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from served import memory_store
from service_load import CLIENTS, under_load
from worlds import copy_of

PROMPTS = (
    "how are webhook retries deduplicated?", "idempotency key", "数据库迁移怎么做才安全", "redis latency spikes", "ok",
    "pods keep getting OOMKilled after the last rollout", "what is the refund ordering rule",
)  # fmt: skip


def main(folder: Path, requests: int) -> None:
    """Run and print."""
    with tempfile.TemporaryDirectory() as place:
        store = copy_of(memory_store(folder, log=True), Path(place))
        found = under_load(store, folder / "tables", PROMPTS, requests, kills=2)
    print(f"{found.requests:,} requests of {CLIENTS} clients, 3 kills, {found.retried:,} tries that met no service")
    print(f"beside them: {found.imports} imports, {found.studies} tuning runs")
    print(f"wrong answers: {len(found.wrong)}; recalls skipped as too late: {found.skipped}")
    print("acknowledged: " + ", ".join(f"{count:,} {what}" for what, count in found.acknowledged.items()))
    print("lost: " + ", ".join(f"{count} {what}" for what, count in found.lost.items()))
    for name, ratio in found.percentiles.items():
        print(f"{name}: {ratio:.1f} times the median of a single client")
    print(f"throughput: {found.throughput:.1f} times that of a single client")
    for example in found.wrong[:10]:
        print(f"    {example}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
