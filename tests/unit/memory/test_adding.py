"""The outcome for a fact that repeats, replaces or may replace earlier ones, by given opinions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from given_opinions import reader_of
from services import House, house

from ashd import errors
from ashd.memory import opinions as judging
from ashd.memory.add_result import Added
from ashd.memory.incoming_facts import AddParams
from ashd.memory.judge import Opinion
from ashd.memory.supersede import SupersedeMemory, SupersedeParams

REPLACES = Opinion(1.0, 0.0)
MAY_REPLACE = Opinion(0.5, 0.0)
REPEATS = Opinion(0.0, 1.0)
RED, BLUE = "The default branch is red", "The default branch is blue"
RED, BLUE = "The default branch is red", "The default branch is blue"
OLD, NEW = "The red bicycle is in the shed", "The red bicycle is in the barn"


@pytest.fixture
def opinions(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Opinion]:
    """Opinions by (older, newer) text, in place of the trained model's."""
    given: dict[tuple[str, str], Opinion] = {}
    reader = reader_of(given)
    monkeypatch.setattr(judging.Reader, "of", lambda _embedder: reader)
    return given


async def in_group(at: House, content: str, user: str, **fields: Any) -> Added:
    """Return the outcome for a fact that a member of a group adds."""
    call = at.call(key=repr((content, user)).encode())
    scope = msgspec.structs.replace(
        call.scope, user_id=user, chat_id="g", chat_type="group", participants=["u", "v"]
    )
    params = msgspec.convert({"content": content, **fields}, AddParams)
    return (await at.remember.add(replace(call, scope=scope), params)).memories[0]


async def test_a_plain_correction_supersedes(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """The older fact leaves default reads and the reply names it."""
    opinions[RED, BLUE] = REPLACES
    async with house(tmp_path) as at:
        old = await at.add(RED)
        entry = await at.entry(BLUE)

        assert entry.superseded == [old.id]
        assert await at.listed() == [BLUE]


@pytest.mark.parametrize("label", ["personal", "sensitive"])
@pytest.mark.parametrize("labelled", [RED, BLUE])
async def test_a_plain_correction_of_what_has_a_label_hides_nothing(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion], label: str, labelled: str
) -> None:
    """Nothing about health is hidden by a rule, whichever of the two has the label."""
    opinions[RED, BLUE] = REPLACES
    async with house(tmp_path) as at:
        for content in (RED, BLUE):
            fields = {"sensitivity": label} if content == labelled else {}
            assert (await at.entry(content, **fields)).superseded == []
        assert await at.listed() == [RED, BLUE]


