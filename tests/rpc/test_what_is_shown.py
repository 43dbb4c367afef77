"""The results that a search shows, marks as weak and withholds, and the context. Budget: 20 s."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from asking import add
from daemons import Daemon

from ashd.memory.cutoff import FILLED_TO

Scope = Callable[..., dict[str, Any]]
Embedder = Callable[[str], Daemon]
LONG = "\n\n".join(f"Paragraph {n} tells of kitchens and Sundays. " * 13 for n in range(11))


def results(daemon: Daemon, query: str, **params: Any) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = daemon.call("memory.search", query=query, **params)["results"]
    return answer


def contents(daemon: Daemon, query: str, **params: Any) -> list[str]:
    return [result["memory"]["content"] for result in results(daemon, query, **params)]


def group(scope: Scope, user: str, chat: str, members: list[str], name: str) -> dict[str, Any]:
    return {
        **scope(),
        "user_id": user,
        "chat_id": chat,
        "chat_type": "group",
        "participants": members,
        "display_name": name,
    }


# Cuts ---------------------------------------------------------------------------------------------


def test_what_may_answer_comes_last_and_is_marked(with_embedder: Embedder, scope: Scope) -> None:
    """The next best follow as weak ones, up to seven; a minimum score of 0 shows all (D7)."""
    daemon, mine = with_embedder("minilm"), scope()
    told = ["My sister plays the flute", "We have a piano in the hall", "I sing in a choir"]
    told += ["My flute teacher is Ms Orr", "The concert is in May", "Rubbish goes out on Thursdays"]
    daemon.call("memory.add", scope=mine, facts=[{"content": text} for text in told])

    found = results(daemon, "Who plays a flute?", scope=mine)
    everything = results(daemon, "Who plays a flute?", scope=mine, min_score=0)

    marks = [result["weak"] for result in found]
    assert found[0]["memory"]["content"] == told[0]
    assert marks == sorted(marks)
    assert len(found) == len(told) < FILLED_TO
    assert all(result["weak"] == (result["score"] < 0.5) for result in found)
    assert {result["memory"]["content"] for result in everything} == {*told}


# People -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_who_is_one_relation_away_follows(
    with_embedder: Embedder, scope: Scope, embedder: str
) -> None:
    """At most two related results follow; memories about the named person come first (D2)."""
    daemon, mine = with_embedder(embedder), scope()
    add(daemon, "Alice is left-handed", scope=mine, subjects=["Alice"])
    for thing in ("Wears size 46", "Collects stamps", "Sleeps badly"):
        add(daemon, thing, scope=mine, subjects=["Alice's husband Bob"])
    for number in range(8):
        add(daemon, f"Alice wraps {number} presents", scope=mine, subjects=["Alice"])

    found = results(daemon, "presents for Alice", scope=mine, limit=20)

    assert all(result["about"] == ["Alice"] for result in found[:9])
    via = [result for result in found if "via" in result]
    assert len(via) == 2
    assert {result["via"] for result in via} == {"Bob is Alice's husband"}
    assert all(result["weak"] and result["about"] == ["Bob"] for result in via)


def test_a_relation_that_the_asker_may_not_know_brings_nothing(
    with_embedder: Embedder, scope: Scope
) -> None:
    """A relation stated in private is not known in the group (C3)."""
    daemon = with_embedder("none")
    ann = group(scope, "via-ann", "via-chat", ["via-ann", "via-ben"], "Ann")
    add(daemon, "Cara is a doctor", scope=ann, subjects=["Cara"], shared=True)
    add(daemon, "Dirk sails", scope=ann, subjects=["Dirk"], shared=True)
    private = {key: ann[key] for key in ("provider", "user_id")}
    people = daemon.call("person.list", scope=private)["people"]
    ids = {person["name"]: person["id"] for person in people}
    daemon.call(
        "person.relate", scope=private, id=ids["Dirk"], relationship="husband", to=ids["Cara"]
    )

    ben = group(scope, "via-ben", "via-chat", ["via-ann", "via-ben"], "Ben")
    assert contents(daemon, "what of Cara?", scope=ben) == ["Cara is a doctor"]


def test_many_of_a_kind_leave_room_for_something_else(
    with_embedder: Embedder, scope: Scope
) -> None:
    """The fifth of five results is not the fourth breakfast with green apples (D5)."""
    daemon, mine = with_embedder("minilm"), scope()
    for text in (
        "I had green apples for breakfast on Monday",
        "On Tuesday I had green apples for breakfast",
        "I had green apples for breakfast again on Wednesday",
        "My breakfast on Thursday was green apples",
        "I drink coffee at breakfast",
        "On Sundays we eat at the bakery with Paul",
    ):
        add(daemon, text, scope=mine)

    asked = daemon.call("memory.search", scope=mine, query="what do I have for breakfast", limit=5)

    shown = [one["memory"]["content"] for one in asked["results"]]
    assert len(shown) == 5
    assert {
        "I drink coffee at breakfast",
        "On Sundays we eat at the bakery with Paul",
    } <= {*shown}


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_ones_own_word_is_about_oneself(
    with_embedder: Embedder, scope: Scope, embedder: str
) -> None:
    """The user's own word ranks above hearsay, and a filter by the person finds it (A13)."""
    daemon, members = with_embedder(embedder), [f"own-{embedder}-ann", f"own-{embedder}-ben"]
    ann = group(scope, members[0], f"own-{embedder}", members, "Ann")
    ben = group(scope, members[1], f"own-{embedder}", members, "Ben")
    add(daemon, "I like tea", scope=ben)
    add(daemon, "The printer is out of ink", scope=ben)
    add(daemon, "Ben lives in Lyon", scope=ann, subjects=["Ben"])
    add(daemon, "I live in Nantes", scope=ben)

    found = contents(daemon, "where does Ben live", scope=ann)
    about = contents(daemon, "where does he live", scope=ann, about="Ben", min_score=0)

    assert found[:2] == ["I live in Nantes", "Ben lives in Lyon"]
    assert {"I live in Nantes", "Ben lives in Lyon"} <= {*about}
    assert "The printer is out of ink" not in about
    mine = daemon.call("memory.list", scope=ben, about="me")["memories"]
    said = {memory["content"] for memory in mine}
    assert {"I like tea", "I live in Nantes", "Ben lives in Lyon"} == said


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_a_member_who_asks_by_their_own_name_is_a_named_person(
    with_embedder: Embedder, scope: Scope, embedder: str
) -> None:
    """An agent asks in the third person; Ben finds what Ann finds about him (A13, D2)."""
    daemon, members = with_embedder(embedder), [f"self-{embedder}-ann", f"self-{embedder}-ben"]
    ann = group(scope, members[0], f"self-{embedder}", members, "Ann")
    ben = group(scope, members[1], f"self-{embedder}", members, "Ben Okafor")
    add(daemon, "I have a flat near the harbour of Lund", scope=ben)
    add(daemon, "Ben lives in Malmo", scope=ann, subjects=["Ben"])
    add(daemon, "I live in Oslo", scope=ann)

    for question in ("where does Ben live", "where does Ben Okafor live", "Ben"):
        asked = [results(daemon, question, scope=one) for one in (ben, ann)]
        hers, his = ([(one["memory"]["content"], one["score"]) for one in of] for of in asked)
        assert his == hers
        assert his[0][0] == "I have a flat near the harbour of Lund"
        assert "Ben lives in Malmo" in dict(his)


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
@pytest.mark.parametrize(
    ("own", "rumour", "question"),
    [
        ("I work at Siemens", "Ben works at Bosch", "where does Ben work?"),
        (
            "I like green best",
            "Ben likes red best",
            "what colour does Ben like?",
        ),
        ("I am allergic to nuts", "Ben is not allergic to nuts", "is Ben allergic to nuts?"),
    ],
)
def test_no_repetition_puts_hearsay_before_an_own_word(
    with_embedder: Embedder, scope: Scope, embedder: str, own: str, rumour: str, question: str
) -> None:
    """The own word comes first in a search, a filter, the block of a prompt, and a tool (A13)."""
    daemon, tag = with_embedder(embedder), scope()["user_id"]
    members = [f"loud-{tag}-ann", f"loud-{tag}-ben"]
    ann = group(scope, members[0], f"loud-{tag}", members, "Ann")
    ben = group(scope, members[1], f"loud-{tag}", members, "Ben")
    add(daemon, own, scope=ben)
    rumours = [f"{rumour}{end}" for end in ("", ", I think", ", they say", "!", ", says Tom")]
    rumours += [f"{one}, {n} of them know" for one in rumours for n in range(2, 9)]
    call = {"scope": ann, "facts": [{"content": one, "subjects": ["Ben"]} for one in rumours]}
    daemon.call("memory.add", **call)

    found = contents(daemon, question, scope=ann, limit=50)
    about = contents(daemon, question, scope=ann, about="Ben", min_score=0, limit=50)
    block = daemon.call("context.get", scope=ann, message=question)["text"]
    said = daemon.call("tools.call", scope=ann, name="recall", arguments={"query": question})
    assert own == found[0]
    assert own == about[0]
    assert own in block
    first = min(said["content"].find(one) for one in rumours if one in said["content"])
    assert 0 <= said["content"].find(own) < first


