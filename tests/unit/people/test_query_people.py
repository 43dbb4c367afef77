"""People whom a question names."""

from pathlib import Path

import pytest
from services import call_of, house

from ashd.memory.incoming_facts import AddParams
from ashd.people import query_people
from ashd.people.directory import GetParams, PeopleDirectory, ResolveParams
from ashd.people.edit import CreateParams, EditPeople, RelateParams
from ashd.store import people
from ashd.store.database import Tx


@pytest.mark.parametrize(("place", "is_named"), [({}, False), ({"chat_type": "group"}, True)])
async def test_the_askers_own_name_counts_in_a_group(
    tmp_path: Path, place: dict[str, str], *, is_named: bool
) -> None:
    """In a private chat it would set nothing apart: nearly all is the asker's own word."""
    chat = {"chat_id": "g", **place} if place else {}
    call = call_of("u", display_name="Ben Okafor", **chat)
    async with house(tmp_path) as at:
        await at.remember.add(call, AddParams(content="I live in Ghent"))

        def named(tx: Tx) -> set[int]:
            viewer, names = call.look(tx), query_people.Names(tx)
            speaker = call.speaker(tx, viewer)
            return query_people.persons(tx, viewer, names, speaker, "where does Ben live")[0]

        assert bool(await at.db.read(named)) is is_named


async def test_the_first_person_speaks_of_who_says_it(tmp_path: Path) -> None:
    """To another member's question about Ben, his own statement is Ben's own word."""
    group = {"chat_id": "g", "chat_type": "group"}
    ann = call_of("ann", **group)
    async with house(tmp_path) as at:
        ben = call_of("ben", display_name="Ben Okafor", **group)
        await at.remember.add(ben, AddParams(content="I live in Ghent"))
        await at.db.write(ann.enter, scoped=True)

        def about(tx: Tx) -> query_people.About:
            viewer, names = ann.look(tx), query_people.Names(tx)
            speaker = ann.speaker(tx, viewer)
            return query_people.about(tx, viewer, names, speaker, "where does Ben live")

        found = await at.db.read(about)

    assert list(found.weights.values()) == [query_people.OWN_WORD]
    assert found.speakers == ("Ben Okafor",)


async def test_memories_about_relatives_of_a_named_person_come_with_the_relation(
    tmp_path: Path,
) -> None:
    """Not those about the asker's own other people, and not about the asker."""
    async with house(tmp_path) as at:
        call = at.call("memory.search")
        for subject in ("my friend Kurt", "Kurt's sister Eva", "my uncle Olaf", "me"):
            fact = AddParams(content=f"{subject} plays the oboe", subjects=[subject])
            await at.remember.add(call, fact)

        def about(tx: Tx) -> query_people.About:
            viewer, names = call.look(tx), query_people.Names(tx)
            speaker = call.speaker(tx, viewer)
            return query_people.about(tx, viewer, names, speaker, "what does Kurt play")

        found = await at.db.read(about)

    assert sorted(found.weights.values()) == sorted([query_people.NAMED, query_people.RELATED])
    assert list(found.via.values()) == ["Eva is Kurt's sister"]


