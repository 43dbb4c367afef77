"""Turns of those who share something: they go round the owners, and none has every place.

What waits for a reader of the database, or for an embedder, waits for its own owner's work and for
one turn of each other owner, however much of it another has sent. Pure but for `FairQueue`, which
threads take from, and `FairGate`, which tasks pass.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final, Generic, TypeVar

import anyio

T = TypeVar("T")

OWNER: Final[ContextVar[str]] = ContextVar("OWNER", default="")
"""The owner for whom a task works; empty for the daemon itself."""


class _Turns(Generic[T]):
    """What waits, by owner, and how many places each owner has."""

    def __init__(self, places: int, most: int) -> None:
        self._free = places
        self._most = most
        """Number of places that one owner may have."""
        self._waiting: OrderedDict[str, OrderedDict[str, deque[T]]] = OrderedDict()
        """The items of each owner, by kind; both in the order of their turns."""
        self._taken: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(len(items) for kinds in self._waiting.values() for items in kinds.values())

    def put(self, owner: str, item: T, kind: str = "") -> None:
        """Let an item wait, after the owner's others of its kind; kinds share the owner's turns."""
        self._waiting.setdefault(owner, OrderedDict()).setdefault(kind, deque()).append(item)

    def take(self) -> tuple[str, T] | None:
        """Return the next item with its owner, who has a place from now on; None if none may go."""
        if not self._free:
            return None
        for owner in self._waiting:
            if self._taken.get(owner, 0) < self._most:
                self._free -= 1
                self._taken[owner] = self._taken.get(owner, 0) + 1
                return owner, self._next(owner)
        return None

    def take_over(self) -> T | None:
        """Return the next item, which needs no place of its own; None if there is none."""
        return self._next(next(iter(self._waiting))) if self._waiting else None

    def _next(self, owner: str) -> T:
        kinds = self._waiting.pop(owner)
        kind, items = kinds.popitem(last=False)
        item = items.popleft()
        if items:  # after the owner's other kinds
            kinds[kind] = items
        if kinds:  # after those of the others
            self._waiting[owner] = kinds
        return item

    def remove(self, owner: str, item: T) -> bool:
        """Let an item without a kind wait no longer; return False if it has its place already."""
        kinds = self._waiting.get(owner, OrderedDict[str, deque[T]]())
        items = kinds.get("", deque())
        if item not in items:
            return False
        items.remove(item)
        if not items:
            del kinds[""]
        if not kinds:
            del self._waiting[owner]
        return True

    def give_back(self, owner: str) -> None:
        """Free a place."""
        self._free += 1
        self._taken[owner] -= 1
        if not self._taken[owner]:
            del self._taken[owner]


class FairQueue(Generic[T]):
    """A queue that a fixed number of threads take from, each of which frees its place when done.

    Of several threads, the last one is for an owner who has none.
    """

    def __init__(self, threads: int) -> None:
        self._turns: _Turns[T] = _Turns(threads, max(threads - 1, 1))
        self._change = threading.Condition()
        self._is_over = False

    def __len__(self) -> int:
        with self._change:
            return len(self._turns)

    def put(self, owner: str, item: T, kind: str = "") -> None:
        """Add an item; kinds share their owner's turns: many of one delay another by one."""
        with self._change:
            self._turns.put(owner, item, kind)
            self._change.notify()

    def take(self) -> tuple[str, T] | None:
        """Return the next item and its owner, once there is one; None if no more will come."""
        with self._change:
            while (found := self._turns.take()) is None:
                if self._is_over and not len(self._turns):
                    return None
                self._change.wait()
            return found

    def take_waiting(self) -> T | None:
        """Return the next item if there is one, for a thread that has another one's place."""
        with self._change:
            return self._turns.take_over()

    def give_back(self, owner: str) -> None:
        """Free the place of a thread that is done with an item of this owner.

        The thread takes the next item itself: others are woken only if something is left for them.
        """
        with self._change:
            self._turns.give_back(owner)
            if len(self._turns) or self._is_over:
                self._change.notify_all()

    def end(self) -> None:
        """Let the threads end when nothing waits any more."""
        with self._change:
            self._is_over = True
            self._change.notify_all()


class FairGate:
    """Lets a number of tasks through at a time, of one owner all but one at most."""

    def __init__(self, places: int) -> None:
        self._turns: _Turns[anyio.Event] = _Turns(places, max(places - 1, 1))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the owner's turn, and hold a place meanwhile."""
        owner, admitted = OWNER.get(), anyio.Event()
        self._turns.put(owner, admitted)
        self._admit()
        try:
            await admitted.wait()
        except BaseException:
            if not self._turns.remove(owner, admitted):
                self._leave(owner)
            raise
        try:
            yield
        finally:
            self._leave(owner)

    def _leave(self, owner: str) -> None:
        self._turns.give_back(owner)
        self._admit()

    def _admit(self) -> None:
        while (found := self._turns.take()) is not None:
            found[1].set()