# Time ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_of_what_is_equal_the_newest_comes_first(
    with_embedder: Embedder, scope: Scope, embedder: str
) -> None:
    """Memories and messages, whatever the order they were stored in (D5)."""
    daemon, mine = with_embedder(embedder), scope()
    text, years = "The harbour is closed for repairs", (2024, 2023, 2026)
    daemon.call(
        "conversation.ingest",
        scope=mine,
        conversation_id="h",
        messages=[{"content": text, "at": f"{year}-05-01T10:00:00Z"} for year in years],
    )
    for year in years:
        add(daemon, text, scope=mine, subjects=[f"Harbour {year}"], observed_at=f"{year}-05-01")

    said = daemon.call("conversation.search", scope=mine, query="harbour closed repairs")["results"]
    told = results(daemon, "closed for repairs", scope=mine)

    assert [hit["message"]["at"][:4] for hit in said] == ["2026", "2024", "2023"]
    assert [hit["memory"]["observed_at"][:4] for hit in told] == ["2026", "2024", "2023"]


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
@pytest.mark.parametrize(
    ("words", "days"),
    [("two days ago", 2), ("the day before yesterday", 2), ("in the last 7 days", 2)],
)
def test_relative_words_of_time_bring_what_was_then(
    with_embedder: Embedder, scope: Scope, embedder: str, words: str, days: int
) -> None:
    """Memories from the named time come before similar others, with every embedder (D6)."""
    daemon, mine = with_embedder(embedder), scope()
    today = daemon.call("memory.add", scope=mine, content="Clock")["memories"][0]["memory"]
    now = dt.datetime.fromisoformat(today["created_at"])
    visits = {
        400: "Visited the maritime museum with Jo",
        days: "Visited the toy museum",
        700: "Visited the museum of modern art",
        90: "Visited a museum about trams",
        30: "Visited the science museum with the children",
    }
    for ago, text in visits.items():
        at = (now - dt.timedelta(days=ago)).isoformat()
        add(daemon, text, scope=mine, observed_at=at, type="decision")

    found = contents(daemon, f"Which museum did I visit {words}?", scope=mine, min_score=0)
    assert found[0] == visits[days]


