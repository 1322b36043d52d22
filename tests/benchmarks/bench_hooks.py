"""How long a hook takes, as a multiple of the time that Python takes to start and do nothing.

Run as `python tests/benchmarks/bench_hooks.py [STORE]`; without a store a small one is made.
The rows: the process that the runtime starts, a store that is missing, the process that recalls, and a whole hook.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from workbench.hooks.front import Call, worker
from workbench.hooks.hosts import SUBMIT
from workbench.memories import Memory, add_memory

RUNS = 7
PROMPT = json.dumps({"session_id": "bench", "prompt": "how are webhook retries deduplicated?"}).encode()


def seconds(command: list[str]) -> float:
    """Median time of a command."""
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run(command, input=PROMPT, capture_output=True, check=True)
        taken.append(time.perf_counter() - began)
    return median(taken)


def main() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(sys.argv[1]) if sys.argv[1:] else Path(folder) / "store.duckdb"
        if not store.exists():
            add_memory(store, Memory("project://webhooks", "Retries are deduplicated by the idempotency key."))
        front = [sys.executable, "-P", "-m", "workbench.hooks"]
        call = Call("claudecode", SUBMIT, store, limit=10)
        missing = Call("claudecode", SUBMIT, Path(folder) / "missing.duckdb", limit=10)
        nothing = seconds([sys.executable, "-c", "pass"])
        for name, command in (
            ("front alone", [*front, "nothing"]),
            ("no store", [*front, *missing.arguments()]),
            ("worker", worker(call)),
            ("whole hook", [*front, *call.arguments()]),
        ):
            taken = seconds(command)
            print(f"{name:12} {taken:6.2f} s  {taken / nothing:6.1f} x python -c pass")


if __name__ == "__main__":
    main()
