"""The layout of the full-text index."""

from pathlib import Path

import pytest
from services import house

pytestmark = pytest.mark.sqlite_file


async def test_facts_added_one_by_one_leave_few_segments(tmp_path: Path) -> None:
    """Each commit adds a segment, and every word of a question is looked up in all of them."""
    async with house(tmp_path) as at:
        for number in range(40):
            await at.add(f"Crate {number} is in the shed")

        segments = await at.db.read(
            lambda tx: tx.value("select count(distinct segid) from passage_fts_idx")
        )

    assert segments <= 6
