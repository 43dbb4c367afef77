"""Following other daemons, with a database that says what they told."""

from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest

from ashd import errors
from ashd.ops import other_daemons
from ashd.ops.other_daemons import OtherDaemons
from ashd.store.database import Database


class Shared:
    """A database that other daemons use."""

    is_shared = True

    def __init__(self) -> None:
        self.told: set[str] = set()
        self.leads: list[bool | Exception] = []
        self.reads = 0

    async def read(self, _work: Any) -> None:
        self.reads += 1
        await anyio.lowlevel.checkpoint()

    def take_topics(self) -> set[str]:
        told, self.told = self.told, set()
        return told

    async def lead(self) -> bool:
        """The scripted answers, and then the last of them again."""
        answer = self.leads.pop(0) if len(self.leads) > 1 else self.leads[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def following(db: Any) -> OtherDaemons:
    return OtherDaemons(cast("Database", db))


async def test_a_call_waits_until_another_one_has_caught_up() -> None:
    """It must not go on with grants that the other is still reading."""
    db, order = Shared(), list[str]()
    others = following(db)
    begun, goes_on = anyio.Event(), anyio.Event()

    async def read_again() -> None:
        begun.set()
        await goes_on.wait()
        order.append("read")

    others.on("grants", read_again, is_awaited=True)
    db.told = {"grants", "of a newer daemon"}

    async def call() -> None:
        await others.catch_up()
        order.append("call")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await begun.wait()
        tasks.start_soon(call)
        await anyio.wait_all_tasks_blocked()
        assert order == []
        goes_on.set()
    assert order == ["read", "call", "call"]


async def test_a_part_that_failed_is_called_again() -> None:
    """The call fails, since nobody knows whether its grant holds; the next one tries again."""
    db, failures = Shared(), [errors.StorageError("no server")]
    others = following(db)

    async def read_again() -> None:
        if failures:
            raise failures.pop()
        done.append("grants")

    done: list[str] = []
    others.on("grants", read_again, is_awaited=True)
    db.told = {"grants"}
    with pytest.raises(errors.StorageError):
        await others.catch_up()
    await others.catch_up()
    await others.catch_up()
    assert done == ["grants"]


async def test_no_call_waits_for_what_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedder is loaded in the background."""
    monkeypatch.setattr(other_daemons, "_LOOK_SECONDS", 0)
    db, loaded = Shared(), anyio.Event()
    db.leads = [False]
    others = following(db)

    async def load() -> None:
        loaded.set()

    others.on("vectors", load)
    db.told = {"vectors"}
    await others.catch_up()
    assert not loaded.is_set()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(others.run)
        await loaded.wait()
        tasks.cancel_scope.cancel()


async def test_the_leader_works_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stops when it has lost the lead, and begins again when it has it back."""
    monkeypatch.setattr(other_daemons, "_LOOK_SECONDS", 0)
    monkeypatch.setattr(other_daemons, "_LEAD_SECONDS", 0)
    db, seen = Shared(), list[str]()
    db.leads = [False, True, True, errors.StorageError("no server"), False, True]
    others = following(db)
    again = anyio.Event()

    async def work() -> None:
        seen.append("begins")
        if seen.count("begins") == 2:
            again.set()
        try:
            await anyio.sleep_forever()
        finally:
            seen.append("ends")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(others.run)
        tasks.start_soon(others.while_leading, work)
        await again.wait()
        assert seen == ["begins", "ends", "begins"]
        tasks.cancel_scope.cancel()


async def test_the_only_daemon_leads_and_follows_nobody() -> None:
    """Work that is over is not begun again."""
    db, runs = Shared(), list[int]()
    db.is_shared = False
    others = following(db)

    async def work() -> None:
        runs.append(1)

    await others.run()
    await others.while_leading(work)
    await others.catch_up()
    assert (runs, db.reads) == ([1], 0)
