"""Texts are read by the readers' threads, so that nobody's reading takes the interpreter."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from services import FixedClock

from ashd.fair_turns import OWNER
from ashd.store.database import Database


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database.open(tmp_path / "a.db", FixedClock())
    yield database
    database.close()


async def test_one_owner_computes_or_reads_one_thing_at_a_time(db: Database) -> None:
    """Another owner's text is read meanwhile; an owner's read waits for one text, not for all."""
    goes_on, both, order = threading.Event(), threading.Event(), []

    def take(name: str) -> None:
        order.append(name)
        if len(order) == 2:
            both.set()
        assert goes_on.wait(60)

    async def compute_for(owner: str, name: str) -> None:
        OWNER.set(owner)
        await db.compute(take, name)

    async def read_for(owner: str) -> None:
        OWNER.set(owner)
        await db.read(lambda _tx: take(f"{owner} read"))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(compute_for, "busy", f"busy {number}")
                await anyio.wait_all_tasks_blocked()
            tasks.start_soon(read_for, "busy")
            tasks.start_soon(compute_for, "other", "other")
            await anyio.to_thread.run_sync(both.wait, 60)
            await anyio.wait_all_tasks_blocked()

            assert order == ["busy 0", "other"]
            goes_on.set()
    assert "busy read" in [one for one in order if one != "other"][:3]
    assert len(order) == 6


async def test_an_error_is_that_of_the_function(db: Database) -> None:
    """The thread goes on."""

    def fail(text: str) -> None:
        raise ValueError(text)

    with pytest.raises(ValueError, match="of its own"):
        await db.compute(fail, "of its own")
    assert await db.compute(str.upper, "b") == "B"


async def test_nothing_is_computed_for_a_caller_who_has_gone(db: Database) -> None:
    """A text that still waits for its turn is not read."""
    goes_on, read = threading.Event(), []

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(db.compute, goes_on.wait, 60)
        await anyio.wait_all_tasks_blocked()
        async with anyio.create_task_group() as gone:
            gone.start_soon(db.compute, read.append, "gone")
            await anyio.wait_all_tasks_blocked()
            gone.cancel_scope.cancel()
        goes_on.set()
    await db.compute(read.append, "next")

    assert read == ["next"]
