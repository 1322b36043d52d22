"""Transcripts of agents: which memories were opened and searched for, and which recall blocks were seen."""

from workbench.importers.transcripts.files import stage
from workbench.importers.transcripts.find import holds_transcripts, is_transcript

__all__ = ["holds_transcripts", "is_transcript", "stage"]
