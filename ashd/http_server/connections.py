"""The connections of a server: who gives way to a new one, and who is dropped for being late.

When all places are taken, who has waited longest without a whole request gives way, of the key or
process with the most connections. An answer to a caller with a key never does. A client that sends
no whole header in time is dropped, and one that reads nothing of its answer.
"""

import asyncio
import resource
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

from ashd.eviction import longest_waiting

_MOST_PLACES: Final = 2048
_FILES_OF_A_PLACE: Final = 4
"""File descriptors that there must be for each place: others come between two looks."""


class AllBusy(Exception):
    """As many callers with keys are being answered as may be at a time."""

    message: Final = "The server has as many callers as it can answer. Try again in a moment."


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server."""

    answers: int
    """Requests with keys that are answered at the same time."""
    answers_of_key: int
    """Those of one key; fewer than `answers`, so that some are left for others."""
    places: int
    """Connections; more than `answers`, so that some are left for those who come."""
    header_seconds: float
    """Time for a header, from the beginning of the connection or the end of the last answer."""
    unread_seconds: float
    """Time in which a client has to read something of its answer."""


class Connections:
    """All connections of a server."""

    def __init__(self, limits: Limits) -> None:
        self.limits: Final = limits
        self._all: set[Connection] = set()
        self._yielding: dict[Connection, Hashable] = {}
        """Those that give way, longest waiting first, with their groups."""
        self._answers: Counter[str] = Counter()
        """Answers in progress, by key."""

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._all)

    def enter(self, connection: "Connection") -> None:
        """Give a new connection a place, that of another if all are taken."""
        if len(self._all) >= self.limits.places and self._yielding:
            longest_waiting(self._yielding).drop()
        self._all.add(connection)
        self.settle(connection, anew=True)

    def leave(self, connection: "Connection") -> None:
        """Free the place of a connection."""
        self._all.discard(connection)
        self._yielding.pop(connection, None)

    def settle(self, connection: "Connection", *, anew: bool) -> None:
        """Decide whether a connection gives way; with `anew` its waiting begins now."""
        if connection not in self._all:
            return
        if anew or connection.is_sure:
            self._yielding.pop(connection, None)
        if not connection.is_sure:
            self._yielding[connection] = connection.group

    def check_answers(self, key: str) -> None:
        """Refuse one more request with a key.

        Raises:
            AllBusy: as many as may be are answered, of all or of this key, or leave answers unread.
        """
        sure = Counter(one.key for one in self._all - self._yielding.keys())
        for counts in (self._answers, sure):
            if counts.total() >= self.limits.answers or counts[key] >= self.limits.answers_of_key:
                raise AllBusy

    def begin_answer(self, key: str) -> None:
        """Count a whole request with a key."""
        self._answers[key] += 1

    def end_answer(self, key: str) -> None:
        """Count an answer as given."""
        self._answers[key] -= 1
        if not self._answers[key]:
            del self._answers[key]


class Connection:
    """One connection: its key, its request, and what its client has not read."""

    def __init__(self, connections: Connections, loop: asyncio.AbstractEventLoop) -> None:
        self.connections: Final = connections
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._peer: Hashable = None
        self.key: str | None = None
        """The key last shown."""
        self._shows_key = False
        self._is_asking = False
        self._has_request = False
        self._is_unread = False
        self._waiting: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    @property
    def is_sure(self) -> bool:
        """Return whether an answer goes to somebody with a key."""
        return self._shows_key and (self._has_request or self._is_unread)

    @property
    def group(self) -> Hashable:
        """Return the key, else the process at the other end if it is known."""
        return self._peer if self.key is None else self.key

    def opened(self, transport: asyncio.Transport, peer: Hashable) -> None:
        """Take a place for a new connection; `peer` is the process at its other end, or None."""
        self._transport, self._peer = transport, peer
        # Writing is paused whenever something is unsent, so that it is known what was not read.
        transport.set_write_buffer_limits(high=0)
        self.connections.enter(self)
        self._wait()

    def closed(self) -> None:
        """Free the place of a connection that has ended."""
        self.connections.leave(self)
        self._transport = None
        for timer in (self._waiting, self._reading):
            if timer is not None:
                timer.cancel()

    def drop(self) -> None:
        """End the connection at once; what it has not read is lost."""
        transport = self._transport
        self.closed()
        if transport is not None:
            transport.abort()

    def header_arrived(self, *, is_whole: bool) -> None:
        """Begin a request; `is_whole` when no body follows."""
        self._is_asking, self._shows_key = True, False
        self._stop_waiting()
        if is_whole:
            self.request_arrived()

    def request_arrived(self) -> None:
        """Note that the request is whole."""
        self._has_request = True
        self.connections.settle(self, anew=True)

    def key_shown(self, key: str) -> None:
        """Note whose request it is; the connection counts to this key from now on."""
        self.key, self._shows_key = key, True
        self.connections.settle(self, anew=False)

    def answered(self) -> None:
        """Note that all of the answer was written, though perhaps not sent."""
        self._is_asking = self._has_request = False
        self.connections.settle(self, anew=True)
        self._wait()

    def writing_paused(self) -> None:
        """Note that the client has not read all that was written."""
        self._is_unread = True
        self._stop_waiting()
        self.connections.settle(self, anew=False)
        self._expect_reading()

    def writing_resumed(self) -> None:
        """Note that the client has read what was written."""
        self._is_unread = False
        if self._reading is not None:
            self._reading.cancel()
        self.connections.settle(self, anew=False)
        self._wait()

    def _wait(self) -> None:
        """Wait for a header."""
        if self._transport is not None and not (self._is_asking or self._is_unread):
            self._stop_waiting()
            seconds = self.connections.limits.header_seconds
            self._waiting = self._loop.call_later(seconds, self.drop)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _expect_reading(self) -> None:
        if self._transport is not None:
            self._reading = self._loop.call_later(
                self.connections.limits.unread_seconds,
                self._look_at_reading,
                self._transport.get_write_buffer_size(),
            )

    def _look_at_reading(self, unread_then: int) -> None:
        if self._transport is not None and self._transport.get_write_buffer_size() >= unread_then:
            self.drop()
        else:
            self._expect_reading()


def most_connections() -> int:
    """Return how many connections a server of this process may have.

    Many, since who comes has to have sent its request before as many others have come. The limit on
    file descriptors is raised for them as far as it goes.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    files = _MOST_PLACES * _FILES_OF_A_PLACE if most == resource.RLIM_INFINITY else most
    return min(files // _FILES_OF_A_PLACE, _MOST_PLACES)


Admit = Callable[[asyncio.Transport], "asyncio.Future[bool]"]
"""Decides whether whoever is at the other end may use the server at all."""