@pytest.mark.parametrize("named", ["Kurt", "kurt"])
async def test_a_relation_to_somebody_named_means_that_relative(tmp_path: Path, named: str) -> None:
    """Kurt is named only to say whose sister is meant, also without a capital."""
    async with house(tmp_path) as at:
        call = at.call("memory.search")
        for subject in ("my friend Kurt", "Kurt's sister Eva", "my sister Mia"):
            fact = AddParams(content=f"{subject} plays the oboe", subjects=[subject])
            await at.remember.add(call, fact)

        def about(tx: Tx) -> query_people.About:
            viewer, names = call.look(tx), query_people.Names(tx)
            speaker = call.speaker(tx, viewer)
            question = f"what does {named}'s sister play"
            return query_people.about(tx, viewer, names, speaker, question)

        found = await at.db.read(about)

    assert [words for words, _ in found.described] == ["Kurt's sister"]
    assert sorted(found.weights.values()) == sorted([query_people.NAMED, query_people.POSSESSOR])
    assert list(found.via.values()) == ["Eva is Kurt's sister"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what do my relatives play", ["my cousin Eva", "my sister Mia"]),
        ("what does my family play", ["my cousin Eva", "my sister Mia"]),
        ("what do my friends play", ["my friend Kurt"]),
        ("what do my colleagues play", ["my colleague Olaf"]),
    ],
)
async def test_a_group_of_the_askers_people_is_all_of_them_and_no_others(
    tmp_path: Path, question: str, expected: list[str]
) -> None:
    subjects = ("my sister Mia", "my cousin Eva", "my friend Kurt", "my colleague Olaf")
    async with house(tmp_path) as at:
        call, about = at.call("memory.search"), {}
        for subject in subjects:
            fact = AddParams(content=f"{subject} plays the oboe", subjects=[subject])
            (entry,) = (await at.remember.add(call, fact)).memories
            about[entry.people[0].id] = subject

        def named(tx: Tx) -> list[str]:
            viewer, names = call.look(tx), query_people.Names(tx)
            speaker = call.speaker(tx, viewer)
            found = query_people.persons(tx, viewer, names, speaker, question)[0]
            return sorted(about[one.uuid] for one in people.by_ids(tx, found))

        assert await at.db.read(named) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what does Weidmann play", ["Kurt Weidmann"]),
        ("what do Kurt's siblings play", ["Kurt's sister Eva"]),
    ],
)
async def test_people_are_named_by_family_and_by_a_wider_word_for_their_relation(
    tmp_path: Path, question: str, expected: list[str]
) -> None:
    """A family name alone means its people; sisters are siblings, whosever."""
    async with house(tmp_path) as at:
        call, about = at.call("memory.search"), {}
        for subject in ("Kurt Weidmann", "Kurt's sister Eva", "my uncle Olaf"):
            fact = AddParams(content=f"{subject} plays the oboe", subjects=[subject])
            (entry,) = (await at.remember.add(call, fact)).memories
            about[entry.people[0].id] = subject

        def named(tx: Tx) -> list[str]:
            viewer, names = call.look(tx), query_people.Names(tx)
            speaker = call.speaker(tx, viewer)
            found, possessors, _ = query_people.persons(tx, viewer, names, speaker, question)
            return sorted(about[one.uuid] for one in people.by_ids(tx, found - possessors))

        assert await at.db.read(named) == expected


async def test_a_known_person_is_something_more_to_the_speaker(tmp_path: Path) -> None:
    """A reference teaches the relationships that are new of somebody who is known."""
    async with house(tmp_path) as at:
        call = at.call("person.resolve")
        directory = PeopleDirectory(at.db)
        found = [
            (await directory.resolve(call, ResolveParams(reference=said))).person_id
            for said in ("Kurt Weidmann", "my friend Kurt Weidmann", "my landlord Kurt Weidmann")
        ]
        person = (await directory.get(call, GetParams(id=found[0]))).person

    assert len(set(found)) == 1
    assert sorted(one.relationship for one in person.relationships) == ["friend", "landlord"]


@pytest.mark.parametrize(
    ("relationship", "question"),
    [
        ("mother", "what does Kurt's mum play"),
        ("luthier", "does my sister know Kurt's luthier"),
    ],
)
async def test_a_relative_is_named_by_another_word_for_the_relation_or_by_the_stored_one(
    tmp_path: Path, relationship: str, question: str
) -> None:
    """The vocabulary knows that a mum is a mother; it need not know the stored word."""
    async with house(tmp_path) as at:
        call, edits = at.call("person.relate"), EditPeople(at.db)
        kurt, eva, olaf = [
            (await edits.create(call, CreateParams(name=name))).person.id
            for name in ("Kurt", "Eva", "Olaf")
        ]
        for number, word in ((eva, relationship), (olaf, "uncle")):
            await edits.relate(call, RelateParams(id=number, relationship=word, to=kurt))

        def named(tx: Tx) -> list[str]:
            viewer, names = call.look(tx), query_people.Names(tx)
            speaker = call.speaker(tx, viewer)
            found, possessors, _ = query_people.persons(tx, viewer, names, speaker, question)
            return [one.name for one in people.by_ids(tx, found - possessors)]

        assert await at.db.read(named) == ["Eva"]
