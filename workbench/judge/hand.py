"""Answers by hand: whether a memory helps with a prompt, who said so, and about which content of the memory."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.errors import BadInput
from workbench.judge.labels import HAND_LABELS, WAITING, expect_answers
from workbench.judge.marks import normalised_address
from workbench.store import Database, Inbox, compose, reading, sql_text

KIND = "label"
GRADES = ("yes", "no", "unsure")
WITHDRAWN = "withdrawn"
_TEXTS = ("label_id", "query_id", "uri", "node_uuid", "grade", "labelled_by", "memory_digest", "source")
_SCHEMA = pa.schema([*((name, pa.string()) for name in _TEXTS), ("labelled_at", pa.timestamp("us", "UTC"))])


@dataclass(frozen=True)
class Answer:
    """One answer as it is kept: `grade` is one of GRADES or WITHDRAWN, `labelled_at` an ISO time, `memory_digest` the
    MD5 of the content that was judged."""

    label_id: str
    query_id: str
    uri: str
    node_uuid: str | None
    grade: str
    labelled_by: str | None
    labelled_at: str
    memory_digest: str | None
    source: str


@dataclass(frozen=True)
class Subject:
    """A memory at an address, as it is now."""

    uri: str
    node_uuid: str | None
    content: str | None

    @property
    def digest(self) -> str | None:
        """What tells this content from another."""
        text = self.content
        return None if text is None else hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def answered(
    db: Database, query_id: str, uri: str, grade: str, at: datetime, by: str | None = None, source: str = KIND
) -> Answer:
    """The answer `grade`, given at the time `at`, on whether the memory at `uri` helps with the prompt `query_id`; it
    is not kept yet.

    BadInput for a grade, a prompt or an address that is none of the store's.
    """
    checked_grade(grade)
    if not db.rows("SELECT 1 FROM recall_queries WHERE query_id = $id", {"id": query_id}):
        raise BadInput(
            f"The log holds no prompt {query_id!r}; `workbench label next` names one to answer, "
            "`workbench replay --dump FILE` all it holds."
        )
    subject = subject_at(db, uri)
    if subject is None:
        raise BadInput(f"There is no memory at {uri!r}, now or in the log; check the address.")
    return _answer(subject, query_id, grade, by, at, str(uuid.uuid4()), source)


def withdrawal(db: Database, query_id: str, uri: str, at: datetime, by: str | None = None) -> Answer:
    """The answer that takes back the one on a prompt and a memory; it is not kept yet. BadInput where none stands."""
    expect_answers(db)
    subject = subject_at(db, uri) or Subject(normalised_address(uri), None, None)
    bound = {"query_id": query_id, "uri": subject.uri, "node": subject.node_uuid}
    standing = db.rows(compose(HAND_LABELS, sql_text("judge/standing")), bound)
    if not standing:
        raise BadInput(
            f"No answer stands on {uri!r} for the prompt {query_id!r}; `workbench label list` shows those that do."
        )
    address, node = standing[0]
    return _answer(Subject(address, node, None), query_id, WITHDRAWN, by, at, str(uuid.uuid4()), KIND)


def imported(
    query_id: str,
    subject: Subject,
    grade: str,
    by: str | None,
    given: datetime | None,
    now: datetime,
    source: str,
) -> Answer:
    """An answer of a file, which says by `given` when it was given, else it counts from `now`, as does one from the
    future. The same row gives the same label_id, so that it is taken in once."""
    key = "\x1f".join((query_id, subject.uri, grade, by or "", given.isoformat() if given else ""))
    label_id = str(uuid.uuid5(uuid.NAMESPACE_URL, key))
    return _answer(subject, query_id, grade, by, min(given or now, now), label_id, source)


def _answer(
    subject: Subject, query_id: str, grade: str, by: str | None, at: datetime, label_id: str, source: str
) -> Answer:
    moment = at.isoformat()
    return Answer(label_id, query_id, subject.uri, subject.node_uuid, grade, by or None, moment, subject.digest, source)


def checked_grade(grade: str) -> None:
    """Refuse what is no grade."""
    if grade not in (*GRADES, WITHDRAWN):
        raise BadInput(f"{grade!r} is no answer; give {', '.join(GRADES[:-1])} or {GRADES[-1]}.")


def subject_at(db: Database, uri: str) -> Subject | None:
    """The memory at an address, also one that only the log knows; None for an address that nothing knows."""
    rows = db.rows(compose(("logged/memory_now",), sql_text("judge/subject")), {"uri": normalised_address(uri)})
    return Subject(*rows[0]) if rows else None


def keep(path: Path, answers: Sequence[Answer]) -> None:
    """Append answers to the inbox of the store at `path`: they are on the disk when this returns."""
    if answers:
        Inbox(path).append_all([(KIND, asdict(answer)) for answer in answers])


def take(db: Database, records: Sequence[Mapping[str, Any]]) -> None:
    """Write answers of the inbox into a draft of the store, each once."""
    bring(db, records)
    db.execute(
        f"INSERT INTO wb.hand_labels BY NAME SELECT * FROM {WAITING} AS w"
        " WHERE w.label_id NOT IN (SELECT label_id FROM wb.hand_labels)"
    )
    db.execute(f"DROP TABLE {WAITING}")


def waiting(path: Path) -> list[dict[str, Any]]:
    """The answers in the inbox of the store at `path`. To be read before the store: what is folded meanwhile is then in
    both, and counts once."""
    return [entry.record for entry in Inbox(path).read() if entry.kind == KIND]


def bring(db: Database, records: Iterable[Mapping[str, Any]]) -> None:
    """Let whoever reads `db` see the answers that waited in its inbox."""
    db.execute(f"DROP TABLE IF EXISTS {WAITING}")
    expect_answers(db)
    rows = {
        record["label_id"]: {**record, "labelled_at": datetime.fromisoformat(record["labelled_at"])}
        for record in records
    }
    if rows:
        db.append(WAITING, pa.Table.from_pylist(list(rows.values()), _SCHEMA))


@contextmanager
def reading_answers(path: Path) -> Iterator[Database]:
    """The store at `path`, read-only, together with the answers that wait in its inbox."""
    answers = waiting(path)  # first: see there
    with reading(path) as db:
        bring(db, answers)
        yield db


def known_labels(db: Database) -> set[str]:
    """The label_id of every answer that was ever given."""
    expect_answers(db)
    return {name for (name,) in db.rows(f"SELECT label_id FROM ({sql_text('judge/answers')})")}


def listing(db: Database) -> list[dict[str, Any]]:
    """The answers that stand, newest first: query_id, prompt, uri, grade, labelled_by, labelled_at, expired."""
    expect_answers(db)
    rows: list[dict[str, Any]] = db.arrow(compose(HAND_LABELS, sql_text("judge/listed"))).to_pylist()
    return rows
