"""Frames over a real socket pair, with limits small enough to reach."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import msgspec
import pytest
from anyio.abc import UNIXSocketStream

from ashd import errors, limits
from ashd.limits import SocketLimits
from ashd.rpc.framing import Frames

_SMALL = msgspec.structs.replace(
    limits.SANDBOX, request_bytes=10, frame_seconds=0.05, idle_seconds=0.05, write_seconds=0.05
)
_PATIENT = msgspec.structs.replace(_SMALL, frame_seconds=60, idle_seconds=60, write_seconds=60)


@asynccontextmanager
async def _pair(bounds: SocketLimits) -> AsyncIterator[tuple[Frames, UNIXSocketStream]]:
    """The frames of one end, and the client at the other."""
    here, there = socket.socketpair(socket.AF_UNIX)
    async with (
        await UNIXSocketStream.from_socket(here) as stream,
        await UNIXSocketStream.from_socket(there) as client,
    ):
        yield Frames(stream, bounds), client


async def test_lines_come_one_by_one_and_the_rest_is_dropped() -> None:
    """Lines are the same however they were sent; the end of the stream is None again and again."""
    async with _pair(_PATIENT) as (frames, client):
        await client.send(b"a\n\nbb\r\nc")
        await client.send(b"c\ndd")
        await client.send_eof()

        assert [await frames.next() for _ in range(6)] == [b"a", b"", b"bb\r", b"cc", None, None]


async def test_an_empty_line_may_be_the_first() -> None:
    """The dispatcher decides on an empty line."""
    async with _pair(_PATIENT) as (frames, client):
        await client.send(b"\n")
        assert await frames.next() == b""
        await client.send(b"\r\n\n\na\n")
        assert [await frames.next(), await frames.next()] == [b"", b"a"]


@pytest.mark.parametrize("size", [9, 10])
async def test_a_line_of_the_limit_is_taken(size: int) -> None:
    """The limit counts without the line's end."""
    async with _pair(_PATIENT) as (frames, client):
        await client.send(b"x" * size + b"\n")

        assert await frames.next() == b"x" * size


@pytest.mark.parametrize("rest", [b"", b"\n", b"\nnext\n"], ids=["open", "ended", "followed"])
async def test_a_longer_line_is_too_large(rest: bytes) -> None:
    """A line beyond the limit is refused without waiting for its end."""
    async with _pair(_PATIENT) as (frames, client):
        await client.send(b"x" * 11 + rest)

        with pytest.raises(errors.TooLarge, match="10 bytes"):
            await frames.next()


async def test_a_stalled_frame_is_cut() -> None:
    """A line that was begun must come to its end in time."""
    async with _pair(_SMALL) as (frames, client):
        await client.send(b"begun")

        with pytest.raises(errors.InvalidRequest, match="in time"):
            await frames.next()


async def test_a_slow_frame_is_cut() -> None:
    """Sending now and then a byte does not extend its time."""
    async with _pair(_SMALL) as (frames, client), anyio.create_task_group() as tasks:

        async def trickle() -> None:
            while True:
                await client.send(b"\t")
                await anyio.sleep(0.015)

        tasks.start_soon(trickle)
        with pytest.raises(errors.InvalidRequest, match="in time"):
            await frames.next()
        tasks.cancel_scope.cancel()


async def test_an_idle_connection_ends() -> None:
    """An idle connection ends without an error, since nobody asked for anything."""
    async with _pair(_SMALL) as (frames, _client):
        assert await frames.next() is None


async def test_a_reply_that_nobody_takes_is_given_up() -> None:
    """The time limit stops a client from holding the daemon's memory."""
    async with _pair(_SMALL) as (frames, _client):
        assert await frames.send(b"x" * 50_000_000 + b"\n") is False


async def test_a_reply_is_sent_whole() -> None:
    """The sender learns that the reply was sent."""
    async with _pair(_PATIENT) as (frames, client):
        assert await frames.send(b"reply\n") is True
        assert await client.receive() == b"reply\n"


async def test_only_what_is_here_is_buffered() -> None:
    """A part of a line is not."""
    async with _pair(_PATIENT) as (frames, client):
        assert frames.buffered() is None
        await client.send(b"a\nb\nc")
        assert await frames.next() == b"a"

        assert frames.buffered() == b"b"
        assert frames.buffered() is None
