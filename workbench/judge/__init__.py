"""Labels of the log and the four-way ledger of a configuration: what was used, kept, lost, removed, newly shown."""

from workbench.judge.dump import dump
from workbench.judge.evidence import HOOK_CLIENTS, HOOK_LIMIT_MS, Evidence
from workbench.judge.joins import ClientJoins, Joins, joins
from workbench.judge.labels import BEYOND, LOG, PROMPTS, Judged, judge_log
from workbench.judge.ledger import Ledger
from workbench.judge.misses import LINKED_PROMPTS, MISS_EVIDENCE, PLACED_OPENS, Misses, write_misses
from workbench.judge.outcomes import OUTCOMES, judged_replay, judged_replays, ledger, ledgers_by, outcomes, read_ledgers
from workbench.judge.quick import Labelled, label_candidates, ledger_of, quick_ledger, quick_sessions, session_totals

__all__ = [
    "BEYOND",
    "HOOK_CLIENTS",
    "HOOK_LIMIT_MS",
    "LINKED_PROMPTS",
    "LOG",
    "MISS_EVIDENCE",
    "OUTCOMES",
    "PLACED_OPENS",
    "PROMPTS",
    "ClientJoins",
    "Evidence",
    "Joins",
    "Judged",
    "Labelled",
    "Ledger",
    "Misses",
    "dump",
    "joins",
    "judge_log",
    "judged_replay",
    "judged_replays",
    "label_candidates",
    "ledger",
    "ledger_of",
    "ledgers_by",
    "outcomes",
    "quick_ledger",
    "quick_sessions",
    "read_ledgers",
    "session_totals",
    "write_misses",
]
