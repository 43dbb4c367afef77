"""Returned memories are counted, each time that one is returned. Budget: 2 s."""

from pathlib import Path

from services import house


async def test_each_return_of_a_burst_counts(tmp_path: Path) -> None:
    """Returns written down together all count; a memory that was not returned does not (A15)."""
    async with house(tmp_path) as at:
        shed = await at.add("The bicycle shed is locked at nine")
        gate = await at.add("The gate is painted red")
        unread = await at.add("Otters hold hands")
        await at.accesses.flush()

        for _ in range(20):
            await at.found("bicycle shed", mode="lexical")
        await at.found("red gate", mode="lexical")
        await at.accesses.flush()
        counts = [(await at.get(memory)).access_count for memory in (shed, gate, unread)]

        assert counts == [20, 1, 0]
