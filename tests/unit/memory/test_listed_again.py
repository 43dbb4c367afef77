"""A list of all that one has is kept between calls; it shows every change since."""

from pathlib import Path

from services import FixedClock, house

from ashd.memory.read import ListParams


async def test_a_list_shows_what_changed_since_the_last_one(tmp_path: Path) -> None:
    """Something new, deleted, restored, edited, superseded, and at its end."""
    clock = FixedClock()
    async with house(tmp_path, clock) as at:
        await at.add("The lamp is on.")
        heater = await at.add("The heater is in the cellar.")
        assert ["The lamp is on.", "The heater is in the cellar."] == await at.listed()
        await at.delete(heater)
        assert ["The lamp is on."] == await at.listed()
        await at.restore(heater)
        assert ["The lamp is on.", "The heater is in the cellar."] == await at.listed()
        await at.add("Bread is cheaper.", expires_in_days=1)
        moved = await at.add("The heater is in the attic.", supersedes=heater.id)
        left = ["The lamp is on.", "Bread is cheaper.", moved.content]
        assert left == await at.listed()
        assert len(await at.listed(include_superseded=True)) == 4
        clock.pass_by(days=2)
        assert ["The lamp is on.", moved.content] == await at.listed()
        assert left == await at.listed(include_expired=True)


async def test_pages_follow_one_another(tmp_path: Path) -> None:
    """Newest first; the total counts all, and the last page has no cursor."""
    async with house(tmp_path) as at:
        texts = [f"Shelf {number} holds {number * 7} books." for number in range(5)]
        for text in texts:
            await at.add(text)
        seen, cursor, pages = [], None, 0
        while pages == 0 or cursor is not None:
            page = await at.read.list(at.call(), ListParams(limit=2, cursor=cursor))
            seen += [one.content for one in page.memories]
            assert page.total == len(texts)
            cursor, pages = page.next_cursor, pages + 1
        assert (seen, pages) == (texts[::-1], 3)
