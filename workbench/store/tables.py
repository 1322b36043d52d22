"""Lore's tables as the workbench keeps them: columns, types, keys, and what a source may lack.

The column lists are facts of server 1.3.22. Ids are text whatever the source holds; time stamps are UTC;
jsonb is its text; vectors are lists of 32-bit floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a value of a column is read and stored."""

    ID = "VARCHAR"
    TEXT = "TEXT"
    JSON = "JSON"
    INTEGER = "INTEGER"
    REAL = "FLOAT"
    BOOLEAN = "BOOLEAN"
    TIME = "TIMESTAMP WITH TIME ZONE"
    VECTOR = "FLOAT[]"

    @property
    def sql_type(self) -> str:
        """The DuckDB type of such a column."""
        return "VARCHAR" if self in (Kind.ID, Kind.TEXT, Kind.JSON) else self.value


@dataclass(frozen=True)
class Column:
    """One column. A source without a required one is refused; a required value that is missing rejects its row, except
    a time stamp. An unreadable value of a `lenient` column becomes NULL instead of rejecting the row."""

    name: str
    kind: Kind
    required: bool = False
    lenient: bool = False

    @property
    def nullable(self) -> bool:
        """Whether the store accepts a row without a value."""
        return not self.required or self.kind is Kind.TIME


@dataclass(frozen=True)
class Table:
    """One table; `key` names the columns that tell its rows apart.

    `rollup` marks a table that is derived from `recall_events` where a source lacks it.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    rollup: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)


_KINDS = {"id": Kind.ID, "text": Kind.TEXT, "json": Kind.JSON, "int": Kind.INTEGER, "real": Kind.REAL,
          "bool": Kind.BOOLEAN, "time": Kind.TIME, "vector": Kind.VECTOR}  # fmt: skip


def _table(name: str, key: str, spec: str, *, rollup: bool = False) -> Table:
    """Read `column:kind` words; a `!` behind the kind marks a required column, a `?` a lenient one."""
    columns = []
    for word in spec.split():
        column, kind = word.split(":")
        columns.append(
            Column(column, _KINDS[kind.rstrip("!?")], required=kind.endswith("!"), lenient=kind.endswith("?"))
        )
    return Table(name, tuple(columns), tuple(key.split()), rollup)


_INDEXED = """id:id! domain:text! path:text! uri:text! node_uuid:id memory_id:id priority:int disclosure:text"""
_EMBEDDED = """embedding_model:text embedding_dim:int embedding_vector:vector metadata:json
    source_signature:text created_at:time updated_at:time"""

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        _table("nodes", "uuid", "uuid:id! created_at:time"),
        _table(
            "memories",
            "id",
            "id:id! node_uuid:id! content:text deprecated:bool migrated_to:id created_at:time",
        ),
        _table(
            "edges",
            "id",
            "id:id! parent_uuid:id child_uuid:id! priority:int disclosure:text created_at:time",
        ),
        _table("paths", "domain path", "domain:text! path:text! edge_id:id! created_at:time"),
        _table("glossary_keywords", "id", "id:id! keyword:text! node_uuid:id! created_at:time"),
        _table(
            "memory_views",
            "id",
            f"{_INDEXED} view_type:text! source:text status:text weight:real text_content:text! fts:text {_EMBEDDED}",
        ),
        _table(
            "glossary_term_embeddings",
            "id",
            f"{_INDEXED} keyword:text! match_text:text source:text status:text {_EMBEDDED}",
        ),
        _table(
            "recall_queries",
            "query_id",
            """query_id:id! query_text:text! session_id:text client_type:text merged_count:int shown_count:int
            used_count:int duration_ms:int created_at:time!""",
            rollup=True,
        ),
        _table(
            "recall_query_candidates",
            "query_id node_uri",
            """id:id query_id:id! node_uri:text! client_type:text final_rank_score:real selected:bool!
            used_in_answer:bool! ranked_position:int? displayed_position:int? created_at:time""",
            rollup=True,
        ),
        _table(
            "recall_events",
            "id",
            """id:id! query_text:text! node_uri:text! retrieval_path:text! view_type:text pre_rank_score:real
            final_rank_score:real selected:bool! used_in_answer:bool! metadata:json! created_at:time! query_id:id
            session_id:text client_type:text ranked_position:int? displayed_position:int?""",
        ),
        _table(
            "memory_events",
            "id",
            """id:id! event_type:text! node_uri:text! node_uuid:id domain:text path:text source:text
            session_id:text before_snapshot:json after_snapshot:json details:json created_at:time!""",
        ),
        _table("app_settings", "key", "key:text! value:json! updated_at:time"),
    )
}
