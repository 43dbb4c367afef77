"""Memories are withdrawn, restored and compacted, while others change them too. Budget: 10 s."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from erasures import daemon, erasing_of
from services import House, call_of, house

from ashd import errors
from ashd.access.grants import GrantListeners, Grants
from ashd.access.usage import Quotas
from ashd.erasure.cleanup import Cleanup, CompactParams
from ashd.erasure.erase import Erase, EraseParams
from ashd.erasure.forget import Forget, ForgetParams
from ashd.erasure.withdraw import RestoreParams, Withdraw, WithdrawParams, archive_one
from ashd.memory.add import AddMemory
from ashd.memory.archive import DeleteParams
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Memory
from ashd.memory.read import GetParams, ReadMemory
from ashd.memory.update import UpdateMemory
from ashd.ops.progress import Progress
from ashd.store import cleanup, slices

ALL = WithdrawParams(source="rpc")


def _meanwhile(monkeypatch: pytest.MonkeyPatch, work: Callable[[], Awaitable[Any]]) -> None:
    """Let others work once a call has chosen its memories, before it changes the first of them."""
    run, waiting = slices.run, [work]

    async def after_work(*given: Any, **named: Any) -> Any:
        if waiting:
            await waiting.pop()()
        return await run(*given, **named)

    monkeypatch.setattr(slices, "run", after_work)


def _withdraw(home: House) -> Withdraw:
    return Withdraw(home.db, home.embeddings, Progress())


async def _two(home: House) -> tuple[Memory, Memory]:
    return await home.add("Nobody needs this"), await home.add("The tent is green")


async def _erase(home: House, memory: Memory) -> None:
    erase = Erase(erasing_of(home), cast("Grants", None), cast("Quotas", None))
    await erase.erase(call_of("u"), EraseParams(id=memory.id), cast("GrantListeners", None))


async def test_a_memory_erased_meanwhile_is_not_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The withdrawal goes on with the others."""
    async with house(tmp_path) as home:
        gone, _ = await _two(home)
        _meanwhile(monkeypatch, lambda: _erase(home, gone))

        done = await _withdraw(home).withdraw(home.call(), ALL)

        assert ["The tent is green"] == [one.content for one in done.memories]
        assert await home.listed() == []


async def test_a_memory_deleted_while_it_is_withdrawn_stays_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undoing the withdrawal does not undo the deletion."""
    async with house(tmp_path) as home:
        gone, _ = await _two(home)
        _meanwhile(monkeypatch, lambda: home.delete(gone))
        withdraw = _withdraw(home)

        done = await withdraw.withdraw(home.call(), ALL)
        assert (await home.get(gone)).archive_reason == "user_deleted"
        await withdraw.restore(home.call(), RestoreParams(withdrawal_id=done.withdrawal_id))

        assert await home.listed() == ["The tent is green"]


async def _erased(home: House, memory: Memory) -> None:
    await _erase(home, memory)


async def _deleted(home: House, memory: Memory) -> None:
    await home.restore(memory)
    await home.delete(memory)


@pytest.mark.parametrize("change", [_erased, _deleted])
async def test_a_memory_erased_or_deleted_meanwhile_is_not_restored(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[House, Memory], Awaitable[None]],
) -> None:
    """A withdrawal is undone for the memories that are still withdrawn by it."""
    async with house(tmp_path) as home:
        gone, _ = await _two(home)
        withdraw = _withdraw(home)
        done = await withdraw.withdraw(home.call(), ALL)
        _meanwhile(monkeypatch, lambda: change(home, gone))

        back = await withdraw.restore(home.call(), RestoreParams(withdrawal_id=done.withdrawal_id))

        assert (1, []) == (back.count, back.stay)
        assert await home.listed() == ["The tent is green"]


async def test_a_memory_that_is_named_twice_is_withdrawn_once(tmp_path: Path) -> None:
    """By its id and by a prefix of it."""
    async with house(tmp_path) as home:
        memory, _ = await _two(home)

        params = WithdrawParams(ids=[memory.id, memory.id[:8]])
        done = await _withdraw(home).withdraw(home.call(), params)

        assert [memory.id] == [one.id for one in done.memories]


async def test_a_memory_deleted_after_it_was_withdrawn_stays_deleted(tmp_path: Path) -> None:
    """The later act decides: undoing the earlier one does not undo it."""
    async with house(tmp_path) as home:
        gone, _ = await _two(home)
        withdraw = _withdraw(home)
        done = await withdraw.withdraw(home.call(), ALL)
        await home.delete(gone)

        await withdraw.restore(home.call(), RestoreParams(withdrawal_id=done.withdrawal_id))

        assert await home.listed() == ["The tent is green"]
        assert (await home.get(gone)).archive_reason == "user_deleted"


async def test_a_person_is_forgotten_while_a_memory_is_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other memories about the person are archived."""
    async with house(tmp_path) as home:
        gone = await home.add("She paints boats", subjects=["Ida Brumm"])
        await home.add("She sings", subjects=["Ida Brumm"])
        _meanwhile(monkeypatch, lambda: _erase(home, gone))

        person = ForgetParams(person_id=gone.subject_person_ids[0])
        await Forget(erasing_of(home)).forget(home.call(), person)

        assert await home.listed() == []


