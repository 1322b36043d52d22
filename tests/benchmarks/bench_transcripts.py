"""The import of a long transcript: `python tests/benchmarks/bench_transcripts.py [MB]`.

A transcript of 1 MB and one of the given length (100 MB) are imported, each in a process of its own. Prints the clock,
and by how much the peak memory of the long one is above that of the short one.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from workbench.importers import load
from workbench.store import writing

LINES_OF_A_TURN = 8
OUTPUT = "a line of the output of some tool, as long as such lines are\n" * 60


def turn(number: int) -> list[dict[str, object]]:
    """A prompt, its recall block, an open, and the output of other tools."""
    place = {"sessionId": f"session-{number // 50}", "timestamp": f"2026-03-01T{number // 3600 % 24:02}:00:00Z"}
    query = f"{number:08x}-43cd-42f5-b5c7"
    block = f'<recall session_id="s" query_id="{query}">\n0.80 | core://m/{number % 90} | cue\n</recall>'
    use = {"type": "tool_use", "id": f"toolu_{number:016}", "name": "mcp__lore__lore_get_node",
           "input": {"uri": f"core://m/{number % 90}", "query_id": query}}  # fmt: skip
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number:016}", "content": "URI: core://m"}
    other = {"type": "tool_result", "tool_use_id": "other", "content": OUTPUT}
    output: dict[str, object] = {"type": "user", "message": {"content": [other]}, "toolUseResult": OUTPUT}
    rows: list[dict[str, object]] = [
        {"type": "user", "message": {"content": f"what about {number}"}},
        {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [block]}},
        {"type": "assistant", "message": {"content": [use]}},
        {"type": "user", "message": {"content": [result]}},
        *[output] * (LINES_OF_A_TURN - 4),
    ]
    return [{**row, **place, "uuid": f"{number:012}-{n}-of-a-turn"} for n, row in enumerate(rows)]


def write(path: Path, megabytes: float) -> None:
    """A transcript of that length."""
    number = 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1e6:
            for _ in range(10):
                file.writelines(json.dumps(row) + "\n" for row in turn(number))
                number += 1


def import_one(path: Path, store: Path) -> None:
    """Import, and print seconds and peak memory in MB."""
    start = time.perf_counter()
    with writing(store, "benchmark") as db:
        load(db, str(path))
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def main() -> None:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 100.0
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for length in (1.0, megabytes):
            path = Path(folder, f"{length}.jsonl")
            write(path, length)
            command = [sys.executable, __file__, "--one", str(path), f"{path}.duckdb"]
            found[length] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    seconds, memory = found[megabytes]
    print(f"{megabytes:.0f} MB in {seconds:.1f} s, {megabytes / seconds:.0f} MB/s")
    print(f"peak memory {memory:.0f} MB, {memory - found[1.0][1]:.0f} MB more than for 1 MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        import_one(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
