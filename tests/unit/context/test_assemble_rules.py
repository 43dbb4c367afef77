"""The rules of `context.get` itself: what it asks for, omits and keeps, with scripted services."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from services import FixedClock, call_of

from ashd import config
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.context import assemble, sections
from ashd.context.assemble import Context, ContextParams, Recent
from ashd.context.budget import Filled, Item, Section, Why, fill
from ashd.context.given_lines import GivenLines
from ashd.context.planner import Plan
from ashd.context.search_all import SearchAll, SearchAllParams
from ashd.conversation.model import MessageView
from ashd.conversation.search import Result as Turn
from ashd.conversation.search import SearchResult
from ashd.conversation.summaries import FoundSummary, SummaryView
from ashd.memory.model import Memory
from ashd.memory.search_results import Result as Remembered
from ashd.store.database import Database, Tx

NOON = FixedClock().now()
ANN = call_of("ann")


def message(number: int, text: str = "", speaker: str | None = None) -> MessageView:
    at = to_text(NOON + number * 1_000_000) or ""
    return MessageView(
        f"t{number}", None, "c", number, "user", speaker, text or f"turn {number}", at, 3, None
    )


def turn(number: int, *window: int, score: float = 0.9, text: str = "", **fields: Any) -> Turn:
    return Turn(message(number, text), score, [message(one) for one in window], **fields)


def memory(number: int, content: str = "", **fields: Any) -> Remembered:
    known: dict[str, Any] = dict.fromkeys(Memory.__struct_fields__)
    known |= {
        "id": f"m{number}",
        "content": content or f"fact {number}",
        "created_at": to_text(NOON),
        "conflicts": [],
    }
    own = {name: fields.pop(name) for name in list(fields) if name in known}
    found = {"score": 0.5, "weak": False, "about": [], "repeats": [], "conflicts": []}
    found |= {"trust": "fact", **fields}
    return Remembered(memory=Memory(**(known | own)), **found)


def summary(number: int, text: str, score: float = 0.9) -> FoundSummary:
    empty: dict[str, Any] = {"topics": [], "decisions": [], "key_dates": [], "action_items": []}
    at = to_text(NOON) or ""
    return FoundSummary(
        id=f"s{number}",
        title=None,
        conversation_id="c",
        began_at=at,
        at=at,
        messages=2,
        overall=text,
        score=score,
        **empty,
    )


class Services:
    """Answers as it is told to, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.memories: dict[str, list[Remembered]] = {}
        self.turns: list[Turn] = []
        self.latest_summaries: list[SummaryView] = []
        self.found_summaries: list[FoundSummary] = []
        self.degraded: list[str] = []
        self.planned: Plan | None = None

    async def ranked(
        self, _call: Call, query: str, most: int, newest: int, _marked: int = 0
    ) -> Any:
        self.asked.append(("memories", query, most, newest))
        found = self.memories.get(query, [])
        return SimpleNamespace(results=found, degraded=self.degraded), []

    async def vectors_of(self, _call: Call, _message: str) -> None:
        return None

    async def search(self, _call: Call, params: Any) -> Any:
        if hasattr(params, "window"):
            self.asked.append(("turns", params.limit, params.window))
            return SearchResult(self.turns, self.degraded)
        self.asked.append(("summaries", params.query))
        return SimpleNamespace(summaries=self.found_summaries, degraded=self.degraded)

    def latest_in(self, _tx: Tx, _call: Call, limit: int) -> list[SummaryView]:
        self.asked.append(("latest", limit))
        return self.latest_summaries

    def known(self, _tx: Tx, _call: Call, limit: int, _message: str) -> list[Any]:
        self.asked.append(("people", limit))
        return []

    async def plan(self, text: str, recent: Any) -> Plan:
        self.asked.append(("plan", recent))
        return self.planned or Plan(text)


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database.open(tmp_path / "a.db", FixedClock())
    await opened.write(ANN.enter, scoped=True)
    yield opened
    opened.close()


@pytest.fixture
def context(db: Database, services: Services) -> Context:
    every = cast("Any", services)
    return Context(
        db, FixedClock(), every, every, every, every, every, GivenLines(db), config.Memory()
    )


