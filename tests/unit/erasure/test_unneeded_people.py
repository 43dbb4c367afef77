"""People who go with an erased memory, and people who stay for another one. Budget: 5 s."""

from dataclasses import replace
from pathlib import Path
from typing import cast

from erasures import erasing_of
from services import call_of, house

from ashd.access.grants import GrantListeners, Grants
from ashd.access.usage import Quotas
from ashd.erasure.erase import Erase, EraseParams


async def test_a_person_whom_a_memory_is_stored_with_but_does_not_mean_loses_the_name(
    tmp_path: Path,
) -> None:
    """The other memory says that it means somebody else; its person's row is still needed."""
    async with house(tmp_path) as home:
        gone = await home.add("She paints boats", subjects=["Ida Brumm"])
        kept = await home.add("She sings", subjects=["Ida Brumm"])
        other = await home.add("He keeps bees", subjects=["Newton Comer"])
        await home.db.write(
            lambda tx: tx.run(
                "insert into meant_subjects (memory, position, person)"
                " select m.id, 0, (select person from memory_subjects s join memories o"
                "   on o.id = s.memory where o.uuid = ?) from memories m where m.uuid = ?",
                *(other.id, kept.id),
            )
        )
        erase = Erase(erasing_of(home), cast("Grants", None), cast("Quotas", None))

        done = await erase.erase(
            replace(call_of("u"), key=None), EraseParams(id=gone.id), cast("GrantListeners", None)
        )

        assert done.receipt.rows["memories"] == 1
        names = await home.db.read(lambda tx: tx.all("select name from people where named = 1"))
        assert ("Ida Brumm",) not in names
        assert await home.listed() == ["She sings", "He keeps bees"]
