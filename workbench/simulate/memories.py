"""Memories of a simulated world: their texts, keywords, views and vectors."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from workbench.simulate.world import World

Vectors = NDArray[np.float32]

GIST_CHARACTERS = 420
VIEWS = ("gist", "question")
VIEW_WEIGHTS = (1.0, 0.96)
_COMMON_PART = 0.72
_GRAIN = 2.0**20
_BOOT = (
    ("core", "agent", "How the agent works", "Read the failing test first; ask before deleting data.", "working rules"),
    ("core", "soul", "Voice of the agent", "Calm and direct, no flattery. 说话直接，不客套。", "voice"),
    ("preferences", "user", "Who the user is", "Works in two languages, prefers short answers.", "user profile"),
)


@dataclass(frozen=True)
class Subject:
    """One line of topics.toml."""

    topic: int
    uri: str
    english: str
    chinese: str
    keyword: str
    zh_keyword: str
    common: str


@dataclass(frozen=True)
class Memory:
    """One memory; `subject` is its number among the subjects, -1 for start-up memories. `created_at` is when its text
    was written; `former` is the text that it had before, since `born_at`."""

    number: int
    node_uuid: str
    domain: str
    path: str
    priority: int
    disclosure: str
    content: str
    keywords: tuple[str, ...]
    subject: int
    created_at: datetime
    born_at: datetime
    former: str | None = None

    @property
    def memory_id(self) -> str:
        """The id of its present version; the former one has the number before."""
        return str(2 * self.number + 2)

    @property
    def uri(self) -> str:
        return f"{self.domain}://{self.path}"

    @property
    def glossary_at(self) -> datetime:
        """When its keywords were embedded."""
        return self.created_at + timedelta(seconds=1)

    @property
    def views_at(self) -> datetime:
        """When its views were made."""
        return self.created_at + timedelta(seconds=2)

    def view_texts(self) -> tuple[str, str]:
        """The gist and the question."""
        gist = " ".join(self.content.split())[:GIST_CHARACTERS] + "\n" + self.disclosure
        name = self.path.rpartition("/")[2].replace("_", " ")
        question = f"What do we know about {name}?\n{self.disclosure}?\n{self.keywords[0]}：要注意什么？"
        return gist, question


@cache
def subjects() -> tuple[Subject, ...]:
    """Every line of topics.toml, in the order of the file."""
    text = resources.files("workbench.simulate").joinpath("topics.toml").read_text(encoding="utf-8")
    found = []
    for topic, (address, described) in enumerate(tomllib.loads(text)["topics"].items()):
        for line in described["lines"]:
            slug, english, chinese, keyword, zh_keyword = (part.strip() for part in line.split("|"))
            found.append(
                Subject(topic, f"{address}/{slug}", english, chinese, keyword, zh_keyword, described["common"])
            )
    return tuple(found)


def make_memories(world: World, rng: np.random.Generator) -> list[Memory]:
    """The start-up memories, then one memory a subject, over again with a number when the world wants more."""
    made = [_boot_memory(n, boot, world, rng) for n, boot in enumerate(_BOOT)]
    for n in range(world.memories):
        made.append(_memory(len(made), n, world, rng))
    return made


def _boot_memory(number: int, boot: tuple[str, str, str, str, str], world: World, rng: np.random.Generator) -> Memory:
    domain, path, disclosure, content, keyword = boot
    uuid, created = _uuid(rng), _created(world, rng)
    return Memory(number, uuid, domain, path, 0, disclosure, content, (keyword,), -1, created, created)


def _memory(number: int, n: int, world: World, rng: np.random.Generator) -> Memory:
    known = subjects()
    subject = known[n % len(known)]
    again = n // len(known)
    domain, path = (subject.uri + (f"_{again + 1}" if again else "")).split("://")
    chinese_first = rng.random() < 0.5
    parts = [f"{subject.english.capitalize()}: agreed with the team, follow it.", f"{subject.chinese}，已和团队约定。"]
    keywords = [subject.keyword, subject.zh_keyword]
    if rng.random() < world.common_keywords:
        keywords.append(subject.common)
    if chinese_first:
        parts.reverse()
    edited, created = rng.random() < world.edited, _created(world, rng)
    return Memory(
        number, _uuid(rng), domain, path, int(rng.choice(7, p=(0.03, 0.12, 0.25, 0.25, 0.2, 0.1, 0.05))),
        f"涉及{subject.chinese}时" if chinese_first else f"When it comes to {subject.english}",
        "\n".join(parts), tuple(keywords), n % len(known), created,
        created - timedelta(milliseconds=int(rng.integers(86_400_000, 90 * 86_400_000))) if edited else created,
        parts[0] if edited else None,
    )  # fmt: skip


def _uuid(rng: np.random.Generator) -> str:
    digits = rng.bytes(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


def _created(world: World, rng: np.random.Generator) -> datetime:
    """Some time in the two years before the log starts, newer ones more often; to the millisecond."""
    days = float(rng.beta(1, 3)) * 730 + 1
    return world.start - timedelta(milliseconds=round(days * 86_400_000))


@dataclass(frozen=True)
class Space:
    """The space that texts are embedded in: a direction all share, one a topic, one a subject."""

    shared: Vectors
    topics: Vectors
    subjects: Vectors

    @classmethod
    def make(cls, world: World, rng: np.random.Generator) -> Space:
        count = len(subjects())
        topics = max(subject.topic for subject in subjects()) + 1
        return cls(*(unit(rng.normal(size=(rows, world.dimensions))) for rows in (1, topics, count)))

    def embed(self, numbers: Sequence[int], noise: float, rng: np.random.Generator) -> Vectors:
        """Unit vectors of texts about the subjects `numbers` (-1: none); `noise` is the share of chance, 0..1."""
        chance = unit(rng.normal(size=(len(numbers), self.shared.shape[1])))
        chosen = np.array(numbers)
        known = chosen >= 0
        topic = np.array([subject.topic for subject in subjects()])
        about = np.zeros_like(chance)
        about[known] = np.sqrt(0.45) * self.topics[topic[chosen[known]]] + np.sqrt(0.55) * self.subjects[chosen[known]]
        own = unit(np.sqrt(1 - noise) * about + np.sqrt(noise) * chance)
        return unit(np.sqrt(_COMMON_PART) * self.shared + np.sqrt(1 - _COMMON_PART) * own)


def unit(rows: NDArray[np.floating]) -> Vectors:
    """Each row scaled to length 1 and rounded to steps of 2^-20: sums of products of such numbers are exact in 64 bits,
    so that similarities do not depend on the order in which a processor adds."""
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    scaled: Vectors = (np.round(rows / lengths * _GRAIN) / _GRAIN).astype(np.float32)
    return scaled