async def test_only_what_is_wanted_is_asked_for(context: Context, services: Services) -> None:
    """Without a question no messages are searched; a sandbox costs no plan by a model."""
    every = [
        ("plan", [("user", "hi")]),
        ("latest", 5),
        ("people", 50),
        ("memories", "tea?", 10, 10),
        ("turns", 6, 1),
        ("summaries", "tea?"),
    ]
    asked = ContextParams(message="tea?", recent=[Recent("user", "hi")])
    sandbox = replace(ANN, actor=replace(ANN.actor, kind="sandbox"))
    for call, params, expected in (
        (ANN, asked, every),
        (sandbox, asked, [*every[1:4], ("memories", "tea?", 10, 0), *every[4:]]),
        (ANN, msgspec.structs.replace(asked, message=" "), every[:4]),
        (ANN, msgspec.structs.replace(asked, max_messages=0), [*every[:4], every[5]]),
        (ANN, msgspec.structs.replace(asked, sections=["date", "profile"]), []),
        (ANN, msgspec.structs.replace(asked, sections=["people"]), [every[2]]),
        (ANN, msgspec.structs.replace(asked, sections=["excerpts"]), [every[0], every[4]]),
        (
            ANN,
            msgspec.structs.replace(asked, sections=["memories"]),
            [every[0], *every[2:4]],
        ),
        (ANN, msgspec.structs.replace(asked, sections=["summaries"]), [every[1]]),
        (
            ANN,
            msgspec.structs.replace(asked, sections=["relevant_summaries"]),
            [every[0], every[5]],
        ),
    ):
        services.asked.clear()
        context._cache.clear()
        await context.get(call, params)
        found = [
            (*one[:1], "tea?", *one[2:]) if one[0] == "memories" else one for one in services.asked
        ]
        assert found == expected, params


async def test_turns_the_host_already_has_are_left_out(
    context: Context, services: Services
) -> None:
    """An echo takes no place, and is no neighbour; what is too far off is not shown."""
    services.turns = [
        turn(1, text="Hello!"),
        turn(2, 3, 4, score=0.3),
        turn(5, score=0.29),
        turn(6),
        turn(7),
    ]
    recent = [Recent("user", "hello"), Recent("user", "turn 3")]
    params = ContextParams(message="q?", recent=recent, max_messages=2, sections=["excerpts"])

    found = await context.get(ANN, msgspec.structs.replace(params, explain=True))

    assert [one.id for one in found.messages] == ["t2", "t4", "t6"]
    assert isinstance(found.explained, list)
    why = {one.item: (one.why, one.reason) for one in found.explained}
    assert why == {
        "t1": ("echo", "ranked"),
        "t5": ("below_similarity", "ranked"),
        "t2": ("in", "ranked"),
        "t6": ("in", "ranked"),
        "t4": ("in", "neighbour"),
    }
    assert ("turns", 4, 1) in services.asked
    assert (await context.get(ANN, params)).explained is msgspec.UNSET


async def test_look_ups_add_their_memories(context: Context, services: Services) -> None:
    """What answers a look-up comes in its place by score, and is asked for without the newest."""
    services.planned = Plan("tea?", ("cups?",), degraded=True)
    services.memories = {
        "tea?": [memory(1, score=0.9), memory(2, score=0.8)],
        "cups?": [memory(3, score=0.85), memory(4, score=0.2)],
    }
    params = ContextParams(message="?", sections=["memories"])

    found = await context.get(ANN, params)
    bounded = await context.get(ANN, msgspec.structs.replace(params, max_memories=2))

    assert {one.name: one.items for one in found.sections} == {"memories": 3}
    assert {one.id for one in found.memories} == {"m1", "m2", "m3"}
    assert {one.id for one in bounded.memories} == {"m1", "m3"}, "a number bounds all"
    assert found.degraded == ["planner"]
    assert ("memories", "cups?", 2, 0) in services.asked


async def test_no_summary_is_shown_twice(context: Context, services: Services) -> None:
    """Repeated summaries and failed summaries are omitted."""
    services.latest_summaries = [summary(1, "Tea").unranked(), summary(2, "Tea").unranked()]
    services.found_summaries = [
        summary(3, "Tea"),
        summary(4, "Cups", score=assemble.RELEVANT_SCORE),
        summary(5, "Pots", score=assemble.RELEVANT_SCORE - 0.01),
    ]
    found = await context.get(ANN, ContextParams(message="tea?"))

    assert [one.id for one in found.summaries] == ["s1", "s4"]


@pytest.mark.parametrize("most", [100, 150])
async def test_a_block_has_no_more_tokens_than_it_may(
    context: Context, services: Services, most: int
) -> None:
    """The fence and the lines around the sections count, too."""
    services.memories["tea?"] = [memory(number, f"cup {number}") for number in range(60)]

    found = await context.get(ANN, ContextParams(message="tea?", max_tokens=most))

    assert most - 20 < found.token_count <= most
    assert found.memories


