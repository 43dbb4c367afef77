"""A reference is resolved in the writer thread, within the time of its call."""

import math
from pathlib import Path

import pytest
from services import house

from ashd import errors
from ashd.people import resolve
from ashd.store.database import Tx


async def test_no_reference_is_resolved_once_the_time_is_over(tmp_path: Path) -> None:
    """A call with many subjects ends between two of them."""
    async with house(tmp_path) as home:
        call = home.call()

        def resolved(tx: Tx) -> None:
            viewer = call.enter(tx)
            speaker = resolve.speaker_of(tx, viewer, call.speaker(tx, viewer), None)
            assert resolve.resolve(tx, speaker, "my friend Ada") is not None
            tx.until = -math.inf
            resolve.resolve(tx, speaker, "my friend Bo")

        with pytest.raises(errors.TimedOut):
            await home.db.write(resolved)
