"""Vectors that came with the data: a Parquet file of texts and their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.embed.protocol import Floats, Refused
from workbench.errors import BadInput
from workbench.retrieve.embeddings import normalise

_TEXT, _VECTOR = "text", "vector"


class VectorFile:
    """The file `path` with a column `text` and a column `vector` of lists of numbers, made by the model `name`.

    Texts are known by their normalised form, the first row of equal ones counts. `dimension` is the length of most of
    its vectors. BadInput for a file that has no such columns.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        texts, vectors = _columns(path)
        lists = vectors.cast(pa.large_list(pa.float32())).combine_chunks()
        self._flat = lists.values.to_numpy(zero_copy_only=False)
        self._starts = lists.offsets.to_numpy()
        self._row: dict[str, int] = {}
        for place, text in enumerate(texts.to_pylist()):
            if text is not None:
                self._row.setdefault(normalise(text), place)
        lengths = np.diff(self._starts)
        self._lengths = np.where(lists.is_valid().to_numpy(zero_copy_only=False), lengths, 0)
        present = self._lengths[self._lengths > 0]
        if not len(present):
            raise BadInput(f"{path} holds no vectors.")
        self.dimension: int | None = int(np.bincount(present).argmax())

    @property
    def texts(self) -> list[str]:
        """The texts of the file, normalised."""
        return list(self._row)

    def embed(self, texts: Sequence[str]) -> Floats:
        """See Embedder; Refused for texts that are not in the file and for vectors of another length."""
        places = [self._row.get(text, -1) for text in texts]
        if -1 in places:
            raise Refused("the file has no such text")
        length = self.dimension or 0
        odd = sorted(set(self._lengths[places].tolist()) - {length})
        if odd:
            raise Refused(f"its vector has {odd[0]} numbers instead of {length}" if odd[0] else "it has no vector")
        rows: Floats = self._flat[self._starts[places][:, None] + np.arange(length)]
        return rows


def _columns(path: Path) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    try:
        schema = pq.read_schema(path)
        _check(path, schema)
        table = pq.read_table(path, columns=[_TEXT, _VECTOR])
    except FileNotFoundError as error:
        raise BadInput(f"There is no file {path}.") from error
    except (OSError, pa.ArrowInvalid) as error:
        raise BadInput(f"{path} cannot be read as a Parquet file.") from error
    return table[_TEXT], table[_VECTOR]


def _check(path: Path, schema: pa.Schema) -> None:
    if not {_TEXT, _VECTOR} <= set(schema.names):
        raise BadInput(f"{path} needs the columns {_TEXT} and {_VECTOR}; it has {', '.join(schema.names) or 'none'}.")
    text, vector = (schema.field(name).type for name in (_TEXT, _VECTOR))
    if not (pa.types.is_string(text) or pa.types.is_large_string(text)) or not _is_list_of_numbers(vector):
        raise BadInput(f"{path}: {_TEXT} has to be text and {_VECTOR} a list of numbers, not {text} and {vector}.")


def _is_list_of_numbers(kind: pa.DataType) -> bool:
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return bool(is_list and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)))
