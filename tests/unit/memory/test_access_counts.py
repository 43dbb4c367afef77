"""Returned memories are counted, each time that one is returned. Budget: 2 s."""

from dataclasses import replace
from pathlib import Path

import pytest
from services import house

from ashd.memory.read import GetParams


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


@pytest.mark.parametrize(
    ("source", "method", "is_counted"),
    [
        *(("rpc", method, True) for method in ("memory.get", "memory.search", "context.get")),
        *(("cli", method, False) for method in ("memory.get", "memory.search", "search.all")),
        *(("cli", method, True) for method in ("context.get", "tools.call")),
        *(("web", method, False) for method in ("memory.get", "memory.search", "context.get")),
    ],
)
async def test_a_persons_look_does_not_count(
    tmp_path: Path, source: str, method: str, is_counted: bool
) -> None:
    """The page only shows memories; `ash` does, too, except where a prompt or a model asks."""
    async with house(tmp_path) as at:
        shed = await at.add("The bicycle shed is locked at nine")
        call = at.call(method)
        call = replace(call, actor=replace(call.actor, source=source))

        await at.read.get(call, GetParams(shed.id))
        await at.accesses.flush()

        assert (await at.get(shed)).access_count == is_counted
