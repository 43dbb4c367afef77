"""The connections of a server: who gives way, who is sure of a place, who is late."""

import asyncio

import anyio
import pytest

from ashd.eviction import longest_waiting
from ashd.http_server.connections import AllBusy, Connection, Connections, Limits


class Transport(asyncio.Transport):
    """A connection's end that notes when it is dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = asyncio.Event()
        self.unread = 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert (high, low) == (0, None)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        self.dropped.set()


class Server:
    """Three places, two answers at a time, one of each key."""

    def __init__(self, *, header_seconds: float = 600.0, unread_seconds: float = 600.0) -> None:
        self.connections = Connections(
            Limits(
                answers=2,
                answers_of_key=1,
                places=3,
                header_seconds=header_seconds,
                unread_seconds=unread_seconds,
            )
        )

    def connect(self, peer: int | None = None) -> tuple[Connection, Transport]:
        transport = Transport()
        connection = Connection(self.connections, asyncio.get_running_loop())
        connection.opened(transport, peer)
        return connection, transport

    def ask(self, key: str) -> tuple[Connection, Transport]:
        """Open a connection that shows a key and sends a whole request."""
        connection, transport = self.connect()
        connection.header_arrived(is_whole=True)
        connection.key_shown(key)
        return connection, transport


def dropped(*connections: tuple[Connection, Transport]) -> list[bool]:
    return [transport.dropped.is_set() for _, transport in connections]


async def test_the_longest_waiting_gives_way() -> None:
    """A request that arrived whole counts as new, a part of one does not."""
    server = Server()
    first, second, third = (server.connect() for _ in range(3))
    first[0].header_arrived(is_whole=True)
    second[0].header_arrived(is_whole=False)
    server.connect()

    assert dropped(first, second, third) == [False, True, False]


async def test_the_largest_group_gives_way() -> None:
    """A process with many connections loses its own, not the older one of another process."""
    server = Server()
    alone, *many = server.connect(1), server.connect(2), server.connect(2)
    server.connect(3)

    assert dropped(alone, *many) == [False, True, False]
    assert longest_waiting({"a": 1, "b": 2, "c": 3}) == "a"


async def test_an_answer_to_a_key_is_sure_of_its_place() -> None:
    """It is from the whole request on, until all was written and read."""
    server = Server()
    asking = server.ask("k")
    for _ in range(5):
        server.connect()
    assert dropped(asking) == [False]

    asking[0].writing_paused()
    asking[0].answered()
    for _ in range(5):
        server.connect()
    assert dropped(asking) == [False]

    asking[0].writing_resumed()
    for peer in range(5):
        server.connect(peer)
    assert dropped(asking) == [True]


async def test_a_key_without_a_whole_request_is_not_sure() -> None:
    """A slow body gives way, whoever sends it."""
    server = Server()
    slow = server.connect()
    slow[0].header_arrived(is_whole=False)
    slow[0].key_shown("k")
    more = [server.connect() for _ in range(20)]

    assert not all(dropped(*more))
    assert len(server.connections) == 3


async def test_an_unread_answer_without_a_key_gives_way() -> None:
    """Requests without a key, sent whole and never read, hold no place."""
    server = Server()
    deaf = server.connect()
    deaf[0].header_arrived(is_whole=True)
    deaf[0].writing_paused()
    for _ in range(5):
        server.connect()

    assert dropped(deaf) == [True]


async def test_one_key_leaves_answers_to_others() -> None:
    """The limit of a key is refused to it alone; that of all to everybody."""
    server = Server()
    server.ask("a")
    with pytest.raises(AllBusy):
        server.connections.check_answers("a")
    server.connections.check_answers("b")
    server.connections.begin_answer("b")
    with pytest.raises(AllBusy):
        server.connections.check_answers("b")
    server.connections.begin_answer("c")
    with pytest.raises(AllBusy):
        server.connections.check_answers("d")
    server.connections.end_answer("c")
    server.connections.check_answers("d")


async def test_a_header_has_a_deadline() -> None:
    """It counts from the beginning, and again from the end of an answer."""
    server = Server(header_seconds=0.01)
    _, silent = server.connect()
    await asyncio.wait_for(silent.dropped.wait(), 60)
    asking, transport = server.ask("k")
    await anyio.sleep(0.05)
    assert not transport.dropped.is_set()
    asking.answered()
    await asyncio.wait_for(transport.dropped.wait(), 60)


async def test_an_unread_answer_has_a_deadline() -> None:
    """Nothing read for the time ends it, even if all of it was written long ago."""
    server = Server(unread_seconds=0.01)
    asking, transport = server.ask("k")
    transport.unread = 100
    asking.writing_paused()
    asking.answered()
    await asyncio.wait_for(transport.dropped.wait(), 60)


async def test_an_answer_that_is_read_slowly_goes_on() -> None:
    """Whatever is read within the time gives more of it."""
    server = Server(unread_seconds=0.05)
    asking, transport = server.ask("k")
    transport.unread = 1_000_000
    asking.writing_paused()
    for _ in range(200):
        transport.unread -= 1
        await anyio.sleep(0.001)

    assert not transport.dropped.is_set()
