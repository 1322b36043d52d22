"""Which opens the server counts as uses, and why it does not count the others (recall semantics, section 8)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from workbench.text import trimmed
from workbench.textsearch.characters import lower

DEFAULT_DOMAIN = "core"


class Reason(StrEnum):
    """What an open is to the server."""

    COUNTED = "counted"
    AGAIN = "opened before for the same prompt"
    NO_QUERY_ID = "no query_id"
    UNKNOWN_QUERY_ID = "a query_id that no prompt has"
    NO_MEMORY = "no memory at this address"
    OTHER_CASE = "the address in another case"
    ALIAS = "another address of a memory that was shown"
    NOT_SHOWN = "not shown for this prompt"


@dataclass(frozen=True)
class Log:
    """What opens are held against: for each query_id the addresses that were shown, and every address with its node."""

    shown: Mapping[str, Set[str]]
    nodes: Mapping[str, str]

    @cached_property
    def lower_case(self) -> Set[str]:
        """Every address in lower case."""
        return {lower(address) for address in self.nodes}


def judged_open(log: Log, uri: str, query_id: str | None, used: Set[tuple[str, str]]) -> Reason:
    """What the server makes of opening `uri` with `query_id`; `used` are the (query_id, address) pairs marked before.

    Both are trimmed, a trailing slash goes, an address without a domain is one of core. Nothing else is mended: the
    session is not looked at, and the case of both counts.
    """
    address, query = normalised_address(uri), trimmed(query_id or "")
    if not query:
        return Reason.NO_QUERY_ID
    if query not in log.shown:
        return Reason.UNKNOWN_QUERY_ID
    shown = log.shown[query]
    if address in shown and address in log.nodes:
        return Reason.AGAIN if (query, address) in used else Reason.COUNTED
    if address not in log.nodes:
        return Reason.OTHER_CASE if lower(address) in log.lower_case else Reason.NO_MEMORY
    if any(log.nodes.get(other) == log.nodes[address] for other in shown):
        return Reason.ALIAS
    return Reason.NOT_SHOWN


def normalised_address(uri: str) -> str:
    """`uri` as the server looks it up."""
    address = trimmed(uri).rstrip("/")
    return address if "://" in address else f"{DEFAULT_DOMAIN}://{address}"
