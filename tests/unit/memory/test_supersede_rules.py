"""Rules of `memory.supersede`, on a real database without a daemon."""

from pathlib import Path
from typing import Any

import pytest
from services import House, house

from ashd import errors
from ashd.memory import status_changes
from ashd.memory.model import Memory
from ashd.memory.supersede import SupersedeMemory, SupersedeParams
from ashd.store import memories, memory_links


async def judged(at: House, newer: Memory, older: Memory, verdict: Any) -> str:
    """Return "done" or the kind of the error."""
    params = SupersedeParams(id=newer.id, superseded_id=older.id, verdict=verdict)
    try:
        await SupersedeMemory(at.db).supersede(at.call("memory.supersede"), params)
    except errors.AshError as error:
        return error.kind
    return "done"


async def offered(at: House) -> int:
    """The number of memories that are offered to replace another."""
    found = await at.db.read(lambda tx: memory_links.among(tx, [1, 2, 3]))
    return sum(link.kind == "may_replace" for link in found)


async def test_a_verdict_is_taken_back_by_another(tmp_path: Path) -> None:
    """Each verdict after each other; one that is given twice changes nothing."""
    async with house(tmp_path) as at:
        tea = await at.add("Tea is at four")
        cake = await at.add("Lunch was cold yesterday")
        both = ["Lunch was cold yesterday", "Tea is at four"]
        for verdict, active, offers in (
            ("unsure", both, 1),
            ("unsure", both, 1),
            ("both", both, 0),
            ("replaces", both[:1], 0),
            ("replaces", both[:1], 0),
            ("unsure", both, 1),
            ("replaces", both[:1], 0),
            ("both", both, 0),
        ):
            assert await judged(at, cake, tea, verdict) == "done"
            assert (sorted(await at.listed()), await offered(at)) == (active, offers), verdict


async def test_only_what_is_active_replaces_or_is_replaced(tmp_path: Path) -> None:
    """Nothing replaces itself, nor does what fades replace what lasts."""
    async with house(tmp_path) as at:
        tea = await at.add("Tea is at four")
        cake = await at.add("Lunch was cold yesterday")
        rain = await at.add("The roof leaks", type="observation")
        verdicts = ("replaces", "both", "unsure")

        for verdict in verdicts:
            assert await judged(at, tea, tea, verdict) == "invalid_params"
        outcomes = [await judged(at, rain, tea, verdict) for verdict in verdicts]
        assert outcomes == ["invalid_params", "done", "invalid_params"]
        assert await judged(at, tea, rain, "replaces") == "done"
        await at.delete(cake)
        for verdict in verdicts:
            assert await judged(at, cake, tea, verdict) in {"conflict", "not_found"}
            assert await judged(at, tea, cake, verdict) in {"conflict", "not_found"}
        assert await at.listed() == ["Tea is at four"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"subjects": ["Timo"]}, {"subjects": ["Vera"]}),
        ({"observed_at": "2026-05-02"}, {"observed_at": "2025-05-02"}),
        ({}, {"observed_at": "2025-05-02"}),
    ],
)
async def test_no_request_overrules_whom_and_when_facts_are_about(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """A fact about others, or an earlier observation, is stored, but replaces nothing (A11)."""
    async with house(tmp_path) as at:
        older = await at.add("Was born in Graz", **before)
        with pytest.raises(errors.InvalidParams):
            await at.entry("Was born in Linz", supersedes=older.id, **after)
        newer = await at.add("Was born in Linz", **after)

        for verdict in ("replaces", "unsure"):
            assert await judged(at, newer, older, verdict) == "invalid_params"
        assert await judged(at, older, newer, "replaces") == (
            "done" if "subjects" not in before else "invalid_params"
        )


@pytest.mark.parametrize("subjects", [["Timo"], ["Timo", "Vera"], []])
async def test_a_correction_may_name_other_people_besides_or_nobody(
    tmp_path: Path, subjects: list[str]
) -> None:
    """The caller knows whom it means; a later observation replaces an earlier one."""
    async with house(tmp_path) as at:
        older = await at.add("Was born in Graz", subjects=["Timo"], observed_at="2025-05-02")
        later = {"subjects": subjects, "observed_at": "2026-05-02"}
        await at.add("Was born in Linz", supersedes=older.id, **later)

        assert await at.listed() == ["Was born in Linz"]


@pytest.mark.parametrize("reason", ["superseded", "user_deleted"])
async def test_a_verdict_brings_back_only_memories_archived_for_it(
    tmp_path: Path, reason: str
) -> None:
    """A memory that was deleted meanwhile stays deleted."""
    async with house(tmp_path) as at:
        tea = await at.add("Tea is at four")
        cake = await at.add("Lunch was cold yesterday")
        await judged(at, cake, tea, "replaces")
        await at.db.write(lambda tx: status_changes.archive(tx, memories.by_id(tx, 1), reason))

        outcome = await judged(at, cake, tea, "both")

        assert (outcome == "done") is (reason == "superseded")
        assert ("Tea is at four" in await at.listed()) is (reason == "superseded")
