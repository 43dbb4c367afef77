"""Work that ends with the call that it is for."""

import socket

import anyio
import pytest

from ashd import errors
from ashd.ended_calls import Connection


async def test_work_ends_when_its_client_hangs_up() -> None:
    """A client that only sends no more still waits for its answer."""
    ours, theirs = socket.socketpair()
    done = []

    async def work() -> None:
        theirs.shutdown(socket.SHUT_WR)
        await anyio.lowlevel.checkpoint()
        done.append("after a half-close")
        theirs.close()
        await anyio.sleep_forever()

    with ours, anyio.fail_after(60):
        assert not await Connection(ours.fileno()).waited_for(work)
    assert done == ["after a half-close"]


async def test_an_error_of_the_work_is_its_own() -> None:
    """Its kind is what the caller is told."""
    ours, theirs = socket.socketpair()

    async def work() -> None:
        raise errors.NotFound("nothing of the kind")

    with ours, theirs, pytest.raises(errors.NotFound):
        await Connection(ours.fileno()).waited_for(work)


async def test_work_that_is_done_says_so() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert await Connection(ours.fileno()).waited_for(anyio.lowlevel.checkpoint)