# The context --------------------------------------------------------------------------------------


def test_the_context_is_filled_by_rank(with_embedder: Embedder, scope: Scope) -> None:
    """The answer is in it though many memories are newer; without a question the newest come."""
    daemon, mine = with_embedder("minilm"), scope()
    add(daemon, "My uncle left me his watch", scope=mine)
    for number in range(14):
        add(daemon, f"Shelf {number} in the cellar holds {number + 3} jars", scope=mine)

    asked = daemon.call("context.get", scope=mine, message="What did I inherit?", max_memories=5)
    greeted = daemon.call("context.get", scope=mine, message="And now?", max_memories=5)

    assert "My uncle left me his watch" in {one["content"] for one in asked["memories"][:5]}
    assert [one["content"] for one in greeted["memories"][:5]] == [
        f"Shelf {number} in the cellar holds {number + 3} jars" for number in range(9, 14)
    ]


def test_the_passage_that_was_found_is_what_is_shown(plain: Daemon, scope: Scope) -> None:
    """A long memory or message shows its matching passage, with the cut marked."""
    mine, secret = scope(), "The secret ingredient of the lasagne is nutmeg."
    add(plain, f"{LONG}\n\n{secret}", scope=mine)
    messages = [{"content": f"{LONG}\n\nThe secret spice of the stew is mace."}]
    plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=messages)

    block = plain.call("context.get", scope=mine, message="the secret ingredient of the lasagne?")
    told = plain.call(
        "tools.call", scope=mine, name="recall", arguments={"query": "secret ingredient lasagne"}
    )
    said = plain.call(
        *("tools.call",),
        scope=mine,
        name="search_conversations",
        arguments={"query": "the secret spice of the stew"},
    )

    for text in (block["text"], told["content"]):
        assert "nutmeg" in text
        assert "…" in text
    assert "mace" in said["content"]


@pytest.mark.parametrize("before", [250, 550, 850, 1_150, 4_700, 8_900])
def test_every_sentence_of_a_long_paragraph_is_found_by_meaning(
    with_embedder: Embedder, scope: Scope, before: int
) -> None:
    """No passage is longer than what MiniLM reads, even of words of one or two tokens."""
    daemon, mine = with_embedder("minilm"), scope()
    answer = "The vault opens with the brass key."
    filler = "We went to it at ten or so. He is on it. I am at my pc a lot, so do it by ten am. "
    start = (filler * (before // len(filler) + 1))[:before].rpartition(". ")[0] + ". "
    add(daemon, start + answer + " " + filler * ((9_700 - before) // len(filler)), scope=mine)

    [result] = daemon.call("memory.search", scope=mine, query="what opens the vault")["results"]
    block = daemon.call("context.get", scope=mine, message="how do I unlock the safe?")

    assert answer in result["passage"]
    assert answer in block["text"]
