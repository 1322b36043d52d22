"""What clients send: the shapes of the server's API, with bounds. What is not named here is passed over."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

Name = Annotated[str, Field(max_length=300)]
Address = Annotated[str, Field(max_length=4_000)]
Count = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Score = Annotated[float, Field(ge=-1_000, le=1_000, allow_inf_nan=False)]


class Shape(BaseModel):
    """A body; keys that are not named are ignored, as on the server."""

    model_config = ConfigDict(extra="ignore")


class RecallBody(Shape):
    """A prompt to recall for, with what this request asks otherwise than the configuration says."""

    query: str = Field(description="The prompt.")
    session_id: Name | None = None
    client_type: Name | None = None
    limit: Count | None = Field(None, description="How many of the best candidates are looked at; 0 means 12.")
    min_score: Score | None = None
    max_display_items: Count | None = None
    min_display_score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    exclude_boot_from_results: bool | None = None
    domain: Name | None = None


class DebugBody(RecallBody):
    """The same for looking at: all candidates come back, and nothing is recorded."""

    log_events: bool | None = Field(None, description="Passed over: this recall is never recorded.")


class UsageBody(Shape):
    """A report that memories were used; without addresses it speaks of all that the query showed."""

    query_id: Name
    node_uris: list[Address] = Field(
        default_factory=list, max_length=300, validation_alias=AliasChoices("node_uris", "uris")
    )
    session_id: Name | None = None
    client_type: Name | None = None
    source: Name = "agent_end"
    preview: Annotated[str, Field(max_length=20_000)] | None = None


class SearchBody(Shape):
    """A search on demand."""

    query: str
    mode: Literal["hybrid", "keyword", "semantic"] = "hybrid"
    domain: Name | None = None
    limit: Count | None = None
    content_limit: Count | None = None
    session_id: Name | None = None
    client_type: Name | None = None


class NodeBody(Shape):
    """A memory to open, by its address or by domain and path; the identifiers of the recall block mark it as used."""

    uri: Address | None = None
    domain: Name | None = None
    path: Address | None = None
    session_id: Name | None = None
    query_id: Name | None = None
    client_type: Name | None = None

    @property
    def address(self) -> str:
        """The address that is meant; "" where none is named."""
        return self.uri or (f"{self.domain or 'core'}://{self.path}" if self.path else "")


class SettingsBody(Shape):
    """Values to put in force, by key."""

    patch: dict[Name, Any] = Field(max_length=100)
