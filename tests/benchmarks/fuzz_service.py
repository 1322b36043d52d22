"""A running service under hostile requests.

`python tests/benchmarks/fuzz_service.py [REQUESTS [SEED]]` sends 100,000 and prints what they were answered with.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from service_fuzz import fuzzed, fuzzed_service


def main(count: int = 100_000, seed: int = 1) -> int:
    """Run and print."""
    with tempfile.TemporaryDirectory() as folder, fuzzed_service(Path(folder), seed) as (port, requests):
        statuses, wrong = fuzzed(port, requests, range(count))
    print(f"{count:,} requests, {len(wrong)} answered wrongly")
    for status, number in sorted(statuses.items()):
        print(f"{number:9,}  {status}")
    for example in wrong[:20]:
        print(f"    {example}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*[int(word) for word in sys.argv[1:]]))
