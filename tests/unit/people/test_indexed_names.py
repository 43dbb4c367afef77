"""What the full text has beside a memory follows the people that it is about."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from services import House, house

from ashd.access.scope import Scope
from ashd.memory.remember import AddParams
from ashd.people.joining import Joining, MergeParams
from ashd.people.manage import AliasParams, IdParams, Manage, UpdateParams

pytestmark = pytest.mark.anyio
GROUP = Scope(provider="test", user_id="u", chat_id="g", chat_type="group", participants=["u", "v"])


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as made:
        yield made


async def told(at: House, content: str, subject: str, scope: Scope | None = None) -> str:
    """The id of the person that a new fact is about."""
    call = at.call(key=content.encode())
    call = replace(call, scope=scope or call.scope)
    params = msgspec.convert({"content": content, "subjects": [subject]}, AddParams)
    added = (await at.remember.add(call, params)).memories[0]
    assert added.outcome == "added"
    return added.people[0].id


async def indexed(at: House) -> dict[str, str]:
    """The names beside each text."""
    rows = await at.db.read(lambda tx: tx.all("select body, names from passage_fts"))
    return dict(rows)


async def test_a_name_that_is_told_later_stands_beside_what_was_told_before(at: House) -> None:
    """The relationship word gives way to it."""
    await told(at, "She plays chess", "my wife")
    before = await indexed(at)
    await told(at, "My wife's name is Anna", "my wife")

    assert {"She plays chess": "wife"} == before
    assert {"Anna"} == set((await indexed(at)).values())


async def test_an_old_name_is_gone_from_the_index(at: House) -> None:
    """After a new name, and after the person was deleted; another's memories keep theirs."""
    anna = await told(at, "She plays chess", "Anna")
    await told(at, "He plays golf", "Bob")
    await Manage(at.db).update(at.call("person.update"), UpdateParams(id=anna, name="Bea"))
    renamed = await indexed(at)
    await Manage(at.db).delete(at.call("person.delete"), IdParams(anna))

    assert {"She plays chess": "Bea", "He plays golf": "Bob"} == renamed
    assert {"She plays chess": "someone", "He plays golf": "Bob"} == await indexed(at)


async def test_a_merge_and_a_split_move_the_names(at: House) -> None:
    """Of the one who was merged, there and back."""
    anna, nina = await told(at, "She plays chess", "Anna"), await told(at, "She sings", "Nina")
    joining = Joining(at.db)
    await joining.merge(at.call("person.merge"), MergeParams(id=nina, into=anna))
    merged = await indexed(at)
    await joining.split(at.call("person.split"), IdParams(nina))

    assert {"She plays chess": "Anna", "She sings": "Anna"} == merged
    assert {"She plays chess": "Anna", "She sings": "Nina"} == await indexed(at)


async def test_a_name_told_in_private_does_not_reach_a_groups_index(at: House) -> None:
    """The group would find by it what it was never told (C3); what is told there itself counts."""
    wife = await told(at, "She plays chess", "my wife", GROUP)
    await told(at, "My wife's name is Anna", "my wife")
    secret = await indexed(at)
    await Manage(at.db).add_alias(
        replace(at.call("person.add_alias"), scope=GROUP), AliasParams(id=wife, alias="Anni")
    )

    assert {"She plays chess": "wife", "My wife's name is Anna": "Anna"} == secret
    assert "Anna" not in (await indexed(at))["She plays chess"]
