"""Long questions are read in a thread."""

from collections.abc import Callable
from typing import Any

import pytest

from ashd.search import long_questions


class Threads:
    """A database that computes at once, and counts how often it is asked to."""

    def __init__(self) -> None:
        self.count = 0

    async def compute(self, function: Callable[[str], str], text: str) -> str:
        self.count += 1
        return function(text)


@pytest.mark.parametrize(
    ("length", "threads"), [(long_questions.SHORT, 0), (long_questions.SHORT + 1, 2)]
)
async def test_only_a_long_question_is_read_in_a_thread(length: int, threads: int) -> None:
    """Reading it takes milliseconds, in which the event loop would answer nobody else."""
    db: Any = Threads()
    text = "Where did I buy the lamp last week?".ljust(length, "?")

    asked = await long_questions.asked(db, text)

    assert "last week" in asked
    assert "last week" not in await long_questions.without_time(db, asked)
    assert db.count == threads
