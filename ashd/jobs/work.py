"""The interface between the queue and the kinds of jobs."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, NamedTuple, Protocol

from ashd.store.database import Tx
from ashd.store.jobs import Job


class Work(NamedTuple):
    """The result of a job: the effects to write."""

    write: "Callable[[Tx], str | Unfinished]"
    """Writes the effects, in the transaction that ends the job; returns the outcome to read."""
    scoped: bool = False
    """Whether `write` declares by `Tx.touch` and `Tx.grow` who may see its changes."""
    held: AsyncExitStack | None = None
    """Locks on what the handler has read; released after the write."""


class Unfinished(NamedTuple):
    """The outcome of a run that did a part of its job: its effects are written, the rest waits.

    The rest is tried again later. It is set aside if several runs in a row do nothing of it, and at
    once if there is no use in asking again.
    """

    reason: str
    payload: Any
    """The rest, as the payload of the next run."""
    did_some: bool
    """Whether the rest is smaller than the job was."""
    ask_again: bool
    """Whether the answer of another run may be better."""


class Handler(Protocol):
    """Does the jobs of one kind."""

    async def run(self, job: Job) -> Work:
        """Work out the job's result; nothing is written yet.

        Raises:
            errors.AshError: it failed; `policy` decides whether and when it is tried again.
        """
        ...


def nothing(outcome: str) -> Work:
    """The work of a job that changes nothing."""
    return Work(lambda _tx: outcome, scoped=True)
