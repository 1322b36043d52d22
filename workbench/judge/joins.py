"""How well what agents did can be joined with the log: by client, and why an open is not counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.judge.marks import Reason
from workbench.judge.misses import write_misses
from workbench.store import Database, compose

UNCOUNTED = tuple(reason for reason in Reason if reason is not Reason.COUNTED)


@dataclass(frozen=True)
class ClientJoins:
    """One client: its prompts in the log, how many of them were `seen` in transcripts and how many are `showing` a
    memory; `marks` of opens in the log, `not_shown` on memories that were not shown, `unmarked` opens that should have
    left a mark.

    `opens` counts opens by reason, None where nothing of what the client did is known. `times` counts those before
    their prompt, those after the session's next one, and those whose address ends in a slash.
    """

    client: str
    prompts: int
    seen: int
    showing: int
    marks: int
    not_shown: int
    unmarked: int
    opens: Mapping[Reason, int] | None
    times: tuple[int, int, int] = (0, 0, 0)

    @property
    def linked(self) -> int:
        """Opens that the server takes as a use, also repeated ones."""
        return sum((self.opens or {}).get(reason, 0) for reason in (Reason.COUNTED, Reason.AGAIN))

    @property
    def never_links(self) -> bool | None:
        """Whether none of its opens was ever linked with a prompt; None where no prompt showed anything to open."""
        return None if not self.showing else not (self.marks or self.linked)

    def as_json(self) -> dict[str, Any]:
        """Counts, None for what cannot be known without transcripts."""
        log = {"client": self.client, "prompts": self.prompts, "marks": self.marks,
               "marks_on_not_shown": self.not_shown, "never_links": self.never_links}  # fmt: skip
        names = ("prompts_seen", "opens", "linked", "unlinked", "orphaned", "before_prompt", "after_next_prompt",
                 "near_matches", "counted_without_mark", "uncounted")  # fmt: skip
        if self.opens is None:
            return log | dict.fromkeys(names)
        counts = {reason: self.opens.get(reason, 0) for reason in Reason}
        before, after, slashes = self.times
        near = {"other_case": counts[Reason.OTHER_CASE], "alias": counts[Reason.ALIAS], "trailing_slash": slashes}
        found = (
            self.seen, sum(counts.values()), self.linked, counts[Reason.NO_QUERY_ID], counts[Reason.UNKNOWN_QUERY_ID],
            before, after, near, self.unmarked, {reason.value: counts[reason] for reason in UNCOUNTED},
        )  # fmt: skip
        return log | dict(zip(names, found, strict=True))


@dataclass(frozen=True)
class Joins:
    """The clients of the selected prompts and of the transcripts, by name."""

    clients: Sequence[ClientJoins]

    @property
    def uncounted(self) -> dict[str, int] | None:
        """Every reason why an open is not counted, with how many there are; None without transcripts."""
        known = [client.opens for client in self.clients if client.opens is not None]
        return {reason.value: sum(one.get(reason, 0) for one in known) for reason in UNCOUNTED} if known else None

    def as_json(self) -> dict[str, Any]:
        """The part `joins` of the report."""
        prompts = sum(client.prompts for client in self.clients)
        never = sum(client.prompts for client in self.clients if client.never_links)
        return {
            "clients": [client.as_json() for client in self.clients],
            "uncounted": self.uncounted,
            "prompts": prompts,
            "prompts_of_clients_that_never_link": never,
            "share_of_clients_that_never_link": never / prompts if prompts else None,
        }


def joins(db: Database, selected: str | None = "selected") -> Joins:
    """The join quality of the queries of the table `selected` (None: all); writes what `write_misses` writes."""
    write_misses(db)
    picked = ("picked", f"SELECT query_id FROM {selected or 'wb.logged_queries'}")
    opens: dict[str, dict[Reason, int]] = {}
    times: dict[str, tuple[int, int, int]] = {}
    for client, reason, count, *rest in db.rows(compose((picked, "judge/joined_opens"))):
        opens.setdefault(client, {})[Reason(reason)] = count
        before, after, slashes = (old + new for old, new in zip(times.get(client, (0, 0, 0)), rest, strict=True))
        times[client] = (before, after, slashes)
    found = []
    for row in db.arrow(compose((picked, "judge/joined_log"))).to_pylist():
        client, transcripts = row["client"], row.pop("transcripts")
        known = opens.get(client, {}) if transcripts else None
        found.append(ClientJoins(**row, opens=known, times=times.get(client, (0, 0, 0))))
    return Joins(found)
