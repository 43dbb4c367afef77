"""Erasures whose traces cannot be removed: the rows are gone, and nothing else is lost."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from erasures import ERASURES, Erasure, daemon
from scanning import left_in
from services import call_of, house

from ashd import errors
from ashd.conversation.ingest import Ingest, IngestParams, TurnIn
from ashd.conversation.read import Conversations, DeleteParams
from ashd.erasure.erase import Erase
from ashd.memory import archive
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Memory
from ashd.memory.update import UpdateMemory
from ashd.rpc.app import Services
from ashd.store import page_gaps
from ashd.store.database import WRAPPER, Database
from ashd.store.erasure import traces
from ashd.store.erasure.traces import TraceRemoval

ALICE = replace(call_of("alice"), key="once", digest=b"the params")
_CONTENT = "Zebedee tunes harpsichords"


async def _fail(*_: Any, **__: Any) -> int:
    raise IndexError(_CONTENT)


async def _added(services: Services) -> Memory:
    params = AddParams(content=_CONTENT, subjects=["Zebedee"])
    memory = (await services[AddMemory].add(call_of("alice"), params)).memories[0].memory
    assert memory is not None
    return memory


async def _left(db: Database, wanted: int) -> None:
    """Wait until so many erasures have traces left."""
    with anyio.fail_after(60):
        while await db.read(traces.left) != wanted:  # noqa: ASYNC110  no event
            await anyio.sleep(0.01)


async def _run(removal: TraceRemoval, db: Database) -> None:
    """Let the background work until no erasure has traces left."""
    async with anyio.create_task_group() as group:
        group.start_soon(removal.run)
        await _left(db, 0)
        group.cancel_scope.cancel()


@pytest.mark.sqlite_file
@pytest.mark.parametrize("erasure", ERASURES.values(), ids=ERASURES)
async def test_a_repeated_erasure_has_its_receipt(
    erasure: Erasure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its first run failed after the rows were gone: it may be repeated, and the log says why.

    The background removes the traces, whether or not the call is repeated.
    """
    async with daemon(tmp_path) as services:
        memory = await _added(services)
        if erasure is ERASURES["compact"]:
            await services[UpdateMemory].delete(call_of("alice"), archive.DeleteParams(memory.id))
        with monkeypatch.context() as patch:
            patch.setattr(page_gaps, "fill", _fail)
            with pytest.raises(errors.StorageError) as failed:
                await erasure(services, ALICE, memory)
        logged = capsys.readouterr().err
        removal, db = services[Erase]._erasing.traces, services[Erase]._db

        again = await erasure(services, ALICE, memory)
        await _run(removal, db)

    assert failed.value.retryable
    assert "The rows are erased" in failed.value.message
    assert "traces_left error=IndexError at=test_trace_removal.py:" in logged
    assert _CONTENT not in logged
    assert again.receipt.rows["memories"] == 1
    assert not left_in(tmp_path, {"harpsichords"})


@pytest.mark.sqlite_file
async def test_a_deleted_conversation_leaves_its_traces_to_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call says that the rows are gone; the words go without another call."""
    async with daemon(tmp_path) as services:
        turns = [TurnIn(user="The blimptarn leaks", assistant="Noted.")]
        params = IngestParams(conversation_id="c", turns=turns)
        await services[Ingest].ingest(call_of("alice"), params)
        delete = DeleteParams(conversation_id="c")
        with monkeypatch.context() as patch:
            patch.setattr(page_gaps, "fill", _fail)
            with pytest.raises(errors.StorageError):
                await services[Conversations].delete(ALICE, delete)

        await _run(services[Erase]._erasing.traces, services[Erase]._db)

    assert not left_in(tmp_path, {"blimptarn"})


async def test_traces_are_removed_later_of_every_erasure_that_failed(tmp_path: Path) -> None:
    """Those of one that a crash interrupted, of one that failed, but not of one in progress."""
    async with house(tmp_path) as home:
        for _ in ("of the one that a crash interrupted", "of one in progress"):
            await home.db.write(traces.note_left, quiet=True)
        removal = TraceRemoval(home.db, [], 1)

        async def fail() -> None:
            with removal.later_on_failure():
                await home.db.write(traces.note_left, quiet=True)
                raise ZeroDivisionError

        async with anyio.create_task_group() as group:
            group.start_soon(removal.run)
            await _left(home.db, 1)
            with pytest.raises(ZeroDivisionError):
                await fail()
            await _left(home.db, 1)
            await home.db.write(traces.note_left, quiet=True)
            with removal.later_on_failure():
                pass
            await anyio.sleep(0.1)
            assert await home.db.read(traces.left) == 2
            group.cancel_scope.cancel()


@pytest.mark.sqlite_file
async def test_failing_removal_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fault is the background task's, which is started again; nothing is counted as done."""
    async with house(tmp_path) as home:
        await home.db.write(traces.note_left, quiet=True)
        removal = TraceRemoval(home.db, [], 1)
        with monkeypatch.context() as patch:
            patch.setattr(page_gaps, "fill", _fail)
            with pytest.raises(errors.StorageError):
                await removal.run()
        assert await home.db.read(traces.left) == 1

        await _run(removal, home.db)


async def test_erasures_that_end_together_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No removal waits for the log that another one reads."""
    working = most = 0

    async def slow(_: Database) -> None:
        nonlocal working, most
        working += 1
        most = max(most, working)
        await anyio.sleep(0.02)
        working -= 1

    async with house(tmp_path) as home:
        removal = TraceRemoval(home.db, [], 0)
        monkeypatch.setattr(traces, "remove", slow)
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(removal.remove)

    assert most == 1


async def test_a_call_that_is_repeated_meanwhile_ends_no_removal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its first run may end before the second has removed the traces: nothing has failed then."""

    def repeated(_: Any) -> Any:
        raise IndexError(_CONTENT)

    async with house(tmp_path) as at:
        token = WRAPPER.set(repeated)
        try:
            await TraceRemoval(at.db, [], left=0).remove()
        finally:
            WRAPPER.reset(token)

    assert "traces_left" not in capsys.readouterr().err
