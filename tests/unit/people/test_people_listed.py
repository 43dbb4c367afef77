"""The list of people: who fits, in which order, page by page."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from known_people import ME, account, alias, claim, known, viewer
from services import House, call_of, house

from ashd import errors
from ashd.memory.incoming_facts import AddParams
from ashd.people import listing, model
from ashd.people.directory import PeopleDirectory
from ashd.people.edit import CreateParams, EditPeople
from ashd.people.listing import ListParams
from ashd.people.model import Known

ANN, BO, CY, OTHER, GROUP = 2, 3, 4, 9, 200
USER = call_of("u")


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("person", "query", "fits"),
    [
        (known(ANN, "Tom Lang"), "LAN", True),
        (known(ANN, "Tom Lang"), "Kim", False),
        (known(ANN, "Tom"), "Tom Lang", True),
        (known(ANN, "Kim", aliases=[alias(ANN, "Tommy")]), "tomm", True),
        (known(ANN, "Kim", claim(ANN, "boss")), "Boss", True),
        (known(ANN, "Kim", claim(ANN, "boss")), "bos", False),
        (known(ANN, "Kim", accounts=[account(7, "x", username="Kiki")]), "kiki", True),
        (known(ANN, "Kim", accounts=[account(7, "x", username="Kiki")]), "kik", False),
        (known(ANN, "Kim", accounts=[account(7, "x")]), "x", False),
    ],
)
def test_a_query_fits_a_part_of_a_name_or_a_whole_word(
    person: Known, query: str, *, fits: bool
) -> None:
    """Relationships and user names fit as a whole."""
    assert listing._fits(person, query) is fits


def test_relationships_that_last_are_counted() -> None:
    """Most frequent first; one that ended is none."""
    people = [
        known(ANN, "Ann", claim(ANN, "aunt"), claim(ANN, "boss", ended=True)),
        known(BO, "Bo", claim(BO, "friend")),
        known(CY, "Cy", claim(CY, "friend")),
    ]

    assert list(listing._counted(people).items()) == [("friend", 2), ("aunt", 1)]


def test_connections_count_at_both_ends_while_they_last() -> None:
    """One person may be several things to another: they are connected once."""
    people = [
        known(ANN, "Ann", claim(ANN, "boss", CY, ended=True), claim(ANN, "aunt", CY, ended=True)),
        known(BO, "Bo", claim(BO, "friend", CY), claim(BO, "boss", CY)),
        known(CY, "Cy"),
        known(5, "Di", claim(5, "friend", CY)),
    ]

    ordered = [one.name for one in listing._ordered(people, "connections")]
    assert ordered == ["Cy", "Bo", "Di", "Ann"]
    assert [one.name for one in listing._ordered(people[::-1], "name")] == ["Ann", "Bo", "Cy", "Di"]
    assert listing._ordered(people[::-1], "recent") == people[::-1]


async def test_people_are_listed_page_by_page(at: House) -> None:
    """Each once, the latest first; the last page names no other, and no list has any cursor."""
    directory, edit = PeopleDirectory(at.db), EditPeople(at.db)
    await at.db.write(USER.enter, scoped=True)
    made = []
    for name, word in (("Ada", "aunt"), ("Bea", "friend"), ("Cem", "friend"), ("Dov", "son")):
        at.clock.pass_by(seconds=60)
        made.append((await edit.create(USER, CreateParams(name=name, relationship=word))).person)

    async def page(**params: object) -> tuple[list[str], str | None, int]:
        found = await directory.list(USER, ListParams(**params))  # type: ignore[arg-type]  # fields of it
        return [one.name for one in found.people], found.next_cursor, found.total

    names, cursor, total = await page()
    assert (names[:4], cursor, total) == (["Dov", "Cem", "Bea", "Ada"], None, len(names))
    assert await page(limit=2) == (["Dov", "Cem"], made[2].id, total)
    assert (await page(limit=2, cursor=made[2].id))[0] == ["Bea", "Ada"]
    assert await page(limit=3, query="a") == (["Bea", "Ada"], None, 2)
    assert await page(limit=1, relationship="friend") == (["Cem"], made[2].id, 2)
    assert await page(limit=1, relationship="my friend", cursor=made[2].id) == (["Bea"], None, 2)
    assert (await page(relationship="family"))[0] == ["Dov"]
    with pytest.raises(errors.InvalidParams):
        await page(cursor="00000000-0000-4000-8000-000000000000")
    with pytest.raises(errors.InvalidParams):
        await page(cursor=made[0].id, relationship="friend")
    counted = await directory.list(USER, ListParams(count=True, relationship="son"))
    assert counted.relationships == {"friend": 2, "aunt": 1, "son": 1}
    assert not (await directory.list(USER, ListParams())).relationships


async def test_whoever_was_spoken_of_last_comes_first_in_private_alone(at: House) -> None:
    """A group does not learn of whom a member speaks elsewhere."""
    group = call_of("u", chat_id="g", chat_type="group")
    for call, name in ((group, "Ada"), (group, "Bea"), (USER, "Ada")):
        at.clock.pass_by(seconds=60)
        facts = AddParams(facts=[{"content": f"{name} sings {at.clock.at}", "subjects": [name]}])
        called = replace(call, digest=str(at.clock.at).encode())
        await at.remember.add(called, facts)
    directory = PeopleDirectory(at.db)

    def names(found: listing.ListResult) -> list[str]:
        return [one.name for one in found.people if one.name in {"Ada", "Bea"}]

    assert names(await directory.list(group, ListParams())) == ["Bea", "Ada"]
    assert names(await directory.list(USER, ListParams())) == ["Ada", "Bea"]
    assert names(await directory.list(call_of("u", all_scopes=True), ListParams())) == [
        "Ada",
        "Bea",
    ]


def test_a_group_knows_somebody_since_the_first_mention_there() -> None:
    """In private, and to the operator, a person is known since the record was made."""
    person = known(
        ANN,
        "Ann",
        claim(ANN, "aunt", at=7),
        aliases=[alias(ANN, "Anna", at=8)],
        chat=GROUP,
        at=9,
    )
    group = viewer(group=True)

    assert model.known_since(person, group) == 7
    assert model.known_since(person._replace(relationships=[]), group) == 8
    assert model.known_since(person._replace(relationships=[], aliases=[]), group) == 9
    early = known(ANN, "Ann", aliases=[alias(ANN, "Anna", at=3)], chat=GROUP, at=2)
    assert model.known_since(early, group) == 2
    assert model.known_since(early._replace(knows_name=False), group) == 3
    own_name = alias(ANN, "Anna", at=1)._replace(learned_in=None)
    assert model.known_since(early._replace(aliases=[own_name]), group) == 2
    for other in (viewer(), replace(group, everything=True)):
        assert model.known_since(person, other) == 9
    of_account = known(ANN, "Ann", claim(ANN, "aunt", at=7), chat=None, at=9)
    assert model.known_since(of_account, group) == 9


@pytest.mark.parametrize(
    ("person", "stated"),
    [
        (known(ANN, "Ann", chat=GROUP), True),
        (known(ANN, "Ann", chat=GROUP, knows_name=False), False),
        (known(ANN, "Ann"), False),
        (known(ANN, "Ann", aliases=[alias(ANN, "A", chat=GROUP)]), True),
        (known(ANN, "Ann", aliases=[alias(ANN, "A")]), False),
        (known(ANN, "Ann", claim(ANN, "aunt", chat=GROUP)), True),
        (known(ANN, "Ann", claim(ANN, "aunt")), False),
    ],
)
def test_one_word_in_a_group_makes_somebody_known_there(person: Known, *, stated: bool) -> None:
    """A name, another name, or a relationship."""
    assert model.is_stated(person, viewer(group=True)) is stated


def test_another_word_serves_where_no_name_may_be_known() -> None:
    """A name that was given, else what the person is to somebody."""
    claims = [claim(ANN, "boss", ME), claim(ANN, "aunt", ME)]

    assert model._other_word([alias(ANN, "Anna"), alias(ANN, "Ann")], claims) == "Anna"
    assert model._other_word([], claims) == "boss"
    assert model._other_word([], []) == "someone"
