"""Texts are read one at a time for each owner, so that nobody's reading takes the interpreter."""

import threading

import anyio
import anyio.lowlevel
import anyio.to_thread

from ashd import reading_threads
from ashd.fair_turns import OWNER


async def test_one_owner_reads_one_text_at_a_time() -> None:
    """Another owner's text is read meanwhile."""
    goes_on, both, reads = threading.Event(), threading.Event(), []

    def read(text: str) -> None:
        reads.append(text)
        if len(reads) == 2:
            both.set()
        assert goes_on.wait(60)

    async def read_for(owner: str, text: str) -> None:
        OWNER.set(owner)
        await reading_threads.run(read, text)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(read_for, "busy", f"busy {number}")
                await anyio.lowlevel.checkpoint()
            tasks.start_soon(read_for, "other", "other")
            await anyio.to_thread.run_sync(both.wait, 60)
            for _ in range(20):
                await anyio.lowlevel.checkpoint()

            assert reads == ["busy 0", "other"]
            goes_on.set()
    assert len(reads) == 7
