"""Turns go round the owners, in threads and in tasks."""

import threading

import anyio
import anyio.lowlevel

from ashd.fair_turns import OWNER, FairGate, FairQueue


def test_one_owner_never_has_every_thread() -> None:
    """The last thread is for somebody else, however much waits."""
    queue: FairQueue[int] = FairQueue(3)
    for number in range(5):
        queue.put("busy", number)
    queue.put("other", 9)

    assert [queue.take(), queue.take()] == [("busy", 0), ("other", 9)]
    assert queue.take() == ("busy", 1)
    queue.give_back("other")
    taken: list[tuple[str, int] | None] = []
    thread = threading.Thread(target=lambda: taken.append(queue.take()))
    thread.start()
    queue.put("other", 10)
    thread.join(60)
    assert taken == [("other", 10)]
    assert len(queue) == 3


def test_owners_come_in_turn() -> None:
    """Much that one owner sent first delays another by one of its items, not by all."""
    queue: FairQueue[str] = FairQueue(1)
    for item in ("a1", "a2", "a3"):
        queue.put("a", item)
    for item in ("b1", "b2"):
        queue.put("b", item)

    assert _taken_one_by_one(queue) == ["a1", "b1", "a2", "b2", "a3"]


def _taken_one_by_one(queue: FairQueue[str]) -> list[str]:
    order = []
    while len(queue):
        taken = queue.take()
        assert taken is not None
        order.append(taken[1])
        queue.give_back(taken[0])
    return order


def test_kinds_share_the_turns_of_their_owner() -> None:
    """Another owner waits for one item of any kind: two kinds give nobody more turns."""
    queue: FairQueue[str] = FairQueue(1)
    for item in ("a1", "a2", "a3"):
        queue.put("a", item)
    queue.put("a", "A1", "compute")
    for item in ("b1", "b2", "b3", "b4"):
        queue.put("b", item)

    assert _taken_one_by_one(queue) == ["a1", "b1", "A1", "b2", "a2", "b3", "a3", "b4"]


def test_threads_end_once_nothing_waits() -> None:
    """What was put before the end is done."""
    queue: FairQueue[int] = FairQueue(1)
    queue.put("a", 1)
    queue.end()

    assert queue.take() == ("a", 1)
    queue.give_back("a")
    assert queue.take() is None


async def test_a_gate_lets_another_owner_pass() -> None:
    """One that holds all the places it may have waits for itself alone."""
    gate, go_on = FairGate(2), anyio.Event()
    passed: list[str] = []

    async def work(owner: str, until: anyio.Event | None) -> None:
        OWNER.set(owner)
        async with gate.turn():
            passed.append(owner)
            if until is not None:
                await until.wait()

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(work, "busy", go_on)
        await anyio.wait_all_tasks_blocked()
        await work("other", None)
        assert passed == ["busy", "other"]
        go_on.set()

    assert passed == ["busy", "other", "busy", "busy"]


async def test_a_task_that_is_cancelled_leaves_its_place() -> None:
    """While it waits, and while it holds one."""
    gate = FairGate(1)

    async def work() -> None:
        async with gate.turn():
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(work)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(60):
        async with gate.turn():
            await anyio.lowlevel.checkpoint()


async def test_an_owner_whose_only_task_left_has_no_turn() -> None:
    """The place goes to the next owner who waits."""
    gate, go_on, passed = FairGate(1), anyio.Event(), []

    async def work(owner: str) -> None:
        OWNER.set(owner)
        async with gate.turn():
            passed.append(owner)
            await go_on.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work, "busy")
        await anyio.wait_all_tasks_blocked()
        async with anyio.create_task_group() as gone:
            gone.start_soon(work, "gone")
            await anyio.wait_all_tasks_blocked()
            gone.cancel_scope.cancel()
        tasks.start_soon(work, "other")
        await anyio.wait_all_tasks_blocked()
        go_on.set()

    assert passed == ["busy", "other"]
