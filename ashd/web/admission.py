"""Admit connections of this process's user alone: every user of the machine reaches the page."""

import asyncio
import os

from ashd.web import peer


class OwnUser:
    """Decides on new connections, many by one reading of the kernel's table.

    The table is as long as the machine has connections, so it is read in a thread, and for all that
    came while it was read before. At most `most` connections wait: the oldest gives way.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked: dict[asyncio.Future[bool], peer.Connection] = {}
        self._looking: asyncio.Task[None] | None = None

    def admits(self, transport: asyncio.Transport) -> asyncio.Future[bool]:
        """Return whether a connection is the user's own."""
        client = transport.get_extra_info("peername")
        server = transport.get_extra_info("sockname")
        decided: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if not client or not server:  # it has left already
            decided.set_result(False)
            return decided
        if len(self._asked) >= self._most:
            oldest = next(iter(self._asked))
            del self._asked[oldest]
            oldest.set_result(False)
        self._asked[decided] = (client[:2], server[:2])
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        return decided

    async def _look(self) -> None:
        try:
            while self._asked:
                asked, self._asked = self._asked, {}
                own = await asyncio.to_thread(_own, frozenset(asked.values()))
                for decided, connection in asked.items():
                    if not decided.done():
                        decided.set_result(connection in own)
        finally:
            self._looking = None


def _own(connections: frozenset[peer.Connection]) -> frozenset[peer.Connection]:
    """Return those that are this user's; all where the system does not show it."""
    if not peer.is_known():
        return connections
    uids = peer.uids_of(connections)
    return frozenset(one for one in connections if uids.get(one) == os.getuid())
