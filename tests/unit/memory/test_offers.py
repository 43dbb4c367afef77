"""Earlier facts that a new one may replace are linked; the caller is asked about the likeliest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from services import House, house

from ashd.memory import add as remember
from ashd.memory import late_judging
from ashd.memory.add_result import Added
from ashd.memory.judge import Opinion
from ashd.memory.model import Memory
from ashd.memory.opinions import Opinions
from ashd.memory.supersede import SupersedeMemory, SupersedeParams
from ashd.store import memory_links

OLDER = [f"Note {word} is on the desk" for word in ("amber", "blue", "coral", "dun", "ecru")]


async def told(
    at: House, monkeypatch: pytest.MonkeyPatch, content: str, opinions: Mapping[int, Opinion]
) -> Added:
    """Add a fact with these opinions on the memories by row number."""
    with monkeypatch.context() as patched:
        judged = [Opinions(dict(opinions))]
        patched.setattr(remember.judging, "of_facts", lambda _tx, **_given: judged)
        return await at.entry(content)


def contents(entries: list[Any]) -> list[str]:
    return [entry.content for entry in entries]


async def test_the_caller_is_asked_about_the_likeliest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither nearness nor age decides which three are linked, and which one is asked about."""
    likely = {1: 0.35, 2: 0.8, 3: 0.2, 4: 0.5, 5: 0.6}
    async with house(tmp_path) as at:
        for content in OLDER:
            await told(at, monkeypatch, content, {})

        opinions = {number: Opinion(replaces, 0.0) for number, replaces in likely.items()}
        entry = await told(at, monkeypatch, "The desk is empty", opinions)

        assert [(one.content, one.likelihood) for one in entry.may_replace] == [(OLDER[1], 0.8)]
        assert entry.memory is not None
        assert contents(entry.memory.conflicts) == [OLDER[1], OLDER[4], OLDER[3]]


@pytest.mark.parametrize(("likelihood", "asks"), [(0.51, True), (0.5, False), (0.3, False)])
async def test_the_caller_is_asked_only_if_it_is_likelier_than_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, likelihood: float, *, asks: bool
) -> None:
    """A less likely conflict is linked without a question."""
    async with house(tmp_path) as at:
        await told(at, monkeypatch, TEA, {})
        entry = await told(at, monkeypatch, COCOA, {1: Opinion(likelihood, 0.0)})

        assert contents(entry.may_replace) == ([TEA] if asks else [])
        assert entry.memory is not None
        assert contents(entry.memory.conflicts) == [TEA]


TEA, COCOA = "I drink green tea in the morning", "I drink hot cocoa in the morning"
REPLACES, REPEATS, LIKELY, UNRELATED = (
    Opinion(0.99, 0.0),
    Opinion(0.0, 0.99),
    Opinion(0.5, 0.0),
    Opinion(0.01, 0.01),
)


async def offered_while_away(
    at: House, monkeypatch: pytest.MonkeyPatch, opinion: Opinion = REPLACES
) -> tuple[Added, Memory, Memory]:
    """Tell two facts while the embedder loads; the entry of the second, and both memories."""
    at.embeddings.state = "loading"
    older = (await told(at, monkeypatch, TEA, {})).memory
    entry = await told(at, monkeypatch, COCOA, {1: opinion})
    assert older is not None
    assert entry.memory is not None
    return entry, older, entry.memory


async def judge_again(at: House, opinion: Opinion) -> None:
    """Judge the second fact with the opinion of the better model."""
    found = [(2, {1: opinion})]
    await at.db.write(lambda tx: late_judging._decide(tx, found=found), scoped=True)


async def offers(at: House) -> list[tuple[str, int]]:
    """The links of the second fact to earlier ones."""
    links = await at.db.read(lambda tx: memory_links.older_than(tx, 2))
    return [(link.kind, link.older) for link in links]


@pytest.mark.parametrize(("opinion", "offers"), [(REPLACES, [TEA]), (LIKELY, []), (REPEATS, [])])
async def test_nothing_is_certain_while_the_embedder_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opinion: Opinion, offers: list[str]
) -> None:
    """A replacement is offered at most, and nothing counts as a repetition."""
    async with house(tmp_path) as at:
        entry, _, _ = await offered_while_away(at, monkeypatch, opinion)

        assert (entry.superseded, entry.repeats) == ([], [])
        assert contents(entry.may_replace) == offers
        assert await at.listed() == [TEA, COCOA]


async def test_the_same_words_are_certain_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No model is needed to see that."""
    async with house(tmp_path) as at:
        await offered_while_away(at, monkeypatch)
        assert (await told(at, monkeypatch, COCOA, {})).outcome == "duplicate"


@pytest.mark.parametrize(
    ("opinion", "active", "links"),
    [
        (REPLACES, [TEA, COCOA], [("may_replace", 1)]),
        (LIKELY, [TEA, COCOA], [("may_replace", 1)]),
        (UNRELATED, [TEA, COCOA], []),
        (REPEATS, [TEA, COCOA], [("repeats", 1)]),
    ],
)
async def test_a_conflict_is_judged_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opinion: Opinion,
    active: list[str],
    links: list[tuple[str, int]],
) -> None:
    """The better model links the older fact again, or removes the link."""
    async with house(tmp_path) as at:
        _, older, _ = await offered_while_away(at, monkeypatch)
        await judge_again(at, opinion)

        assert await at.listed() == active
        assert await offers(at) == links
        await at.db.write(lambda tx: late_judging._decide(tx, found=[(2, {})]))
        assert await offers(at) == links, older


async def test_a_settled_conflict_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller knows better than any model."""
    async with house(tmp_path) as at:
        _, older, newer = await offered_while_away(at, monkeypatch)
        verdict = SupersedeParams(id=newer.id, superseded_id=older.id, verdict="both")
        await SupersedeMemory(at.db).supersede(at.call("memory.supersede"), verdict)

        await judge_again(at, REPLACES)

        assert await at.listed() == [TEA, COCOA]
        assert await offers(at) == []


@pytest.mark.parametrize("opinion", [UNRELATED, LIKELY, REPLACES])
async def test_a_conflict_that_somebody_left_open_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opinion: Opinion
) -> None:
    """As an undo does; judging that comes later withdraws only what a model had linked."""
    async with house(tmp_path) as at:
        _, older, newer = await offered_while_away(at, monkeypatch)
        for verdict in ("both", "unsure"):
            said = SupersedeParams(id=newer.id, superseded_id=older.id, verdict=verdict)
            await SupersedeMemory(at.db).supersede(at.call("memory.supersede"), said)

        await judge_again(at, opinion)

        assert await at.listed() == [TEA, COCOA]
        assert await offers(at) == [("may_replace", 1)]
