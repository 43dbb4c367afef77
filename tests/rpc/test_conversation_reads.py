"""Turns are searched, listed, read page by page and deleted; in groups too. Budget: 8 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import refusal
from daemons import Daemon
from test_conversation_ingest import contents, search

Scope = Callable[..., dict[str, Any]]

_DAY_ONE = [
    "I adopted a greyhound called Pixel.",
    "How lovely! Where did you find him?",
    "At the shelter near the harbour.",
    "We are painting the kitchen yellow.",
    "My sister teaches chemistry in Leeds.",
]
_DAY_TWO = [
    "The greyhound ate my slippers.",
    "I booked the train to Lisbon for June.",
    "The kitchen is finished at last.",
]


@pytest.fixture
def told(plain: Daemon, scope: Scope) -> dict[str, Any]:
    """A user with two conversations, of May and of June 2024."""
    mine = scope(display_name="Nora")
    for name, date, said in (("one", "2024-05-04", _DAY_ONE), ("two", "2024-06-09", _DAY_TWO)):
        plain.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id=name,
            session_date=date,
            messages=[{"content": text} for text in said],
        )
    return mine


# Search -------------------------------------------------------------------------------------------


def test_a_turn_is_found_by_words_and_by_meaning(plain: Daemon, told: dict[str, Any]) -> None:
    """The best first, with a score between 0 and 1 that falls."""
    assert search(plain, "What is my greyhound called?", scope=told)[0] == _DAY_ONE[0]
    assert search(plain, "rail journey to Portugal", scope=told)[0] == _DAY_TWO[1]

    results = plain.call("conversation.search", scope=told, query="greyhound")["results"]

    scores = [result["score"] for result in results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_neighbours_come_to_read_a_turn_by(plain: Daemon, told: dict[str, Any]) -> None:
    """Neighbours come in order, without the turn itself, from its own conversation."""
    for query, width, expected in (
        ("shelter harbour", 1, [_DAY_ONE[1], _DAY_ONE[3]]),
        ("shelter harbour", 10, [*_DAY_ONE[:2], *_DAY_ONE[3:]]),
        ("slippers", 2, _DAY_TWO[1:3]),
        ("slippers", 0, []),
    ):
        results = plain.call("conversation.search", scope=told, query=query, window=width)
        around = results["results"][0]["window"]
        assert [message["content"] for message in around] == expected


def test_an_answer_is_found_by_the_words_of_its_question(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """Neighbours' words count: "any pets?" finds "two hamsters" with no model at all."""
    daemon, mine = with_embedder("none"), scope()
    said = ["Nice weather.", "Do you have any pets?", "Two, they sleep all day.", "I see."]
    daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        messages=[{"content": text} for text in said],
    )

    assert said[2] in search(daemon, "pets", scope=mine)[:2]


@pytest.mark.parametrize("embedder", ["none", "wordllama", "minilm"])
def test_a_question_is_found_by_its_own_words(
    embedder: str, with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """Whoever gives the words of a question gets that turn first, its answer next."""
    daemon, mine = with_embedder(embedder), scope()
    asked, answer = "Which fruit goes into the cake?", "Plums, and a pinch of cinnamon."
    daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        turns=[
            {"user": asked, "assistant": answer},
            {"user": "How long does it bake?", "assistant": "The cake needs an hour."},
        ],
    )

    for words in ("fruit goes into the cake", asked, "FRUIT GOES INTO THE CAKE"):
        assert asked == search(daemon, words, scope=mine)[0]
    assert answer in search(daemon, "What fruit does the cake have?", scope=mine)[:2]


def test_a_turn_is_found_by_its_date(plain: Daemon, told: dict[str, Any]) -> None:
    """The words of the day it was said on lead to it."""
    for query, expected in (("What happened in June 2024?", _DAY_TWO), ("May 4 2024", _DAY_ONE)):
        best = search(plain, query, scope=told, limit=3)
        assert len(set(best) & set(expected)) == 3


def test_a_conversation_or_a_span_narrows(plain: Daemon, told: dict[str, Any]) -> None:
    """Results lie within the span: from the day of `since`, through the day of `until`."""
    kitchen = {_DAY_ONE[3], _DAY_TWO[2]}
    assert kitchen <= set(search(plain, "kitchen", scope=told))
    for narrowed, within in (
        ({"conversation_id": "one"}, _DAY_ONE),
        ({"conversation_id": "none such"}, []),
        ({"since": "2024-06-01"}, _DAY_TWO),
        ({"since": "2024-06-10"}, []),
        ({"until": "2024-05-04"}, _DAY_ONE),
        ({"until": "2024-05-03"}, []),
        ({"since": "2024-05-04", "until": "2024-06-09"}, [*_DAY_ONE, *_DAY_TWO]),
    ):
        found = search(plain, "kitchen", scope=told, limit=20, **narrowed)
        assert set(found) <= set(within)
        assert kitchen & set(within) <= set(found)


def test_the_limit_is_filled(plain: Daemon, told: dict[str, Any]) -> None:
    """A search returns as many results as were asked for, each once."""
    for limit in (1, 3, 8, 100):
        found = search(plain, "greyhound", scope=told, limit=limit)
        assert len(found) == min(limit, 8)
        assert len(set(found)) == len(found)


