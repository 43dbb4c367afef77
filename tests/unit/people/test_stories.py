"""Identities in short stories: one user's statements on people, and whom references mean.

`stories.jsonl` labels each subject with the person a careful listener would think of; equal labels
are one person. "ambiguous" asks for a question back or for `may_be`, "?" accepts any answer.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from services import House, house

from ashd import errors
from ashd.memory.incoming_facts import AddParams
from ashd.people.directory import PeopleDirectory, ResolveParams

STORIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "stories.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def _added(at: House, statement: dict[str, Any], number: int) -> list[str]:
    """The id of each subject, or the kind of the error."""
    fact = {"content": statement["content"], "subjects": list(statement["subjects"])}
    call = at.call("memory.add", key=str(number).encode())
    entry = (await at.remember.add(call, msgspec.convert({"facts": [fact]}, AddParams))).memories[0]
    if entry.error:
        return [entry.error["kind"]] * len(fact["subjects"])
    return [person.id for person in entry.people]


async def _resolved(at: House, reference: str, *, is_open: bool) -> str:
    """The person, or the kind of the error; an answer that offers others asks back too."""
    params = ResolveParams(reference=reference, create=False)
    try:
        found = await PeopleDirectory(at.db).resolve(at.call("person.resolve"), params)
    except errors.AshError as error:
        return error.kind
    return "ambiguous" if found.may_be and is_open else found.person_id


async def _mistakes(at: House, story: dict[str, Any]) -> list[str]:
    """The references that came out otherwise than the story says."""
    person_of: dict[str, str] = {}
    wrong = []

    def note(reference: str, label: str, answer: str) -> None:
        if label == "?":
            return
        if label == "ambiguous":
            if answer != "ambiguous":
                wrong.append(f"{reference}: not ambiguous")
        elif person_of.setdefault(label, answer) != answer or "-" not in answer:
            wrong.append(f"{reference}: {answer} is not {label}")
        elif any(other != label and person == answer for other, person in person_of.items()):
            wrong.append(f"{reference}: {label} is somebody else too")

    for number, statement in enumerate(story["statements"]):
        at.clock.pass_by(seconds=60)
        answers = await _added(at, statement, number)
        for (reference, label), answer in zip(statement["subjects"].items(), answers, strict=True):
            note(f"{number}. {reference}", label, answer)
    for reference, label in story["then"].items():
        note(
            f"then {reference}", label, await _resolved(at, reference, is_open=label == "ambiguous")
        )
    return wrong


@pytest.mark.parametrize("story", STORIES, ids=lambda s: f"{s['half']}: {s['name']}")
async def test_people_are_told_apart(at: House, story: dict[str, Any]) -> None:
    """Each reference means the person whom a careful listener would think of."""
    assert [] == await _mistakes(at, story)
