"""Options of the engine, and how they become the signals that a command replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from workbench.cli.output import progress, say
from workbench.errors import BadInput
from workbench.replay.engine import EngineReplay, engine_model, engine_replay
from workbench.replay.run import Settings
from workbench.replay.tokenizers import AUTO, chosen
from workbench.retrieve.clock import Clock
from workbench.store import Database
from workbench.textsearch import NAMES, tokenizer

LOGGED, ENGINE = "logged", "engine"

Signals = Annotated[
    str, typer.Option("--signals", help="logged: the signals as production logged them; engine: computed anew.")
]
AsOf = Annotated[
    str,
    typer.Option(
        "--as-of",
        help="Memories as they stood at the time of each prompt (logged), stand now (today), or stood at a TIME.",
    ),
]
TokenizerName = Annotated[
    str, typer.Option("--tokenizer", help="auto: the one that the log's token counts speak for; or simple, jieba.")
]
Model = Annotated[
    str | None,
    typer.Option("--model", help="Embedding model of the engine; else the imported server's, else one embedded."),
]


@dataclass(frozen=True)
class EngineOptions:
    """`signals` is LOGGED or ENGINE; the others are for the engine alone."""

    signals: str = LOGGED
    as_of: str = LOGGED
    tokenizer: str = AUTO
    model: str | None = None

    def __post_init__(self) -> None:
        if self.signals not in (LOGGED, ENGINE):
            raise BadInput(f"Unknown signals {self.signals!r}; choose from {LOGGED}, {ENGINE}.")
        if self.tokenizer not in (AUTO, *NAMES):
            raise BadInput(f"Unknown tokenizer {self.tokenizer!r}; choose from {AUTO}, {', '.join(NAMES)}.")
        if self.signals == LOGGED and (self.as_of.strip().lower() != LOGGED or self.tokenizer != AUTO or self.model):
            raise BadInput("--as-of, --tokenizer and --model are for the engine; add --signals engine.")

    @property
    def clock(self) -> Clock:
        """The engine's clock."""
        return Clock.parse(self.as_of, engine=True)

    def retrieve(self, db: Database, settings: Settings, selected: str, json: bool) -> EngineReplay | None:
        """Run the engine over the queries of the table `selected`; None where the logged signals are replayed."""
        clock = self.clock
        if self.signals == LOGGED:
            return None
        name = chosen(db).name if self.tokenizer == AUTO else self.tokenizer
        with progress(json) as step:
            replayed = engine_replay(
                db, settings, selected, tokenizer(name), engine_model(db, self.model), clock, progress=step
            )
        for sentence in replayed.notes():
            say(sentence)
        return replayed
