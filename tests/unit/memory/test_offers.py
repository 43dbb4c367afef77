"""Earlier facts that a new one may replace are offered, the likeliest first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from services import House, house

from ashd.memory import add as remember
from ashd.memory.add_result import Added
from ashd.memory.judge import Opinion
from ashd.memory.opinions import Opinions

pytestmark = pytest.mark.anyio

OLDER = [f"Note {word} is on the desk" for word in ("amber", "blue", "coral", "dun", "ecru")]


async def told(
    at: House, monkeypatch: pytest.MonkeyPatch, content: str, opinions: Mapping[int, Opinion]
) -> Added:
    """Add a fact with these opinions on the memories by row number."""
    with monkeypatch.context() as patched:
        judged = [Opinions(dict(opinions))]
        patched.setattr(remember.judging, "of_facts", lambda _tx, **_given: judged)
        return await at.entry(content)


def contents(entries: list[Any]) -> list[str]:
    return [entry.content for entry in entries]


async def test_the_likeliest_are_offered_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither nearness nor age decides which three are offered."""
    likely = {1: 0.3, 2: 0.8, 3: 0.2, 4: 0.5, 5: 0.6}
    async with house(tmp_path) as at:
        for content in OLDER:
            await told(at, monkeypatch, content, {})

        opinions = {number: Opinion(replaces, 0.0) for number, replaces in likely.items()}
        entry = await told(at, monkeypatch, "The desk is empty", opinions)

        assert contents(entry.may_replace) == [OLDER[1], OLDER[4], OLDER[3]]
