"""Memories are found by what the asker calls their people, now; no index holds a name of them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from services import House, house

from ashd.access.scope import Scope
from ashd.memory import status_changes
from ashd.memory.incoming_facts import AddParams
from ashd.memory.search import SearchParams
from ashd.people.edit import AliasParams, EditPeople, IdParams, UpdateParams
from ashd.people.merge import MergeParams, MergePeople
from ashd.store import migrations, passages
from ashd.store.connection import connect
from ashd.store.database import Tx

ALONE = Scope(provider="test", user_id="u")


def group(user: str, *participants: str, chat: str = "g", shown_as: str | None = None) -> Scope:
    return Scope(
        provider="test",
        user_id=user,
        chat_id=chat,
        chat_type="group",
        display_name=shown_as,
        participants=list(participants),
    )


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def told(
    at: House, content: str, *subjects: str, scope: Scope = ALONE, sensitivity: str | None = None
) -> str | None:
    """The id of the person that a new fact is about."""
    call = replace(at.call(key=f"{scope}{content}".encode()), scope=scope)
    fact = {"content": content, "subjects": list(subjects), "sensitivity": sensitivity}
    added = (await at.remember.add(call, msgspec.convert({"facts": [fact]}, AddParams))).memories[0]
    assert added.outcome == "added"
    return added.people[0].id if added.people else None


async def by(at: House, query: str, scope: Scope = ALONE) -> list[str]:
    """Return everything that a search by words finds."""
    call = replace(at.call("memory.search"), scope=scope)
    asked = SearchParams(query=query, mode="lexical", min_score=0)
    found = (await at.recall.search(call, asked)).results
    return sorted(result.memory.content for result in found)


async def test_no_name_of_a_person_is_indexed(at: House) -> None:
    """A message shows its speaker; a memory's viewer may know no name."""
    await told(at, "She plays chess", "Anna")
    anna = await told(at, "She plays golf", "my wife Anna")
    await EditPeople(at.db).add_alias(at.call(), AliasParams(id=anna or "", alias="Anni"))

    rows = await at.db.read(lambda tx: tx.all("select distinct names from passage_fts"))
    assert [("",)] == rows


@pytest.mark.parametrize("query", ["Anna", "anna", "Annas", "What is Anna's game?", "Anna Frick"])
async def test_a_memory_is_found_by_the_name_of_whom_it_is_about(at: House, query: str) -> None:
    """The name is found as a word, in lower case, and as a possessive."""
    await told(at, "She plays chess", "Anna")
    await told(at, "He sings", "Bob")

    assert ["She plays chess"] == await by(at, query)


async def test_a_name_in_another_script_is_found_under_another_ending(at: House) -> None:
    """Only an exact name excludes other people."""
    await told(at, "She plays chess", "Марина")
    found = await by(at, "Марину")
    await told(at, "He sings", "Марину")

    assert ["She plays chess"] == found
    assert ["He sings"] == await by(at, "Марину")


async def test_a_name_that_is_told_later_finds_what_was_told_before(at: House) -> None:
    """The relationship word and the name both do then."""
    await told(at, "She plays chess", "my wife")
    before = await by(at, "Anna")
    await told(at, "Her first name begins with A", "my wife Anna")

    assert [] == before
    assert "She plays chess" in await by(at, "Anna")
    assert "She plays chess" in await by(at, "my wife")


async def test_an_old_name_finds_nothing(at: House) -> None:
    """A name stops finding after a change or a deletion; another person's memories keep theirs."""
    anna = await told(at, "She plays chess", "Anna") or ""
    await told(at, "He plays golf", "Bob")
    await EditPeople(at.db).update(at.call("person.update"), UpdateParams(id=anna, name="Bea"))
    assert ([], ["She plays chess"]) == (await by(at, "Anna"), await by(at, "Bea"))

    await EditPeople(at.db).delete(at.call("person.delete"), IdParams(anna))
    assert ([], ["He plays golf"]) == (await by(at, "Bea"), await by(at, "Bob"))


async def test_a_merge_and_a_split_move_the_names(at: House) -> None:
    """The merged person's names move there and back."""
    anna = await told(at, "She plays chess", "Anna") or ""
    nina = await told(at, "She sings", "Nina") or ""
    joining = MergePeople(at.db, status_changes.part_accounts)
    await joining.merge(at.call("person.merge"), MergeParams(id=nina, into=anna))
    merged = [await by(at, name) for name in ("Anna", "Nina")]
    await joining.split(at.call("person.split"), IdParams(nina))

    assert [["She plays chess", "She sings"]] * 2 == merged
    assert [["She plays chess"], ["She sings"]] == [await by(at, n) for n in ("Anna", "Nina")]


async def test_other_subjects_bring_their_names(at: House) -> None:
    """The names of those whom the memory was about before find it no more (A3)."""
    keys = "The keys are in the drawer"
    memory = await at.add(keys, subjects=["Philippa"])
    before = [await by(at, name) for name in ("Philippa", "Quentin")]
    await at.update(memory, subjects=["Quentin"])
    after = [await by(at, name) for name in ("Philippa", "Quentin")]
    await at.update(memory, subjects=[])

    assert ([[keys], []], [[], [keys]]) == (before, after)
    assert [[], []] == [await by(at, name) for name in ("Philippa", "Quentin")]


