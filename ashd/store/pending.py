"""Functions that wait for the writer or a reader, and the answers to their callers."""

import asyncio
import time
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from ashd import errors
from ashd.fair_turns import OWNER
from ashd.store.change_tracker import EVERYTHING, Key
from ashd.store.commit_notes import Notes
from ashd.store.transaction import Tx, Work


class Pending:
    """A queued function and the future for its result."""

    __slots__ = (
        *("abandoned", "deadline", "future", "is_alone", "loop", "owner", "progress", "quiet"),
        *("scoped", "sealed", "seconds", "tx", "work"),
    )

    def __init__(
        self,
        work: Work[Any],
        seconds: float,
        *,
        quiet: bool = False,
        scoped: bool = False,
        is_alone: bool = False,
    ) -> None:
        self.work = work
        self.abandoned = False
        """The caller was cancelled: skip the job, or roll it back."""
        self.sealed = False
        """The job is finished and only waits for the commit."""
        self.tx: Tx | None = None
        self.progress: dict[Any, Any] = {}
        self.scoped = scoped
        self.quiet = quiet
        self.is_alone = is_alone
        """The job runs after the transactions of its group, outside of any transaction."""
        self.owner = OWNER.get()
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()

    def is_late(self) -> bool:
        """Return whether the time of the job is over, or its caller has gone."""
        return time.monotonic() > self.deadline or self.future.cancelled()

    def leave(self) -> None:
        """Go without an answer: an error that nobody hears would be a fault of the event loop."""
        self.future.add_done_callback(_take_error)


def given_up() -> errors.TimedOut:
    """Return the error of a write that was abandoned."""
    return errors.TimedOut("Nobody waits for this any more.")


def _take_error(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()


Answer: TypeAlias = tuple[Pending, Any, BaseException | None]
"""A function that was run, with its result or error."""


def answer(answers: list[Answer]) -> None:
    """Give callers their results or errors, each in the event loop that it waits in."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Answer]] = {}
    for one in answers:
        if one[0].abandoned:
            continue  # nobody would take the answer
        by_loop.setdefault(one[0].loop, []).append(one)
    for loop, mine in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_resolve, mine)


def _resolve(answers: list[Answer]) -> None:
    for job, result, error in answers:
        if job.future.done():  # the caller has gone
            continue
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)


class Done(NamedTuple):
    """A transaction of a group that succeeded."""

    tx: Tx
    scoped: bool
    """Whether the transaction declares who can see its changes; otherwise everybody may."""
    quiet: bool
    """Whether readers can notice nothing of it."""


def notes_of(done: Iterable[Done]) -> Notes | None:
    """Return the notes of transactions that are committed together; None if there are none.

    Of a quiet one, only the topics are noted.
    """
    everything, topics, deleted = False, set[str](), list[int]()
    changed, grown, revised = set[Key](), set[Key](), dict[Key, set[int]]()
    noted = False
    for tx, scoped, quiet in done:
        topics |= tx.topics
        if quiet:
            continue
        noted = True
        deleted += tx.deleted
        if not scoped:
            everything = True
            continue
        changed |= tx.changed
        grown |= {*tx.grown, EVERYTHING}
        for key, memories in tx.revised.items():
            revised.setdefault(key, set()).update(memories)
    if not noted and not topics:
        return None
    return Notes(
        everything=everything,
        changed=frozenset(changed),
        grown=frozenset(grown),
        revised=tuple((key, frozenset(memories)) for key, memories in revised.items()),
        deleted=tuple(deleted),
        topics=frozenset(topics),
    )
