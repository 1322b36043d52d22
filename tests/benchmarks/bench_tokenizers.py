"""Tokenizers against a plain split at blanks: `python tests/benchmarks/bench_tokenizers.py [TEXTS]`.

Prints texts a second on one core, and how many passes of `str.split` over the same texts that costs; medians of
interleaved runs. The goal is at least 20,000 prompts a second with `simple`.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from workbench.textsearch import NAMES, tokenizer

RUNS = 5
WORDS = (
    "webhook retries are deduplicated with the key header of a refund and migration plan rollback deploy cache queue",
    "数据库 迁移 怎么做 重试 策略 应该 想起 什么 部署 服务 记忆 系统 设计 个人信息 正则表达式 今天天气 同义词",
    "checkout_api app/workers/hooks.py LEDGER-409 v1.2.3 https://docs.example.com/a/b.html ops@example.com off-by-one",
)


def prose(chance: random.Random, kind: str, length: int) -> str:
    """About `length` characters: English, Chinese without blanks, or identifiers among English words."""
    english, chinese, names = (words.split() for words in WORDS)
    parts, size = [], 0
    while size < length:
        named = kind == "identifiers" and chance.random() < 0.3
        parts.append(chance.choice(chinese if kind == "Chinese" else names if named else english))
        if chance.random() < 0.12:
            parts[-1] += "，" if kind == "Chinese" else ", "
        size += len(parts[-1]) + (kind != "Chinese")
    return ("" if kind == "Chinese" else " ").join(parts)


def timed(work: Callable[[str], object], texts: Sequence[str]) -> float:
    start = time.perf_counter()
    for text in texts:
        work(text)
    return time.perf_counter() - start


def measure(works: dict[str, Callable[[str], object]], texts: Sequence[str]) -> dict[str, float]:
    """The median time of each work over all texts, after one warm-up of each."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for run in range(RUNS + 1):
        for name, work in works.items():
            took = timed(work, texts)
            if run:
                times[name].append(took)
    return {name: statistics.median(values) for name, values in times.items()}


def main(count: int) -> None:
    works: dict[str, Callable[[str], object]] = {"split": str.split}
    for name in NAMES:
        tokens = tokenizer(name)
        works |= {f"{name} document": tokens.document, f"{name} query": tokens.query, f"{name} any_of": tokens.any_of}
    for kind in ("English", "Chinese", "identifiers"):
        for length, what in ((60, "prompts"), (400, "views")):
            chance = random.Random(1)
            texts = [prose(chance, kind, length) for _ in range(count)]
            print(f"{count:,} {what} of some {length} characters, {kind}")
            times = measure(works, texts)
            for name, seconds in times.items():
                print(f"  {name:16} {count / seconds:12,.0f} texts/s {seconds / times['split']:8.1f} x split")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
