"""Background tasks that fail: reported, started again, and no end of the daemon."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from ashd.ops.supervise import Supervisor


def _fails(times: int) -> tuple[list[int], Callable[[], Awaitable[None]]]:
    """Work that fails so often and then returns, and its tries."""
    tries: list[int] = []

    async def work() -> None:
        tries.append(len(tries))
        if len(tries) <= times:
            raise KeyError("what a user wrote")

    return tries, work


async def test_a_task_that_fails_is_started_again(capsys: pytest.CaptureFixture[str]) -> None:
    """A task is restarted until it ends by itself; faults are logged by kind and place, without
    text."""
    supervisor = Supervisor(first_wait_seconds=0.001)
    tries, work = _fails(3)

    await supervisor.run("counting", work)

    assert len(tries) == 4
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all("task=counting error=KeyError at=test_supervise.py:" in line for line in lines)
    assert not any("wrote" in line for line in lines)


async def test_a_task_that_failed_is_in_the_warnings() -> None:
    """The warning has the task's name and what to do."""
    supervisor = Supervisor(first_wait_seconds=0.001)
    assert supervisor.warnings() == []

    await supervisor.run("counting", _fails(1)[1])

    (warned,) = supervisor.warnings()
    assert warned.name == "task_failing"
    assert "counting" in warned.detail
    assert "task_failed" in warned.remedy


async def test_each_wait_is_twice_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait has an upper limit, so that a task that always fails costs next to nothing."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    await Supervisor().run("counting", _fails(11)[1])

    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


async def test_a_cancelled_task_ends() -> None:
    """A cancelled task is no fault."""
    supervisor = Supervisor()
    async with anyio.create_task_group() as group:
        group.start_soon(supervisor.run, "sleeping", anyio.sleep_forever)
        await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()

    assert supervisor.warnings() == []
