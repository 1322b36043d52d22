"""How an import is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from workbench.errors import BadInput

TOKENIZERS = ("auto", "simple", "jieba")

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class ImportOptions:
    """`since`: recalls, memory events and what agents did before it are skipped; `zone`: how time stamps without a zone
    are read; `redact`: the prompts and searches of transcripts are kept without their text."""

    tokenizer: str = "auto"
    since: datetime | None = None
    zone: str = "UTC"
    redact: bool = False

    def __post_init__(self) -> None:
        if self.tokenizer not in TOKENIZERS:
            raise BadInput(f"Unknown tokenizer {self.tokenizer!r}; choose from {', '.join(TOKENIZERS)}.")
        try:
            ZoneInfo(self.zone)
        except (KeyError, ValueError, OSError) as error:
            raise BadInput(f"Unknown time zone {self.zone!r}; name one like Asia/Shanghai or UTC.") from error
