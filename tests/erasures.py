"""Every kind of erasure, made by the services of a daemon."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from services import FixedClock, House

from ashd.access.actor import Call
from ashd.access.grants import GrantListeners
from ashd.build import build
from ashd.config import Backup, Places, Settings
from ashd.erasure.cleanup import Cleanup, CompactParams
from ashd.erasure.engine import Erasing
from ashd.erasure.erase import ClearParams, Erase, EraseParams
from ashd.erasure.forget import Forget, ForgetParams
from ashd.memory.model import Memory
from ashd.ops.backup import Backups
from ashd.ops.progress import Progress
from ashd.people.participation import AccountNamed
from ashd.prometheus_text import Requests
from ashd.rpc.app import App, Services
from ashd.rpc.outcomes import Outcomes
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import clock_marks
from ashd.store.database import Database
from ashd.store.erasure.traces import TraceRemoval

Erasure = Callable[[Services, Call, Memory], Awaitable[Any]]
_NO_GRANTS = cast("GrantListeners", None)


@asynccontextmanager
async def daemon_app(home: Path, clock: FixedClock, url: str | None = None) -> AsyncIterator[App]:
    """The parts of a daemon, built as it builds them."""
    db = Database.open(home / "ash.db", clock, url)
    places = Places(home, home / "config.toml", home / "ash.db", home / "models", home / "run")
    settings = msgspec.convert({"embedding": {"provider": "none"}}, Settings)
    patch = pytest.MonkeyPatch()
    patch.setattr(clock_marks, "server_time", lambda _: clock.now())  # a server's own is today's
    try:
        app, _, _ = await build(
            db, clock, settings, places, Progress(), Outcomes(Requests()), lambda _: None
        )
        await app.services[CurrentEmbedder]._started()
        yield app
    finally:
        patch.undo()
        db.close()


@asynccontextmanager
async def daemon(home: Path) -> AsyncIterator[Services]:
    """The services of a daemon."""
    async with daemon_app(home, FixedClock()) as app:
        yield app.services


def _forget(services: Services, call: Call, memory: Memory) -> Awaitable[Any]:
    person = memory.subject_person_ids[0]
    return services[Forget].forget(call, ForgetParams(person_id=person, erase=True))


ERASURES: dict[str, Erasure] = {
    "memory": lambda services, call, memory: services[Erase].erase(
        call, EraseParams(id=memory.id), _NO_GRANTS
    ),
    "account": lambda services, call, _: services[Erase].erase(
        call, EraseParams(owner=AccountNamed("test", "alice")), _NO_GRANTS
    ),
    "person": _forget,
    "clear": lambda services, call, _: services[Erase].clear(
        call, ClearParams(confirm="everything"), _NO_GRANTS
    ),
    "compact": lambda services, call, _: services[Cleanup].compact(
        call, CompactParams(older_than_days=0, force=True)
    ),
}
"""One erasure of each kind, of a memory of the user "alice"."""


def erasing_of(home: House) -> Erasing:
    """Return the part that erases rows, of these services."""

    async def mend() -> bool:
        return True

    folder = home.db.path.parent / "backups"
    backups = Backups(home.db, home.clock, folder, Backup(), Progress(), mend=mend)
    return Erasing(home.db, backups, Progress(), TraceRemoval(home.db, [], 0))
