"""Expired grants are closed soon after their end, and no others."""

from pathlib import Path
from typing import Any

import anyio
from services import FixedClock, call_of

from ashd.access import grant_expiry
from ashd.access.grant_views import CreateParams
from ashd.access.grants import Grant, Grants
from ashd.store.database import Database


class Listeners:
    """Notes what is closed."""

    tcp_address = None

    def __init__(self) -> None:
        self.closed: list[str] = []

    async def open(self, _grant: Grant) -> tuple[Path, Path]:
        return Path("/run/d"), Path("/run/d/s")

    async def close(self, grant_id: str) -> None:
        self.closed.append(grant_id)

    def follow(self, _grant: Grant, _holder: Any) -> None:
        """Nobody's end is waited for."""


async def test_a_grant_is_closed_half_a_second_after_its_end(tmp_path: Path) -> None:
    """Until then its connections are told why they are refused; a grant without an end stays."""
    clock = FixedClock()
    db = Database.open(tmp_path / "ash.db", clock)
    grants, listeners, told = Grants(db, clock), Listeners(), list[str]()

    async def seen_after(seconds: float) -> list[str]:
        clock.pass_by(seconds=seconds)
        before = grants.changed
        before.set()
        while grants.changed is before or grants.changed.statistics().tasks_waiting == 0:
            await anyio.lowlevel.checkpoint()
        return list(told)

    try:
        ids = [
            (await grants.create(call_of("ann"), CreateParams(**ends), listeners)).grant_id
            for ends in ({"expires_in_s": 60}, {"expires_in_s": 61}, {})
        ]
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(grant_expiry.run, grants, clock, listeners, told.append)
                assert await seen_after(0) == []
                assert await seen_after(60.4) == []
                assert await seen_after(0.1) == ids[:1]
                assert await seen_after(0.99) == ids[:1]
                clock.pass_by(seconds=0.02)  # and nobody says that anything has changed
                while told != ids[:2]:
                    await anyio.lowlevel.checkpoint()
                assert await seen_after(3_600) == ids[:2]
                tasks.cancel_scope.cancel()
    finally:
        db.close()

    assert listeners.closed == told
    assert [grant.id for grant in grants.opened] == ids[2:]
