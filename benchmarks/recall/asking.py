"""Ask every system alike: each question once for its ranking, then some of them for the time.

Needs the standard library only: the peers' environment asks the same way.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.recall.locomo import Conversation

DEPTH = 100
_TIMED = 200
_TIMED_DEPTH = 10

Search = Callable[[str, str, int], list[str]]
"""Space, question, how many are wanted: the ids that were found, best first."""


def ask(conversations: Sequence[Conversation], search: Search) -> dict[str, Any]:
    """The ranking of every question in a space for each conversation, and times of short ones."""
    asked = [(one.name, question.text) for one in conversations for question in one.questions]
    rankings = [search(space, text, DEPTH) for space, text in asked]
    taken_ms = []
    for space, text in asked[:: max(1, len(asked) // _TIMED)]:
        begun = time.perf_counter()
        search(space, text, _TIMED_DEPTH)
        taken_ms.append((time.perf_counter() - begun) * 1e3)
    return {"rankings": rankings, "search_ms": taken_ms}