def test_explain_says_what_made_a_place(plain: Daemon, told: dict[str, Any]) -> None:
    """Each result has its signals; without being asked for there are none."""
    call = {"scope": told, "query": "greyhound called"}
    explained = plain.call("conversation.search", explain=True, **call)["results"]
    assert explained[0]["signals"]["lexical"] > 0
    assert "signals" not in plain.call("conversation.search", **call)["results"][0]


def test_a_named_speaker_ranks_first(any_daemon: Daemon, scope: Scope) -> None:
    """Between two similar turns, the named speaker's comes first."""
    mine = scope()
    said = [("Mira", "I went sailing in Croatia."), ("Jonas", "I went sailing in Norway.")]
    any_daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        messages=[{"speaker": speaker, "content": text} for speaker, text in said],
    )

    for speaker, text in said:
        assert search(any_daemon, f"Where did {speaker} go sailing?", scope=mine)[0] == text


@pytest.mark.parametrize("query", ['"', "*", "(((", "' OR 1=1 --", "NEAR(a b)", "body:x"])
def test_a_question_is_never_syntax(plain: Daemon, told: dict[str, Any], query: str) -> None:
    """A question finds something or nothing and is never an error."""
    for mode in ("hybrid", "lexical", "vector"):
        answer = plain.call("conversation.search", scope=told, query=query, mode=mode)
        assert answer["degraded"] == []


@pytest.mark.parametrize("query", ["", " ", "\u200b"])
def test_an_empty_question_is_refused(plain: Daemon, told: dict[str, Any], query: str) -> None:
    """A question of spaces or invisible characters is refused."""
    error = refusal(plain, "conversation.search", scope=told, query=query)
    assert error.kind == "invalid_params"


# Lists and pages ----------------------------------------------------------------------------------


def test_conversations_are_listed_latest_first(plain: Daemon, told: dict[str, Any]) -> None:
    """Conversations come with their number of messages and first and last time."""
    listed = plain.call("conversation.list", scope=told)["conversations"]

    assert [(c["conversation_id"], c["messages"]) for c in listed] == [("two", 3), ("one", 5)]
    assert listed[0]["first_at"] == "2024-06-09T00:00:00Z"
    assert listed[0]["last_at"] > listed[0]["first_at"]
    assert len(plain.call("conversation.list", scope=told, limit=1)["conversations"]) == 1


def test_messages_come_page_by_page_from_the_end(plain: Daemon, told: dict[str, Any]) -> None:
    """Each page in order; `before` leads to the one before, and is null at the beginning."""
    pages = []
    before: dict[str, Any] = {}
    while True:
        page = plain.call("conversation.get", scope=told, conversation_id="one", limit=2, **before)
        pages.append([message["content"] for message in page["messages"]])
        if page["before"] is None:
            break
        before = {"before": page["before"]}

    assert pages == [_DAY_ONE[3:], _DAY_ONE[1:3], _DAY_ONE[:1]]
    assert page["conversation"]["conversation_id"] == "one"


def test_an_unknown_conversation_is_not_found(plain: Daemon, told: dict[str, Any]) -> None:
    """Another user's conversation is refused in the same words."""
    stranger = {"provider": "test", "user_id": "a stranger to conversations"}
    for method in ("get", "delete"):
        unknown = refusal(plain, f"conversation.{method}", scope=told, conversation_id="three")
        hidden = refusal(plain, f"conversation.{method}", scope=stranger, conversation_id="one")
        assert unknown.kind == hidden.kind == "not_found"
        assert unknown.error == hidden.error


def test_what_is_deleted_is_nowhere(any_daemon: Daemon, scope: Scope) -> None:
    """No search by words or meaning, no list and no neighbours show it; the rest stays."""
    mine = scope()
    for name, said in (("one", "Pixel the greyhound sleeps."), ("two", "Pixel barks at night.")):
        any_daemon.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id=name,
            messages=[{"content": said, "external_id": "1"}],
        )

    answer = any_daemon.call("conversation.delete", scope=mine, conversation_id="one")

    assert answer == {"deleted": 1}
    assert refusal(any_daemon, "conversation.get", scope=mine, conversation_id="one").kind == (
        "not_found"
    )
    for query in ("Pixel", "greyhound sleeps"):
        assert set(search(any_daemon, query, scope=mine, limit=100)) <= {"Pixel barks at night."}
        hits = any_daemon.call("search.all", scope=mine, query=query)["results"]
        assert {hit["message"]["content"] for hit in hits} <= {"Pixel barks at night."}
    listed = any_daemon.call("conversation.list", scope=mine)["conversations"]
    assert [entry["conversation_id"] for entry in listed] == ["two"]
    # And it can be told anew.
    again = any_daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="one",
        messages=[{"content": "Pixel the greyhound sleeps.", "external_id": "1"}],
    )
    assert again["ingested"] == 1
    assert search(any_daemon, "greyhound sleeps", scope=mine)[0] == "Pixel the greyhound sleeps."


# Who may see what ---------------------------------------------------------------------------------


