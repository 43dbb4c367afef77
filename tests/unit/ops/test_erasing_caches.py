"""Caches in memory after an erasure: no text of what was erased is left in them. Budget: 10 s."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import msgspec
import pytest
from services import FixedClock, call_of

from ashd.access.grants import GrantListeners
from ashd.build import build
from ashd.config import Places, Settings
from ashd.context.assemble import Context, ContextParams
from ashd.context.planner import Plan
from ashd.language.text_caches import cached_by_text
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Memory
from ashd.ops.cleanup import Cleanup, CompactParams
from ashd.ops.clear import Clear, ClearParams
from ashd.ops.erase import Erase, EraseParams
from ashd.ops.forget import Forget, ForgetParams
from ashd.ops.progress import Progress
from ashd.people.participation import AccountNamed
from ashd.prometheus_text import Requests
from ashd.rpc.app import Services
from ashd.rpc.outcomes import Outcomes
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store.database import Database

pytestmark = pytest.mark.anyio
ALICE = call_of("alice")
NO_GRANTS = cast("GrantListeners", None)
Erasure = Callable[[Services, Memory], Awaitable[object]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def daemon(home: Path) -> AsyncIterator[Services]:
    """The services of a daemon, built as it builds them."""
    clock = FixedClock()
    db = Database.open(home / "ash.db", clock)
    places = Places(home, home / "config.toml", home / "ash.db", home / "models", home / "run")
    settings = msgspec.convert({"embedding": {"provider": "none"}}, Settings)
    try:
        app, _ = await build(
            db, clock, settings, places, Progress(), Outcomes(Requests()), lambda _: None
        )
        await app.services[CurrentEmbedder]._started()
        yield app.services
    finally:
        db.close()


def _forget(services: Services, memory: Memory) -> Awaitable[object]:
    person = memory.subject_person_ids[0]
    return services[Forget].forget(ALICE, ForgetParams(person_id=person, erase=True))


ERASURES: dict[str, Erasure] = {
    "memory": lambda services, memory: services[Erase].erase(
        ALICE, EraseParams(id=memory.id), NO_GRANTS
    ),
    "account": lambda services, _: services[Erase].erase(
        ALICE, EraseParams(owner=AccountNamed("test", "alice")), NO_GRANTS
    ),
    "person": _forget,
    "clear": lambda services, _: services[Clear].clear(
        ALICE, ClearParams(confirm="everything"), NO_GRANTS
    ),
    "compact": lambda services, _: services[Cleanup].compact(
        ALICE, CompactParams(older_than_days=0, force=True)
    ),
}


@pytest.mark.parametrize("erasure", ERASURES.values(), ids=ERASURES)
async def test_no_cache_has_a_text_after_an_erasure(erasure: Erasure, tmp_path: Path) -> None:
    """Functions of texts start anew, and no block or plan is left that was made of them."""
    read: list[str] = []

    @cached_by_text(8)
    def words(text: str) -> list[str]:
        read.append(text)
        return text.split()

    async with daemon(tmp_path) as services:
        content = "Zebedee tunes harpsichords"
        await services[AddMemory].add(ALICE, AddParams(content="I like tea"))
        added = await services[AddMemory].add(
            ALICE, AddParams(content=content, subjects=["Zebedee"])
        )
        context = services[Context]
        await context.get(ALICE, ContextParams(message="Who tunes harpsichords?"))
        context._planner._plans["Who tunes harpsichords?"] = Plan(content)
        assert [words(content), words(content)] == [content.split()] * 2
        assert context._cache
        assert services[CurrentEmbedder].holders._places
        assert read == [content]

        memory = added.memories[0].memory
        assert memory is not None
        await erasure(services, memory)

        assert not context._cache
        assert not context._planner._plans
        assert not services[CurrentEmbedder].holders._places
        words(content)
        assert read == [content] * 2
