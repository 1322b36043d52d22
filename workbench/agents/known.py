"""What was shown for which prompt, so that an open can be answered at once: newest recalls, the store, the inbox."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from workbench.agents import records
from workbench.judge.marks import Log, Reason, judged_open, normalised_address
from workbench.store import Database, Inbox, sql_text
from workbench.text import trimmed

REMEMBERED = 20_000
_LOOK_AGAIN_SECONDS = 1.0


class Known:
    """The prompts of the store at `path` with what they showed. Publications settle what counts; this only says it."""

    def __init__(self, path: Path) -> None:
        self._inbox = Inbox(path)
        self._alone = threading.Lock()
        self._shown: OrderedDict[str, frozenset[str]] = OrderedDict()
        self._used: set[tuple[str, str]] = set()
        self._looked_at = -_LOOK_AGAIN_SECONDS

    def add(self, query_id: str, uris: Iterable[str]) -> None:
        """A recall was given."""
        with self._alone:
            self._shown[query_id] = frozenset(uris)
            while len(self._shown) > REMEMBERED:
                forgotten, _ = self._shown.popitem(last=False)
                self._used = {pair for pair in self._used if pair[0] != forgotten}

    def opened(self, db: Database, uri: str, node: str | None, query_id: str | None) -> Reason:
        """What opening `uri` with `query_id` counts as; `node` is its node, None where there is none."""
        query, address = trimmed(query_id or ""), normalised_address(uri)
        shown = self._shown_for(db, query) if query else None
        nodes = dict(db.rows(sql_text("agents/addresses"), {"node": node, "address": address}))
        if node is None:  # an address without a readable memory is none
            nodes.pop(address, None)
        with self._alone:
            log = Log({query: shown} if shown is not None else {}, nodes)
            reason = judged_open(log, uri, query_id, self._used)
            if reason is Reason.COUNTED:
                self._used.add((query, address))
        return reason

    def _shown_for(self, db: Database, query: str) -> frozenset[str] | None:
        if query not in self._shown:
            rows = db.rows(sql_text("agents/shown_for"), {"query_id": query})
            if rows:
                self.add(query, rows[0][0])
                self._used |= {(query, uri) for uri in rows[0][1]}
            elif time.monotonic() - self._looked_at >= _LOOK_AGAIN_SECONDS:
                self._looked_at = time.monotonic()
                self._read_inbox()
        return self._shown.get(query)

    def _read_inbox(self) -> None:
        """Other processes recall too: what they left is not in the store yet."""
        for entry in self._inbox.read():
            record = entry.record
            if entry.kind == records.RECALL and record["query_id"] not in self._shown:
                self.add(record["query_id"], (row["uri"] for row in record["candidates"] if row["shown"]))