def _say(daemon: Daemon, scope: dict[str, Any], text: str, conversation: str = "chat") -> None:
    daemon.call(
        *("conversation.ingest",),
        scope=scope,
        conversation_id=conversation,
        messages=[{"content": text, "user_id": scope["user_id"]}],
    )


def _seen(daemon: Daemon, scope: dict[str, Any], query: str) -> set[str]:
    """Return what every way of reading shows of a conversation."""
    seen = set(search(daemon, query, scope=scope, limit=100))
    hits = daemon.call("search.all", scope=scope, query=query)["results"]
    seen |= {hit["message"]["content"] for hit in hits if hit["source_type"] == "message"}
    for result in daemon.call("conversation.search", scope=scope, query=query, window=10)[
        "results"
    ]:
        seen |= {message["content"] for message in result["window"]}
    for entry in daemon.call("conversation.list", scope=scope)["conversations"]:
        seen |= set(contents(daemon, entry["conversation_id"], scope=scope))
    return seen


def test_another_users_turns_are_never_found(plain: Daemon, scope: Scope) -> None:
    """Another user's turns are hidden even from the same question in a conversation of the same
    name."""
    alice, bob = scope(), scope()
    _say(plain, alice, "The ruby is in the clock")
    _say(plain, bob, "The ruby is lost")

    assert _seen(plain, alice, "ruby") == {"The ruby is in the clock"}
    assert _seen(plain, bob, "ruby") == {"The ruby is lost"}


def test_who_joins_a_group_sees_nothing_earlier(plain: Daemon, scope: Scope) -> None:
    """While a newcomer is in the group, nobody is shown it there; in private those present are."""
    ann, ben, cleo = (scope()["user_id"] for _ in range(3))
    group = {"chat_id": f"{ann}-g", "chat_type": "group"}
    two = scope(ann, **group, participants=[ann, ben])
    _say(plain, two, "The ruby is in the clock")
    assert _seen(plain, two, "ruby") == {"The ruby is in the clock"}

    three = [ann, ben, cleo]
    for user in three:
        assert _seen(plain, scope(user, **group, participants=three), "ruby") == set()
    assert _seen(plain, scope(ben), "ruby") == {"The ruby is in the clock"}
    assert _seen(plain, scope(cleo), "ruby") == set()

    _say(plain, scope(ben, **group, participants=three), "The ruby was sold")
    assert _seen(plain, scope(cleo, **group), "ruby") == {"The ruby was sold"}


def test_who_left_keeps_what_was_said_before(plain: Daemon, scope: Scope) -> None:
    """A former participant still sees what was said while they were present, nothing later."""
    ann, ben = (scope()["user_id"] for _ in range(2))
    group = {"chat_id": f"{ann}-g", "chat_type": "group"}
    _say(plain, scope(ann, **group, participants=[ann, ben]), "The ruby is in the clock")
    _say(plain, scope(ann, **group, participants=[ann]), "The ruby was sold")

    assert _seen(plain, scope(ben), "ruby") == {"The ruby is in the clock"}
    assert _seen(plain, scope(ann), "ruby") == {"The ruby is in the clock", "The ruby was sold"}


def test_a_turn_never_goes_to_another_group(plain: Daemon, scope: Scope) -> None:
    """A turn of a group or a private chat stays out of other groups of the same people."""
    ann, ben = (scope()["user_id"] for _ in range(2))
    chats = [
        {"chat_id": f"{ann}-{name}", "chat_type": "group", "participants": [ann, ben]}
        for name in ("g", "h")
    ]
    _say(plain, scope(ann, **chats[0]), "The ruby is in the clock")
    _say(plain, scope(ann), "The ruby is mine")

    assert _seen(plain, scope(ann, **chats[1]), "ruby") == set()
    assert _seen(plain, scope(ben, **chats[0]), "ruby") == {"The ruby is in the clock"}
    assert _seen(plain, scope(ann), "ruby") == {"The ruby is in the clock", "The ruby is mine"}


def test_a_sandbox_sees_what_its_scope_sees(plain: Daemon, scope: Scope) -> None:
    """Bound to its user; the operator's filters are there, other users' turns are not."""
    alice, bob = scope(), scope()
    _say(plain, alice, "The ruby is in the clock")
    _say(plain, bob, "The ruby is lost")
    grant = plain.call("grant.create", scope=alice, rights=["read"])

    found = search(plain, "ruby", at=grant["socket"])

    assert found == ["The ruby is in the clock"]


def test_deleting_in_private_leaves_a_groups_conversation_of_that_name(
    plain: Daemon, scope: Scope
) -> None:
    """The deletion affects the user's own conversation, not the group's."""
    ann, ben = (scope()["user_id"] for _ in range(2))
    group = scope(
        ann, chat_id=f"{ann}-g", chat_type="group", participants=[ann, ben], display_name="Ann"
    )
    _say(plain, group, "The ruby is in the clock", "standup")

    error = refusal(plain, "conversation.delete", scope=scope(ben), conversation_id="standup")

    assert error.kind in {"not_found", "denied"}
    assert _seen(plain, group, "ruby") == {"The ruby is in the clock"}
