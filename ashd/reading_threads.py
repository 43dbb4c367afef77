"""Reading texts in a thread, in turns of those whose texts they are.

It computes and waits for nothing. Each thread more that computes makes all others wait longer
whenever they ask for the interpreter, which a search does at every step of its SQL. So one text of
an owner is read at a time, and of two owners at most.
"""

from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple, Unpack

import anyio.to_thread

from ashd.fair_turns import FairGate

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_GATE: Final = FairGate(2)


async def run(function: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T:
    """Return the result of a pure function of texts."""
    async with _GATE.turn():
        return await anyio.to_thread.run_sync(function, *arguments)
