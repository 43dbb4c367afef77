"""A call that was interrupted and is repeated with its key answers for both runs. Budget: 10 s."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from erasures import erasing_of
from services import call_of, house

from ashd.access.grants import GrantListeners, Grants
from ashd.access.usage import Quotas
from ashd.erasure.erase import Erase, EraseParams
from ashd.erasure.forget import Forget, ForgetParams
from ashd.erasure.withdraw import Withdraw, WithdrawParams
from ashd.ops.progress import Progress

CALL = replace(call_of("u"), key="once", digest=b"the params")


class _Killed(Exception):
    """The daemon is gone."""


async def test_an_erasure_counts_what_the_killed_run_erased(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory is gone, and its receipt is given all the same; another key finds nothing."""
    async with house(tmp_path) as home:
        memory = await home.add("Nobody needs this")
        erasing = erasing_of(home)
        erase = Erase(erasing, cast("Grants", None), cast("Quotas", None))

        async def run() -> Any:
            return await erase.erase(CALL, EraseParams(id=memory.id), cast("GrantListeners", None))

        with monkeypatch.context() as patch:
            patch.setattr(erasing, "finish", _kill)
            with pytest.raises(_Killed):
                await run()

        done = await run()

        assert done.erased == 1
        assert done.receipt.rows["memories"] == done.receipt.rows["passages"] == 1


async def _kill(*_: Any, **__: Any) -> None:
    raise _Killed


@pytest.mark.parametrize("erase", [True, False])
@pytest.mark.parametrize("place", ["before", "after"])
async def test_a_person_is_forgotten_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, erase: bool, place: str
) -> None:
    """Killed before or after the record is gone: counts, and the one withdrawal, are whole."""
    async with house(tmp_path) as home:
        for text in ("She paints boats", "She sings"):
            last = await home.add(text, subjects=["Ida Brumm"])
        erasing = erasing_of(home)
        forget = Forget(erasing)
        params = ForgetParams(
            person_id=last.subject_person_ids[0], erase=erase, delete_person_record=True
        )
        with monkeypatch.context() as patch:
            patch.setattr(erasing, "finish" if place == "after" else "these", _kill)
            if place == "before" and not erase:
                patch.setattr("ashd.erasure.forget.slices.run", _kill)
            with pytest.raises(_Killed):
                await forget.forget(CALL, params)

        done = await forget.forget(CALL, params)

        assert (done.erased, done.archived) == ((2, 0) if erase else (0, 2))
        assert done.receipt.rows.get("people", 0) == int(erase)
        assert await home.db.read(lambda tx: tx.value("select count(*) from withdrawals")) == (
            0 if erase else 1
        )
        assert (done.withdrawal_id is None) == erase


async def test_a_withdrawal_goes_on_as_the_same_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repeated call archives the rest, and all come back as one act."""
    async with house(tmp_path) as home:
        memories = [await home.add(f"Crate {n} holds {n} lamps") for n in range(3)]
        withdraw = Withdraw(home.db, home.embeddings, Progress())
        with monkeypatch.context() as patch:
            patch.setattr("ashd.erasure.withdraw.slices.run", _kill)
            with pytest.raises(_Killed):
                await withdraw.withdraw(CALL, WithdrawParams(source="rpc"))
        await home.delete(memories[0])

        done = await withdraw.withdraw(CALL, WithdrawParams(source="rpc"))

        assert done.total == 3
        assert await home.listed() == []
        assert await home.db.read(lambda tx: tx.value("select count(*) from withdrawals")) == 1
