"""Prompts of a simulated world: who asked what, when, and which memory was needed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from workbench.simulate.memories import Memory, subjects
from workbench.simulate.world import World

QUERY_CHARACTERS = 200
_WITH_DETAIL = 0.7

_CLEAR = (
    "how do we handle {en}?", "what was our rule for {en}", "please check {en} before you go on",
    "{en}: what is agreed?",    "{zh}怎么处理？", "之前关于{zh}是怎么约定的", "帮我看下{zh}", "{zh}有什么规定吗",
)  # fmt: skip
_VAGUE = (
    "what did we say about {word} again?", "I forgot how {word} works here", "is there a note on {word}?",
    "what was the agreement on that one?", "there was a rule for this case, right?",
    "did we not settle this last month", "same problem as in spring, what did we do then?",
    "{zw}那块之前怎么定的", "这种情况上次是怎么处理的", "这个之前不是约定过吗",
    "我记得这里有条规矩", "老问题又来了，之前的结论是什么", "按之前说好的来，是哪条来着",
)  # fmt: skip
_CHAT = (
    "continue", "yes, do that", "looks good, next one", "run the {common} again", "why does the {common} fail now?",
    "show me the {common} first", "commit this", "explain the last change", "rename it and run every {common}",
    "继续", "好的，下一步", "再跑一遍", "把这个 {common} 改一下", "先看看 {common}", "解释一下刚才的改动", "提交吧",
    "the {common} is green, merge it", "undo the last {common} change", "add a {common} for the new case",
)  # fmt: skip
_DETAIL = (" (ticket {n})", ", see #{n}", " for build {n}", "，工单 {n}", "（第 {n} 行）")
_PASTE = "at line {n}: value {n} was expected but {m} was found, trying again; "


@dataclass(frozen=True)
class Prompt:
    """One recall. `needed` is the number of the memory that would help, -1 when none would; `about` the subject of the
    part that is searched: a paste that fills that part has none, even where the question behind it needs a memory."""

    query_id: str
    text: str
    session_id: str
    client_type: str
    now: datetime
    about: int
    needed: int
    duration_ms: int
    truncated: bool = False

    @property
    def searched(self) -> str:
        """The part that the signals see."""
        return self.text[:QUERY_CHARACTERS]

    @property
    def typed(self) -> bool:
        """Whether somebody typed it: no start-up, no console, no heartbeat."""
        return self.session_id not in ("boot", "recall-ui-debug") and "HEARTBEAT" not in self.text


def make_prompts(world: World, memories: list[Memory], rng: np.random.Generator) -> list[Prompt]:
    """`world.prompts` typed prompts in sessions, with start-up, console and heartbeat recalls; in order of time."""
    about = [memory for memory in memories if memory.subject >= 0]
    weights = 1 / (1 + rng.permutation(len(about)))
    popularity = weights / weights.sum()
    made: list[Prompt] = []
    typed = 0
    names = list(world.clients)
    shares = np.array([world.clients[name].share for name in names])
    while typed < world.prompts:
        client = str(rng.choice(names, p=shares / shares.sum()))
        session = f"sess_{rng.bytes(4).hex()}"
        when = _working_time(world, rng)
        made += _session_start(client, when, rng)
        for _ in range(min(int(rng.integers(3, 13)), world.prompts - typed)):
            when += timedelta(milliseconds=int(rng.exponential(240_000)) + 5_000)
            made.append(_typed(world, about, popularity, client, session, when, rng))
            typed += 1
    made += _console(world, rng)
    return sorted(made, key=lambda prompt: (prompt.now, prompt.query_id))


def _typed(
    world: World, about: list[Memory], popularity: np.ndarray[tuple[int], np.dtype[np.float64]], client: str,
    session: str, when: datetime, rng: np.random.Generator,
) -> Prompt:  # fmt: skip
    chosen = about[int(rng.choice(len(about), p=popularity))]
    needs = rng.random() < world.needs * world.clients[client].asks
    text = _text(world, chosen, needs, rng)
    if rng.random() < world.long:
        text = "".join(_PASTE.format(n=n, m=int(rng.integers(100))) for n in range(int(rng.integers(4, 15)))) + text
    slow = rng.random() < world.slow
    duration = int(rng.lognormal(4.1, 0.4)) + (int(rng.integers(2_000, 12_000)) if slow else 0)
    is_cut = len(text) > QUERY_CHARACTERS
    related = needs or rng.random() < 0.3
    subject = chosen.subject if related and not is_cut else -1
    return Prompt(
        _query_id(rng), text, session, client, when, subject, chosen.number if needs else -1, duration, is_cut
    )


def _text(world: World, chosen: Memory, needs: bool, rng: np.random.Generator) -> str:
    subject = subjects()[chosen.subject]
    templates = _CHAT if not needs else _VAGUE if rng.random() < world.vague else _CLEAR
    template = str(rng.choice(templates))
    words = [word for word in re.findall(r"\w+", subject.english) if len(word) > 4] or [subject.common]
    text = template.format(
        en=subject.english, zh=subject.chinese, word=str(rng.choice(words)), common=subject.common,
        zw=subject.chinese[: max(2, len(subject.chinese) // 2)],
    )  # fmt: skip
    detail = str(rng.choice(_DETAIL)) if rng.random() < _WITH_DETAIL else ""
    return text + detail.format(n=int(rng.integers(100, 9_000)))


def _session_start(client: str, when: datetime, rng: np.random.Generator) -> list[Prompt]:
    """Start-up recalls of one session in four, and now and then a heartbeat."""
    made = []
    if client in ("claudecode", "codex") and rng.random() < 0.25:
        for name in (client, str(rng.choice(("shop", "pipeline", "mobile")))):
            made.append(Prompt(_query_id(rng), name, "boot", client, when, -1, -1, int(rng.lognormal(4.0, 0.3))))
            when += timedelta(milliseconds=40)
    if client == "openclaw" and rng.random() < 0.3:
        beat = "Hourly look at the task list: is something due? If not, say HEARTBEAT_OK."
        made.append(Prompt(_query_id(rng), beat, f"sess_{rng.bytes(4).hex()}", client, when, -1, -1, 55))
    return made


def _console(world: World, rng: np.random.Generator) -> list[Prompt]:
    """Trials of an administrator in the recall console."""
    texts = ("refund", "backup restore", "推送", "test", "deploy")
    return [
        Prompt(
            _query_id(rng), str(rng.choice(texts)), "recall-ui-debug", "admin", _working_time(world, rng), -1, -1, 48
        )
        for _ in range(max(1, world.prompts // 150))
    ]


def _working_time(world: World, rng: np.random.Generator) -> datetime:
    day, hour = int(rng.integers(world.days)), float(rng.uniform(1, 11))
    return world.start + timedelta(days=day, milliseconds=round(hour * 3_600_000))


def _query_id(rng: np.random.Generator) -> str:
    return f"q_{rng.bytes(6).hex()}"
