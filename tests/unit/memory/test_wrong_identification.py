"""A wrong identification is taken back by the one whose words it was, in their memories alone."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import House, house

from ashd import errors
from ashd.access import readers
from ashd.access.scope import Scope
from ashd.memory.add_result import Added
from ashd.memory.incoming_facts import AddParams
from ashd.memory.read import GetParams
from ashd.memory.undo_identification import UndoIdentification, UndoParams
from ashd.memory.update_params import UpdateParams
from ashd.store.chats import Stay

ANN = Scope(provider="test", user_id="ann", chat_id="g", chat_type="group")
BOB = msgspec.structs.replace(ANN, user_id="bob")
ALONE = Scope(provider="test", user_id="ann")


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def told(at: House, scope: Scope, content: str, *subjects: str) -> Added:
    """A fact that is stored, about somebody."""
    call = replace(at.call(key=content.encode()), scope=scope)
    fact = {"content": content, "subjects": list(subjects)}
    return (await at.remember.add(call, msgspec.convert({"facts": [fact]}, AddParams))).memories[0]


async def undone(at: House, scope: Scope, person: str, reference: str, **fields: Any) -> Any:
    call = replace(at.call("person.undo_identification"), scope=scope)
    params = UndoParams(person_id=person, reference=reference, **fields)
    return await UndoIdentification(at.db).undo(call, params)


async def test_a_reference_means_another_from_then_on(at: House) -> None:
    """The change covers the memories of the reference or the given ids; a dry run shows it."""
    first, second = [await told(at, ALONE, f"Tom {does}", "Tom") for does in ("sails", "sings")]
    tom = first.people[0].id
    assert second.people[0].id == tom
    rehearsed = await undone(at, ALONE, tom, "Tom", dry_run=True)
    assert (rehearsed.moved, rehearsed.created, rehearsed.person.id == tom) == (2, True, False)
    assert (await told(at, ALONE, "Tom swims", "Tom")).people[0].id == tom

    assert first.memory is not None
    moved = await undone(at, ALONE, tom, "Tom", memory_ids=[first.memory.id])
    assert moved.moved == 1
    assert moved.person.id != tom
    call = replace(at.call(), scope=ALONE)
    shown = await at.read.get(call, GetParams(first.memory.id))
    assert shown.memory.subject_person_ids == [moved.person.id]


async def test_only_ones_own_words_are_taken_back(at: House) -> None:
    """Words of other members, of nobody, and about other people stay."""
    anns = await told(at, ANN, "Tom sails", "Tom")
    other = await told(at, ANN, "Uma sings", "Uma")
    assert anns.memory is not None
    assert other.memory is not None
    tom = anns.people[0].id

    for scope, reference, fields, kind in (
        (ANN, "me", {}, errors.InvalidParams),
        (ANN, "Tom", {"memory_ids": [other.memory.id]}, errors.NotFound),
        (ALONE, "Tom", {"memory_ids": [anns.memory.id]}, errors.Denied),
        (Scope(provider="test", user_id="eve"), "Tom", {}, errors.NotFound),
        (msgspec.structs.replace(ANN, user_id=None), "Tom", {}, errors.InvalidParams),
    ):
        with pytest.raises(kind):
            await undone(at, scope, tom, reference, **fields)
    assert (await undone(at, BOB, tom, "Tom")).moved == 0
    assert (await undone(at, ANN, tom, "Tom")).moved == 1


async def test_a_change_is_indexed_soon_and_a_rehearsal_is_not(
    at: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedder is woken for what was stored alone."""
    memory = await at.add("I like tea")
    woken: list[str] = []
    monkeypatch.setattr(at.embeddings, "wake", lambda: woken.append("woken"))
    for dry_run in (True, False):
        params = UpdateParams(id=memory.id, changes={"content": "I like mate"}, dry_run=dry_run)
        await at.change.update(at.call("memory.update"), params)

    assert woken == ["woken"]


def test_a_stay_covers_its_first_moment_and_not_its_last() -> None:
    """The stay is compared as the policy compares it."""
    stays = [Stay(1, 1, 5, 7), Stay(1, 1, 5, None)]
    covered = [[readers._covers(stay, moment) for moment in (4, 5, 6, 7)] for stay in stays]

    assert covered == [[False, True, True, False], [False, True, True, True]]