async def test_a_block_is_kept_where_it_is_whole_and_small(
    context: Context, services: Services
) -> None:
    """For ten seconds; what did without something is asked again at once."""
    clock = cast("FixedClock", context._clock)
    params = ContextParams(message="tea?", max_tokens=40_000)

    async def asks() -> bool:
        services.asked.clear()
        await context.get(ANN, params)
        return bool(services.asked)

    assert [await asks(), await asks()] == [True, False]
    clock.pass_by(seconds=9.999)
    assert not await asks()
    clock.pass_by(seconds=0.001)
    assert await asks()
    services.degraded = ["late"]
    clock.pass_by(seconds=10)
    assert [await asks(), await asks()] == [True, True]
    services.degraded = []
    services.turns = [turn(1, text="x" * 16_000)]
    assert [await asks(), await asks()] == [True, False]
    clock.pass_by(seconds=10)
    services.turns = [turn(number, text=f"{number}" * 16_000) for number in (1, 2)]
    assert [await asks(), await asks()] == [True, True]


async def test_the_blocks_of_the_latest_questions_are_kept(
    context: Context, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of cached questions is bounded."""
    monkeypatch.setattr(assemble, "_CACHED", 2)
    params = [ContextParams(message=f"{number}?", sections=["people"]) for number in range(3)]
    for one in params:
        await context.get(ANN, one)
    services.asked.clear()
    for one in (params[1], params[2]):
        await context.get(ANN, one)
    assert services.asked == []
    await context.get(ANN, params[0])
    assert services.asked == [("people", 50)]


async def test_a_block_that_is_made_again_is_the_latest(
    context: Context, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It outlives one that was made between; what is too old is dropped, whoever asks."""
    monkeypatch.setattr(assemble, "_CACHED", 2)
    clock = cast("FixedClock", context._clock)
    first, second, third = (ContextParams(message=f"{n}?", sections=["people"]) for n in range(3))
    await context.get(ANN, first)
    clock.pass_by(seconds=5)
    await context.get(ANN, second)
    monkeypatch.setattr(context, "_is_same", lambda _kept: False)
    await context.get(ANN, first)
    monkeypatch.undo()
    assert [kept.until - clock.now() for kept in context._cache.values()] == 2 * [10_000_000]

    monkeypatch.setattr(assemble, "_CACHED", 2)
    await context.get(ANN, third)
    services.asked.clear()
    await context.get(ANN, first)
    assert services.asked == []
    clock.pass_by(seconds=10)
    await context.get(ANN, second)
    assert len(context._cache) == 1


async def test_everything_is_searched_at_once(services: Services) -> None:
    """Best first whatever it is; what is withheld is counted by why."""
    found = SimpleNamespace(
        results=[memory(1, score=0.7), memory(2, score=0.2)],
        degraded=["late"],
        withheld=SimpleNamespace(below_threshold=3, over_limit=4),
    )
    least = assemble.RELEVANT_SCORE
    services.turns = [turn(1, score=0.9), turn(2, score=least), turn(3, score=least - 0.01)]
    services.found_summaries = [summary(1, "a", least), summary(2, "b", least - 0.01)]
    services.degraded = ["late", "model"]

    async def searched(_call: Call, params: Any) -> Any:
        assert params.limit == 4
        return found

    asked: Any = services
    memories: Any = SimpleNamespace(search=searched)
    params = SearchAllParams("tea?", limit=4)
    answer = await SearchAll(memories, asked, asked).search(ANN, params)

    assert [(one.source_type, one.score) for one in answer.results] == [
        ("message", 0.9),
        ("memory", 0.7),
        ("message", least),
        ("summary", least),
    ]
    assert (answer.withheld.below_threshold, answer.withheld.over_limit) == (3 + 1 + 1, 4 + 1)
    assert answer.degraded == ["late", "model"]


def test_pinned_facts_that_do_not_fit_are_told_of() -> None:
    """Pinned facts have no budget of their own, so only the total cuts them."""

    def notices(*whys: Why) -> list[Any]:
        decisions = [(Item("k", "t", 1), why) for why in whys]
        found = Filled("overrides", "Pinned", [], 0, decisions)
        return assemble._notices([replace(found, name="people"), found])

    assert notices("in", "twice") == []
    (notice,) = notices("over_total", "in", "over_total")
    assert notice.kind == "overrides_left_out"
    assert notice.message.startswith("2 ")
    assert assemble._notices([]) == []


def text_of(section: Section) -> list[str]:
    return [item.text for item in section.items]


def test_a_memory_is_labelled_with_what_one_should_know_of_it() -> None:
    """Labels give the subject, the time, the speaker and the place, each only where known."""
    told = memory(
        1, source_username="tom", owner_user_id="7", chat_id="g", about=["Uma"], via="son"
    )
    named = memory(
        2, source_display_name="Tom", source_username="t", observed_at="2020-02-03T00:00Z"
    )
    day = (to_text(NOON) or "")[:10]

    assert text_of(sections.memories([told, named, memory(3, owner_user_id="7", weak=True)])) == [
        f"- [{day} (about Uma), told by tom, shared in g, son] fact 1",
        "- [2020-02-03, told by Tom] fact 2",
        f"- [{day}, told by 7] fact 3",
    ]
    mine = sections.memories([told, memory(3, owner_user_id="7", provider="p")], asker=("p", "7"))
    assert text_of(mine)[1] == f"- [{day}] fact 3", "nor does a user of another provider go unnamed"
    assert "told by tom" in text_of(mine)[0]
    assert "told by the user" in mine.heading
    weak, ids = memory(3, weak=True), {memory(3).memory.id: "3f2a1b"}
    assert text_of(sections.memories([weak], ids=ids)) == [
        f"- [Memory 3f2a1b, {day}, may not answer] fact 3"
    ]
    assert "may not answer" not in text_of(sections.memories([memory(3)], ids=ids))[0]
    reasons = [memory(4, newest=True), memory(5)]
    assert [item.reason for item in sections.memories(reasons).items] == ["newest", "ranked"]


@pytest.mark.parametrize(
    ("content", "passage", "shown"),
    [
        ("x" * 2_000, "y", "x" * 2_000),
        ("x" * 2_001, msgspec.UNSET, f"{'x' * 2_000}… (the first 2,000 of 2,001 characters)"),
        ("x" * 2_001, "xx", f"{'x' * 2_000}… (the first 2,000 of 2,001 characters)"),
        ("a" + "x" * 2_000, "xx", "…xx (the passage that fits, of 2,001 characters)"),
        ("x" * 2_000 + "yz", "y", "…y… (the passage that fits, of 2,002 characters)"),
    ],
)
def test_a_long_text_is_cut_to_what_was_found(content: str, passage: Any, shown: str) -> None:
    """A cut text says that it was cut."""
    assert sections._cut(content, passage) == shown


def test_an_excerpt_is_shown_once() -> None:
    """The same words of the same role, too; what answers stands before what is around it."""
    made = sections.excerpts([turn(1, 2, 3, text="turn 9"), turn(4, 3, 9)])

    reasons = {item.key: item.reason for item in made.items}
    ranked, around = dict.fromkeys(("t1", "t4"), "ranked"), dict.fromkeys(("t2", "t3"), "neighbour")
    assert list(reasons.items()) == list((ranked | around).items())
    spoken = Turn(message(1, "Hi", "Tom"), 0.5, [])
    assert text_of(sections.excerpts([spoken]))[0].endswith(" Tom] Hi")


def test_a_profile_has_no_blank_lines() -> None:
    """A missing profile gives no section."""
    made = sections.profile("## Work\n\n- a cook\n")

    assert [item.key for item in made.items] == ["profile/0", "profile/2"]
    assert fill([sections.profile(None)], 100) == []


def test_only_what_answers_is_shortened_to_its_sentence() -> None:
    """The sentence with the words of the question says nothing about what does not answer it."""
    long = "I like tea. The boat lies in Hamburg."
    answers = sections._memory(memory(1, long), "Where is the boat?")
    weak = sections._memory(memory(2, long, weak=True), "Where is the boat?")

    assert answers.shorter is not None
    assert "tea" not in answers.shorter()[-1]
    assert weak.shorter is None
    assert sections._memory(memory(3, long)).shorter is None


def test_a_fact_that_ends_at_midnight_holds_on_the_day_before() -> None:
    """The end of a period is the first moment after it."""
    day = memory(1, valid_until="2026-05-05T00:00:00Z")
    moment = memory(2, valid_until="2026-05-05T00:00:00.000001Z")

    assert "valid until 2026-05-04" in sections._memory(day).text
    assert "valid until 2026-05-05" in sections._memory(moment).text


def test_a_summary_is_labelled_with_its_conversations_title() -> None:
    """The conversation's id says nothing to a model, and no title ends its label."""
    named = msgspec.structs.replace(summary(1, "We plan"), title="Porto] trip")

    for made in (sections.summaries([named.unranked()]), sections.relevant_summaries([named])):
        [line] = text_of(made)
        assert ", summary of Porto) trip] We plan" in line
    [plain] = text_of(sections.relevant_summaries([summary(1, "We plan")]))
    assert ", summary of a conversation] We plan" in plain


@pytest.mark.parametrize(
    ("chat", "heading"),
    [
        ({}, "Memories (told by the user unless named)"),
        ({"chat_id": "c", "chat_type": "private"}, "Memories (told by the user unless named)"),
        ({"chat_id": "c", "chat_type": "group"}, "Memories"),
    ],
)
async def test_the_user_of_a_private_chat_is_taken_for_who_told(
    db: Database, context: Context, services: Services, chat: dict[str, str], heading: str
) -> None:
    """With an id the chat is no less private; in a group each memory says who told it."""
    call = call_of("ann", **chat)
    await db.write(call.enter, scoped=True)
    services.memories = {"tea?": [memory(1)]}

    told = await context.get(call, ContextParams(message="tea?", sections=["memories"]))

    assert [one.heading for one in told.sections] == [heading]
