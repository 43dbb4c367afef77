"""The division of a conversation into sessions."""

import numpy as np

from ashd.clock import DAY, SECOND
from ashd.search import visible_rows


def numbers(conversations: list[int], at: list[int]) -> list[int]:
    return visible_rows.sessions(np.array(conversations, np.int64), np.array(at, np.int64)).tolist()


def test_a_silence_opens_a_session() -> None:
    """Turns of one conversation on two days are no neighbours; those a minute apart are."""
    minute = 60 * SECOND

    assert numbers([7] * 4, [0, minute, DAY, DAY + minute]) == [0, 0, 1, 1]


def test_another_conversation_is_another_session() -> None:
    """Different conversations are different sessions, however close in time."""
    assert numbers([7, 8, 8], [0, 0, 1]) == [0, 1, 1]


def test_memories_are_in_no_session() -> None:
    """Rows without a conversation have no session; no rows are no failure."""
    assert numbers([-1, -1], [0, DAY]) == [-1, -1]
    assert numbers([], []) == []
