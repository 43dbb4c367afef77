"""The rows that are searched say whom each memory is about."""

from pathlib import Path

from services import house

from ashd.search import visible_rows
from ashd.store import passages
from ashd.store.database import Tx
from ashd.store.filters import MemoryFilter


async def test_a_statement_in_the_first_person_is_about_its_speaker(tmp_path: Path) -> None:
    """As long as its caller named nobody: people who were read from it do not count as named."""
    async with house(tmp_path) as home:
        await home.add("I keep bees", subjects=["Mara"])
        await home.add("I keep goats")
        await home.add("I keep hens with my sister Ada")
        call = home.call("memory.search")

        def about(tx: Tx) -> list[tuple[bool, int]]:
            """Whether each memory is about the speaker, and about how many people."""
            viewer = call.look(tx)
            numbers = [number for (number,) in tx.all("select id from memories order by id")]
            rows = visible_rows.load(tx, viewer, MemoryFilter(), passages.MEMORY, numbers)
            (speaker,) = tx.one("select person from accounts where user_id = 'u'") or (None,)
            told = dict(zip(rows.item.tolist(), rows.about.tolist(), strict=True))
            return [(speaker in told[number], len(told[number])) for number in numbers]

        assert await home.db.read(about) == [(False, 1), (True, 1), (True, 2)]