async def test_a_memory_that_is_restored_meanwhile_is_not_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever took it back has it; what is still archived goes."""
    async with daemon(tmp_path) as services:
        call = call_of("alice")
        stored = []
        for text in ("Nobody needs this", "The tent is green"):
            added = await services[AddMemory].add(call, AddParams(content=text))
            memory = added.memories[0].memory
            assert memory is not None
            await services[UpdateMemory].delete(call, DeleteParams(memory.id))
            stored.append(memory)
        restored = RestoreParams(id=stored[1].id)
        _meanwhile(monkeypatch, lambda: services[Withdraw].restore(call, restored))

        params = CompactParams(older_than_days=0, force=True)
        done = await services[Cleanup].compact(call, params)

        assert done.removed == 1
        kept = await services[ReadMemory].get(call, GetParams(stored[1].id))
        assert kept.memory.archived_at is None


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"expires_in_days": 1}, "expired"), ({"type": "observation"}, "ephemeral_decay")],
)
async def test_a_memory_cleaned_up_at_its_end_is_restored_by_one_call(
    tmp_path: Path, fields: dict[str, Any], reason: str
) -> None:
    """It is shown again, as an ended memory is that no clean-up has met."""
    async with house(tmp_path) as home:
        memory = await home.add("The tent is green", **fields)
        home.clock.pass_by(days=4)
        [due] = await home.db.read(cleanup.due)
        assert reason == due.reason
        clean = partial(archive_one, number=due.memory, reason=reason)
        await home.db.write(clean, scoped=True)

        await home.restore(memory)

        assert await home.listed() == ["The tent is green"]


async def test_the_beginning_of_two_withdrawals_ids_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller chooses by the whole ids."""
    async with house(tmp_path) as home:
        withdraw, ids = _withdraw(home), []
        for last in "12":
            await home.add(f"Fact number {last}")
            whole = f"abcdef00-0000-4000-8000-00000000000{last}"
            monkeypatch.setattr(home.clock, "new_id", lambda whole=whole: whole)
            ids.append((await withdraw.withdraw(home.call(), ALL)).withdrawal_id)
            monkeypatch.undo()

        with pytest.raises(errors.Ambiguous) as caught:
            await withdraw.restore(home.call(), RestoreParams(withdrawal_id="abcdef00"))
        back = await withdraw.restore(home.call(), RestoreParams(withdrawal_id=str(ids[1])))

    assert [one["id"] for one in caught.value.data["candidates"]] == ids
    assert back.count == 1
