"""The engine end to end, from prompt text to the recall block, against the real server."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_engine import compare


@pytest.mark.conformance
@pytest.mark.slow
@pytest.mark.parametrize(("name", "records"), [("simple", 404 * 16), ("jieba", 404 * 4)])
def test_every_layer_of_every_golden_record_is_equal(conformance: Path, name: str, records: int) -> None:
    found = compare(conformance, name)
    assert not {layer: examples[:3] for layer, examples in found.different.items() if examples}, "\n".join(
        found.lines()
    )
    assert found.equal["scores"] == found.equal["order"] == records
    assert found.equal["items"] + found.tied["items"] == records
    assert found.equal["exact rows, order"] == 404
    assert found.equal["recall block"] > 390
    assert sum(found.tied.values()) < 20
