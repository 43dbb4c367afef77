"""A person is forgotten while other calls tell of it, merge it or forget it. Budget: 10 s."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from erasures import erasing_of
from services import House, call_of, house

from ashd import errors
from ashd.erasure.forget import Forget, ForgetParams
from ashd.people import edit, joining
from ashd.store.transaction import Tx

CALL = replace(call_of("u"), key="once", digest=b"the params")


async def _nothing() -> None:
    """Nobody else works meanwhile."""


async def _meanwhile(
    home: House,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[], Awaitable[Any]],
    *,
    first: bool = False,
) -> tuple[Forget, ForgetParams]:
    """A person with two memories, and how to forget it.

    Others work once the memories are gone, or `first`: before they are, after the call has begun.
    """
    for text in ("She paints boats", "She sings"):
        last = await home.add(text, subjects=["Ida Brumm"])
    erasing = erasing_of(home)
    all_of = erasing.all_of

    async def and_then(*given: Any) -> None:
        if first:
            await work()
        await all_of(*given)
        if not first:
            await work()

    monkeypatch.setattr(erasing, "all_of", and_then)
    params = ForgetParams(person_id=last.subject_person_ids[0], erase=True)
    return Forget(erasing), params


async def test_somebody_new_is_not_taken_for_the_forgotten_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record went with its last memory; nobody else gets its row number meanwhile."""
    async with house(tmp_path) as home:

        async def add() -> None:
            await home.add("He keeps bees", subjects=["Newton Comer"])

        forget, params = await _meanwhile(home, monkeypatch, add)

        done = await forget.forget(CALL, params)

        assert (done.erased, done.receipt.rows["people"]) == (2, 1)
        assert await home.listed() == ["He keeps bees"]
        assert "Newton Comer" in await _names(home)


async def _merge(home: House, name: str, into: str) -> None:
    def merge(tx: Tx) -> None:
        loser, winner = (
            tx.value("select id from people where name = ?", one) for one in (name, into)
        )
        joining.join(tx, loser, winner)

    await home.db.write(merge)


async def _names(home: House) -> list[str]:
    return [name for (name,) in await home.db.read(lambda tx: tx.all("select name from people"))]


async def test_nobody_is_forgotten_whom_the_person_was_merged_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call ends with a conflict, and so does its repetition; nothing of the other goes."""
    async with house(tmp_path) as home:
        await home.add("He keeps bees", subjects=["Newton Comer"])

        async def merge() -> None:
            if "Ida Brumm" in await _names(home):
                await _merge(home, "Ida Brumm", "Newton Comer")

        forget, params = await _meanwhile(home, monkeypatch, merge, first=True)

        for _ in range(2):
            with pytest.raises(errors.Conflict):
                await forget.forget(CALL, params)

        assert len(await home.listed()) == 3
        assert "Newton Comer" in await _names(home)


async def test_a_person_merged_before_the_first_erasure_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conflict, before anything is erased: the caller meant only one of the two."""
    async with house(tmp_path) as home:
        await home.add("He keeps bees", subjects=["Newton Comer"])
        forget, params = await _meanwhile(home, monkeypatch, _nothing)
        look = forget._mentions

        async def mentions(*given: Any) -> Any:
            await _merge(home, "Ida Brumm", "Newton Comer")
            return await look(*given)

        monkeypatch.setattr(forget, "_mentions", mentions)

        with pytest.raises(errors.Conflict):
            await forget.forget(CALL, params)

        assert len(await home.listed()) == 3


async def test_a_person_forgotten_by_another_call_first_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if that call had been made before."""
    async with house(tmp_path) as home:
        forget, params = await _meanwhile(home, monkeypatch, _nothing)
        look = forget._mentions

        async def mentions(*given: Any) -> Any:
            monkeypatch.setattr(forget, "_mentions", look)
            await forget.forget(replace(CALL, key="another"), params)
            return await look(*given)

        monkeypatch.setattr(forget, "_mentions", mentions)

        with pytest.raises(errors.NotFound):
            await forget.forget(CALL, params)


async def test_a_record_of_which_others_tell_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They told of the person before its record would have gone; the reply says so."""
    async with house(tmp_path) as home:
        forget, params = await _meanwhile(home, monkeypatch, _nothing)
        told = iter([True, False])
        monkeypatch.setattr(edit, "tells_alone", lambda *_: next(told))

        done = await forget.forget(CALL, params)

        assert done.record_kept == "others"