async def test_a_likely_replacement_is_linked_and_hides_nothing(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """Both memories stay until the confirmation; a second confirmation changes nothing more."""
    opinions[OLD, NEW] = REPLACES
    async with house(tmp_path) as at:
        old = await at.add(OLD)
        entry = await at.entry(NEW)

        assert entry.superseded == []
        assert [(one.id, one.content) for one in entry.may_replace] == [(old.id, OLD)]
        assert await at.listed() == [OLD, NEW]

        assert entry.memory is not None
        confirm = SupersedeParams(id=entry.memory.id, superseded_id=old.id)
        for _ in range(2):
            await SupersedeMemory(at.db).supersede(at.call("memory.supersede"), confirm)

        assert await at.listed() == [NEW]
        assert (await at.get(old)).superseded_by_id == entry.memory.id
        assert (await at.entry(NEW)).may_replace == []


async def test_a_paraphrase_is_stored_and_linked(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """Every statement is stored: the reply names the memory that the new one repeats."""
    opinions[OLD, NEW] = REPEATS
    async with house(tmp_path) as at:
        old = await at.add(OLD)
        entry = await at.entry(NEW)

        assert (entry.outcome, entry.repeats) == ("added", [old.id])
        assert await at.listed() == [OLD, NEW]


async def test_facts_of_one_batch_are_judged_too(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """The facts are judged in order, within one stored part and across parts; nobody is asked."""
    opinions[OLD, NEW] = REPLACES
    between = [f"Crate {number} is full" for number in range(30)]
    async with house(tmp_path) as at:
        for facts in ([OLD, NEW], [OLD, *between, NEW]):
            params = AddParams(facts=[{"content": fact} for fact in facts])
            entries = (await at.remember.add(at.call(), params)).memories

            first, last = entries[0].memory, entries[-1].memory
            assert first is not None
            assert last is not None
            assert entries[-1].may_replace == []
            assert [(one.id, one.relation) for one in last.conflicts] == [(first.id, "older")]
            await at.delete(last)
            await at.delete(first)


async def test_another_members_shared_fact_is_only_offered(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """A member's correction of what another told the group is never silently both, nor imposed."""
    opinions[OLD, NEW] = REPLACES
    async with house(tmp_path) as at:
        old = await in_group(at, OLD, "u", shared=True)
        assert old.memory is not None

        other = await in_group(at, NEW, "v", shared=True)

        assert other.superseded == []
        assert [one.id for one in other.may_replace] == [old.memory.id]


@pytest.mark.parametrize("member", ["u", "v"])
async def test_only_ones_own_shared_fact_is_plainly_corrected(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion], member: str
) -> None:
    """The member who told it corrects it at once, another one is asked."""
    opinions[RED, BLUE] = REPLACES
    async with house(tmp_path) as at:
        old = await in_group(at, RED, "u", shared=True)
        assert old.memory is not None

        entry = await in_group(at, BLUE, member, shared=True)
        is_own, asked = member == "u", [one.id for one in entry.may_replace]
        assert (entry.superseded if is_own else asked) == [old.memory.id]
        assert (asked if is_own else entry.superseded) == []


async def test_a_member_confirms_a_correction_of_a_shared_fact(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """Shared facts are the group's: whoever was offered the older one may confirm."""
    opinions[OLD, NEW] = REPLACES
    async with house(tmp_path) as at:
        old = await in_group(at, OLD, "u", shared=True)
        new = await in_group(at, NEW, "v", shared=True)
        assert old.memory is not None
        assert new.memory is not None
        call = at.call("memory.supersede")
        scope = msgspec.structs.replace(
            call.scope, user_id="v", chat_id="g", chat_type="group", participants=["u", "v"]
        )

        confirm = SupersedeParams(id=new.memory.id, superseded_id=old.memory.id)
        await SupersedeMemory(at.db).supersede(replace(call, scope=scope), confirm)

        assert (await at.get(old.memory)).superseded_by_id == new.memory.id


@pytest.mark.parametrize("opinion", [REPLACES, MAY_REPLACE])
@pytest.mark.parametrize("fields", [{"sensitivity": "personal"}, {"portable": False}])
async def test_nothing_is_offered_that_cannot_be_confirmed(
    tmp_path: Path,
    opinions: dict[tuple[str, str], Opinion],
    opinion: Opinion,
    fields: dict[str, Any],
) -> None:
    """In a group, a fact for fewer people replaces nothing, so it is not offered either."""
    opinions[OLD, NEW] = opinion
    async with house(tmp_path) as at:
        await in_group(at, OLD, "u", shared=True)

        for member in ("u", "v"):
            entry = await in_group(at, NEW, member, shared=True, **fields)

            assert (entry.superseded, entry.may_replace) == ([], [])


async def test_nobody_is_offered_to_replace_what_another_said_of_both(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """A fact about two people is each one's own word: neither may take away the other's."""
    opinions[OLD, NEW] = MAY_REPLACE
    async with house(tmp_path) as at:
        both = {"subjects": ["u", "v"], "shared": True}
        await in_group(at, OLD, "u", **both)

        assert (await in_group(at, NEW, "v", **both)).may_replace == []


async def test_what_fades_replaces_nothing_that_lasts(
    tmp_path: Path, opinions: dict[tuple[str, str], Opinion]
) -> None:
    """No verdict, request or confirmation lets an event replace lasting knowledge."""
    opinions[OLD, NEW] = REPLACES
    async with house(tmp_path) as at:
        old = await at.add(OLD)
        entry = await at.entry(NEW, type="event")

        assert (entry.superseded, entry.may_replace) == ([], [])
        with pytest.raises(errors.InvalidParams):
            await at.entry("A trip with the red bicycle", type="event", supersedes=old.id)
        assert entry.memory is not None
        confirm = SupersedeParams(id=entry.memory.id, superseded_id=old.id)
        with pytest.raises(errors.InvalidParams):
            await SupersedeMemory(at.db).supersede(at.call(), confirm)
        itself = SupersedeParams(id=old.id, superseded_id=old.id)
        with pytest.raises(errors.InvalidParams):
            await SupersedeMemory(at.db).supersede(at.call(), itself)
        assert await at.listed() == [OLD, NEW]


async def test_a_repetition_takes_no_protection_away(tmp_path: Path) -> None:
    """The same words without a label, or with a laxer one, leave the label as it is."""
    async with house(tmp_path) as at:
        first = await at.add(OLD, sensitivity="sensitive", portable=False)

        for asked in ({}, {"sensitivity": "public", "portable": True}):
            assert (await at.entry(OLD, **asked)).outcome == "duplicate"

        kept = await at.get(first)
        assert (kept.sensitivity, kept.portable) == ("sensitive", False)


async def test_supersedes_of_words_that_are_there_confirms(tmp_path: Path) -> None:
    """The same fact again with `supersedes`, as a model does on an offer, stores nothing twice."""
    async with house(tmp_path) as at:
        old = await at.add(OLD)
        new = await at.add(NEW)

        entry = await at.entry(NEW, supersedes=old.id)

        assert (entry.outcome, entry.superseded) == ("duplicate", [old.id])
        assert entry.memory is not None
        assert entry.memory.id == new.id
        assert await at.listed() == [NEW]


@pytest.mark.parametrize(
    ("asked", "field", "wanted"),
    [
        ({"sensitivity": "sensitive"}, "sensitivity", "sensitive"),
        ({"portable": False}, "portable", False),
        ({"expires_at": "2026-08-01T00:00:00Z"}, "expires_at", "2026-08-01T00:00:00Z"),
    ],
)
async def test_a_repetition_that_asks_for_protection_gets_it(
    tmp_path: Path, asked: dict[str, Any], field: str, wanted: Any
) -> None:
    """The stored memory becomes as strict as the repetition asks."""
    async with house(tmp_path) as at:
        first = await at.add(OLD)

        entry = await at.entry(OLD, **asked)

        assert entry.outcome == "duplicate"
        assert getattr(await at.get(first), field) == wanted
        assert await at.listed() == [OLD]