async def test_the_name_that_an_account_shows_now_finds_what_is_about_it(at: House) -> None:
    """The provider's old name is nobody's any more (B2); what one says of oneself is about one."""
    here, both = group("u", "u", "v"), ["The barbecue is mine", "The barbecue is on the roof"]
    oboe = "I play the oboe"
    await told(at, oboe, scope=group("v", "u", "v", shown_as="Wendelin"))
    own = await told(at, both[0], "me", scope=group("v", "u", "v"))
    await told(at, both[1], own or "", scope=here)
    before = [await by(at, name, here) for name in ("Wendelin", "Zacharias")]
    await told(at, "I like tea", scope=group("v", "u", "v", shown_as="Zacharias"))

    assert [sorted([*both, oboe]), []] == before
    after = [await by(at, name, here) for name in ("Wendelin", "Zacharias")]
    assert [[], sorted([*both, oboe, "I like tea"])] == after


@pytest.mark.sqlite_file
async def test_names_that_were_indexed_before_are_gone(tmp_path: Path) -> None:
    """An upgrade removes names from the index of memories; a message keeps its speaker."""
    index = "insert into passage_fts (rowid, scope, body, names) values (?1, 'p', 'x', ?2)"
    passage = (
        "insert into passages (id, kind, item, ordinal, chat, hash, dated, asking, ends_asking,"
        " words) values (?1, ?2, 9, 0, 1, x'', 0, 0, 0, 1)"
    )

    def write_as_before(tx: Tx) -> None:
        for number, kind, name in ((101, passages.MEMORY, "Anna"), (102, passages.MESSAGE, "Bob")):
            tx.run(passage, number, kind)
            tx.run(index, number, name)

    async with house(tmp_path) as at:
        await at.add("I live in Rome")
        await at.db.write(write_as_before)
    writer = connect(tmp_path / "ash.db", read_only=False)
    writer.execute(dict(migrations.schema_files())[6]).fetchall()
    writer.close()
    async with house(tmp_path) as at:
        rows = await at.db.read(
            lambda tx: tx.all("select rowid, names from passage_fts where rowid > 100")
        )

    assert [(101, ""), (102, "Bob")] == rows


@pytest.mark.sqlite_file
async def test_a_name_leaves_the_index_as_it_is(at: House) -> None:
    """Telling a name keeps the writer thread as long with ten thousand memories as with one."""
    anna = await told(at, "She plays chess", "Anna") or ""
    await told(at, "She plays golf", "Anna")

    async def index() -> list[tuple[int, bytes]]:
        return await at.db.read(lambda tx: tx.all("select id, block from passage_fts_data"))

    before = await index()
    await EditPeople(at.db).update(at.call("person.update"), UpdateParams(id=anna, name="Bea"))
    await EditPeople(at.db).add_alias(at.call(), AliasParams(id=anna, alias="Anni"))

    assert ["She plays chess", "She plays golf"] == await by(at, "Anni")
    assert before == await index()


async def test_a_name_told_in_private_finds_nothing_in_a_group(at: House) -> None:
    """The group would learn by it what it was never told (C3); what is told there itself counts."""
    here = group("u", "u", "v")
    wife = await told(at, "She plays chess", "my wife", scope=here) or ""
    await told(at, "Her first name begins with A", "my wife Anna")
    assert [] == await by(at, "Anna", here)
    assert "She plays chess" in await by(at, "Anna")

    await EditPeople(at.db).add_alias(
        replace(at.call("person.add_alias"), scope=here), AliasParams(id=wife, alias="Anni")
    )
    assert ([], ["She plays chess"]) == (await by(at, "Anna", here), await by(at, "Anni", here))


async def test_who_joins_later_cannot_ask_by_a_name_held_personal(at: House) -> None:
    """The memory is public and shown to all; the name is for those who were there when it fell."""
    two, three = group("u", "u", "v"), group("w", "u", "v", "w")
    knee, friday = "He has a bad knee", "The guest arrives on Friday"
    await told(at, knee, "Jorge", scope=two, sensitivity="personal")
    await told(at, friday, "Jorge", scope=two, sensitivity="public")
    at.clock.pass_by(seconds=1)
    together = await by(at, "Jorge", two)
    await told(at, "I bring the cake", scope=three)

    assert [knee, friday] == together
    assert ([friday], []) == (await by(at, "guest", three), await by(at, "Jorge", three))
    assert [] == await by(at, "Jorge", Scope(provider="test", user_id="w"))
    # Who knows the name finds both by it, where nobody else hears the answer.
    for user in ("u", "v"):
        assert together == await by(at, "Jorge", Scope(provider="test", user_id=user))


async def test_another_group_cannot_ask_by_the_name_that_one_group_heard(at: House) -> None:
    """A group that does not know the name sees the public memory as about somebody."""
    friday, two = "The guest arrives on Friday", group("u", "u", "v")
    await told(at, friday, "Jorge", scope=two, sensitivity="public")
    other = group("u", "u", "x", chat="h")
    await told(at, "Welcome", scope=other)

    assert ([friday], []) == (await by(at, "guest", other), await by(at, "Jorge", other))
    assert [friday] == await by(at, "Jorge", group("v", "u", "v"))


async def test_who_left_cannot_ask_by_a_name_told_since(at: House) -> None:
    """He keeps what he heard, by the names that he heard."""
    friday, alone = "The guest arrives on Friday", group("u", "u")
    guest = await told(at, friday, "Jorge", scope=group("u", "u", "v")) or ""
    at.clock.pass_by(seconds=1)
    await told(at, "Now we are fewer", scope=alone)
    at.clock.pass_by(seconds=1)
    call = replace(at.call("person.add_alias"), scope=alone)
    await EditPeople(at.db).add_alias(call, AliasParams(id=guest, alias="Ignatius"))

    left = Scope(provider="test", user_id="v")
    assert ([friday], []) == (await by(at, "Jorge", left), await by(at, "Ignatius", left))
    assert [friday] == await by(at, "Ignatius", alone)
