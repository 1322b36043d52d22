"""What was shown for which prompt, so that an open can be answered at once: newest recalls, the store, the inbox."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from workbench.agents import records
from workbench.errors import WorkbenchError
from workbench.judge.marks import Log, Reason, judged_open, normalised_address
from workbench.store import Database, Inbox, reading, sql_text
from workbench.text import trimmed

REMEMBERED = 20_000
_REST = 20  # times what the last look took


class Known:
    """The prompts of the store at `path` with what they showed. Publications settle what counts; this only says it."""

    def __init__(self, path: Path) -> None:
        self._path, self._inbox = path, Inbox(path)
        self._alone = threading.RLock()
        self._shown: OrderedDict[str, tuple[frozenset[str], set[str]]] = OrderedDict()
        self._look_again_at = 0.0

    def add(self, query_id: str, uris: Iterable[str], used: Iterable[str] = ()) -> None:
        """A recall was given, and some of it was used."""
        with self._alone:
            self._shown[query_id] = frozenset(uris), set(used)
            while len(self._shown) > REMEMBERED:
                self._shown.popitem(last=False)

    def opened(self, db: Database, uri: str, node: str | None, query_id: str | None) -> Reason:
        """What opening `uri` with `query_id` counts as; `node` is its node, None where there is none."""
        query, address = trimmed(query_id or ""), normalised_address(uri)
        nodes = dict(db.rows(sql_text("agents/addresses"), {"node": node, "address": address}))
        if node is None:  # an address without a readable memory is none
            nodes.pop(address, None)
        with self._alone:
            found = self._shown_for(db, query) if query else None
            shown, used = found or (frozenset(), set())
            log = Log({query: shown} if found else {}, nodes)
            reason = judged_open(log, uri, query_id, {(query, other) for other in used})
            if reason is Reason.COUNTED:
                used.add(address)
        return reason

    def forget(self, uri: str, query_id: str | None) -> None:
        """An open that was judged could not be recorded."""
        with self._alone:
            _, used = self._shown.get(trimmed(query_id or ""), (frozenset(), set()))
            used.discard(normalised_address(uri))

    def _shown_for(self, db: Database, query: str) -> tuple[frozenset[str], set[str]] | None:
        if query not in self._shown and not self._stands_in(db, query) and time.monotonic() >= self._look_again_at:
            self._look_further(query)
        return self._shown.get(query)

    def _stands_in(self, db: Database, query: str) -> bool:
        rows = db.rows(sql_text("agents/shown_for"), {"query_id": query})
        if rows:
            self.add(query, *rows[0])
        return bool(rows)

    def _look_further(self, query: str) -> None:
        """Other processes recall too: what they left is in the inbox, or else in the state of the store that is
        published once that has been read. After a query that nobody knows the next such look has to wait."""
        began = time.monotonic()
        for entry in self._inbox.glance():
            record = entry.record
            if entry.kind == records.RECALL and record["query_id"] not in self._shown:
                self.add(record["query_id"], (row["uri"] for row in record["candidates"] if row["shown"]))
        if query not in self._shown and not self._is_published(query):
            ended = time.monotonic()
            self._look_again_at = ended + _REST * (ended - began)

    def _is_published(self, query: str) -> bool:
        try:
            with reading(self._path) as db:
                return self._stands_in(db, query)
        except WorkbenchError:  # it cannot be read at present
            return False
