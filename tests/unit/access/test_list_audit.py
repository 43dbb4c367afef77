"""Looks at everybody's lists: a row for each program, again when some time has passed."""

from pathlib import Path

from services import NOON, house

from ashd.access.list_audit import Looks
from ashd.clock import SECOND


async def test_a_look_has_a_row_every_ten_minutes(tmp_path: Path) -> None:
    """Also when the clock was set back."""
    async with house(tmp_path) as at:
        looks = Looks(at.db)
        for seconds, rows in ((0, 1), (599, 1), (600, 2), (601, 2), (0, 3)):
            await looks.record(at.call(), NOON + seconds * SECOND)
            found = await at.db.read(lambda tx: tx.all("select outcome from audit"))

            assert [("all_scopes",)] * rows == found
