"""What of remembering a fact is done before it enters the writer lane, which is everybody's."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
from services import house

from ashd.memory import remember
from ashd.memory.model import Fact

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_long_text_is_read_before_it_enters_the_lane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cleaning, fingerprint, form and pairs of signs: what is left to the lane is far less."""
    chosen = random.Random(1)
    texts = ["".join(chr(chosen.randint(0x4E00, 0x6FFF)) for _ in range(10_000)) for _ in range(12)]
    before, lane = [], []
    add = remember._add

    def timed(*arguments: Any) -> Any:
        began = time.thread_time()
        result = add(*arguments)
        lane.append(time.thread_time() - began)
        return result

    monkeypatch.setattr(remember, "_add", timed)
    async with house(tmp_path) as at:
        for text in texts:
            began = time.thread_time()
            remember.prepare(Fact(content=text))
            before.append(time.thread_time() - began)
            await at.add(text)

    assert 2 * sorted(lane)[6] < sorted(before)[6]
