"""Calls of an embedder in threads, in turns of those who share it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, Protocol

import anyio.to_thread

from ashd import errors
from ashd.fair_turns import FairGate
from ashd.providers.embedder import Embedder, Embedding
from ashd.providers.openai_embedder import stored_api_model
from ashd.store.embeddings import Waiting

PROBE: Final = "ready"
"""A text that no embedder has a reason to refuse."""
BATCH: Final = 32
"""Texts that are given to an embedder at a time."""
_LONG_BATCH: Final = 4
"""The same for a language model that runs here: a tenth of a second, which goes on when its caller
has gone.
"""

_LEAST: Final = 2
_MOST: Final = 4
"""Calls at a time, of which one owner has all but one."""


def at_once(embedder: Embedder) -> int:
    """Return the number of texts that an embedder gets in one call."""
    return _LONG_BATCH if _runs_here(embedder) and embedder.reads_context else BATCH


class Gate(Protocol):
    """A gate that calls of an embedder pass, such as `FairGate`."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait for the owner's turn, and hold a place meanwhile."""
        ...


class WatchedGate:
    """A gate for one caller, who learns from it who is slow: the embedder, or those before."""

    def __init__(self, gate: FairGate) -> None:
        self._gate = gate
        self.is_held = False
        """Whether the embedder has been asked and has not answered."""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """`Gate.turn`."""
        async with self._gate.turn():
            self.is_held = True
            yield
            self.is_held = False  # not if the caller ran out of time


class CallerGate:
    """Lets calls of an embedder through, for callers who wait for its vectors."""

    def __init__(self, processors: int) -> None:
        """`processors` is the number of those that an embedder here may use."""
        self._here = FairGate(min(max(processors, _LEAST), _MOST))
        self.elsewhere = FairGate(_MOST)

    def of(self, embedder: Embedder) -> FairGate:
        """Return the gate of an embedder: one that runs here keeps a processor busy in each call.

        More calls at once would be no faster, and would take the processors from other owners.
        """
        return self._here if _runs_here(embedder) else self.elsewhere


def _runs_here(embedder: Embedder) -> bool:
    return stored_api_model(embedder.model) is None


async def run(gate: Gate, function: Callable[[Any], Any], argument: Any) -> Any:
    """Return a function's result from a thread, when it is the owner's turn.

    Raises:
        errors.EmbeddingUnavailable
    """
    async with gate.turn():
        return await anyio.to_thread.run_sync(function, argument, abandon_on_cancel=True)


async def answers(gate: Gate, embedder: Embedder) -> bool:
    """Return whether the embedder accepts a harmless text: then the refused text was at fault."""
    try:
        await run(gate, embedder.embed, [PROBE])
    except errors.EmbeddingUnavailable:
        return False
    return True


async def accepted(
    embed: Callable[[Sequence[str]], Awaitable[dict[bytes, Embedding]]],
    batch: list[Waiting],
    refused: list[Waiting],
) -> dict[bytes, Embedding]:
    """Return the vectors of texts that the embedder accepts; add the others to `refused`."""
    if not batch:
        return {}
    try:
        return await embed([one.text or "" for one in batch])
    except errors.TextRefused:
        if len(batch) == 1:
            refused.extend(batch)
            return {}
    half = len(batch) // 2
    return {
        **await accepted(embed, batch[:half], refused),
        **await accepted(embed, batch[half:], refused),
    }
