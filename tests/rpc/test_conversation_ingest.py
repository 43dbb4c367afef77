"""conversation.ingest: messages are stored once, as they were said. Budget: 5 s."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from asking import refusal
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def messages_of(daemon: Daemon, conversation: str, **params: Any) -> list[dict[str, Any]]:
    """The messages of a conversation in order."""
    found: list[dict[str, Any]] = daemon.call(
        "conversation.get", conversation_id=conversation, **{"limit": 500, **params}
    )["messages"]
    return found


def contents(daemon: Daemon, conversation: str, **params: Any) -> list[str]:
    """Return the contents of the messages."""
    return [message["content"] for message in messages_of(daemon, conversation, **params)]


def search(daemon: Daemon, query: str, **params: Any) -> list[str]:
    """Return the contents of the messages that a search finds, best first."""
    results = daemon.call("conversation.search", query=query, **params)["results"]
    return [result["message"]["content"] for result in results]


def test_turns_become_a_message_of_each_side(plain: Daemon, scope: Scope) -> None:
    """The user's first, then the assistant's; both with the turn's time and id."""
    mine = scope()
    turns = [
        {
            "user": "Where is the ferry?",
            "assistant": "At pier nine.",
            "at": "2024-03-01T10:00:00Z",
            "external_id": "t-1",
        },
        {"user": "And the bus?", "assistant": "Behind the station."},
    ]

    answer = plain.call("conversation.ingest", scope=mine, conversation_id="c", turns=turns)

    assert answer == {"ingested": 4, "duplicates": 0, "refused": [], "job_id": None}
    kept = messages_of(plain, "c", scope=mine)
    assert [(m["index"], m["role"], m["content"]) for m in kept] == [
        (0, "user", "Where is the ferry?"),
        (1, "assistant", "At pier nine."),
        (2, "user", "And the bus?"),
        (3, "assistant", "Behind the station."),
    ]
    assert [m["at"] for m in kept[:2]] == ["2024-03-01T10:00:00Z"] * 2
    assert [m["external_id"] for m in kept[:2]] == ["t-1/user", "t-1/assistant"]
    assert {m["conversation_id"] for m in kept} == {"c"}
    assert len({m["id"] for m in kept}) == 4


def test_messages_keep_speakers_dates_and_ids(plain: Daemon, scope: Scope) -> None:
    """Messages keep what the host gave; a day becomes its midnight in UTC."""
    mine = scope()
    given = [
        {"role": "user", "speaker": "Mira", "content": "Hello", "at": "2023-05-08T13:56:00+02:00"},
        {"role": "user", "speaker": "Jonas", "content": "Hi", "external_id": "D1:2"},
        {"role": "tool", "content": "21 degrees", "at": "2023-05-09"},
    ]

    plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)

    kept = messages_of(plain, "c", scope=mine)
    assert [(m["role"], m["speaker"], m["external_id"]) for m in kept] == [
        ("user", "Mira", None),
        ("user", "Jonas", "D1:2"),
        ("tool", None, None),
    ]
    assert kept[0]["at"] == "2023-05-08T11:56:00Z"
    assert kept[2]["at"] == "2023-05-09T00:00:00Z"


def test_exactly_one_of_turns_and_messages(plain: Daemon, scope: Scope) -> None:
    """A call with neither or both is wrong usage, and nothing is stored."""
    mine = scope()
    turns, messages = [{"user": "a", "assistant": "b"}], [{"content": "a"}]
    for params in ({}, {"turns": turns, "messages": messages}):
        error = refusal(plain, "conversation.ingest", scope=mine, conversation_id="c", **params)
        assert error.kind == "invalid_params"
    assert plain.call("conversation.list", scope=mine)["conversations"] == []


def test_five_hundred_messages_in_one_call_keep_their_order(plain: Daemon, scope: Scope) -> None:
    """The documented size of a call; one more is refused whole."""
    mine = scope()
    given = [{"content": f"Crate {number} holds lamp oil"} for number in range(500)]

    answer = plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)

    assert answer["ingested"] == 500
    assert contents(plain, "c", scope=mine) == [message["content"] for message in given]
    assert search(plain, "crate 321", scope=mine, limit=1) == ["Crate 321 holds lamp oil"]
    error = refusal(
        *(plain, "conversation.ingest"),
        scope=mine,
        conversation_id="d",
        messages=[*given, {"content": "x"}],
    )
    assert error.kind == "too_large"


def test_a_message_with_an_id_is_taken_once(plain: Daemon, scope: Scope) -> None:
    """Within a call and over calls, even if its words differ; new ones are added."""
    mine = scope()
    first = [{"content": "one", "external_id": "1"}, {"content": "one again", "external_id": "1"}]
    more = [{"content": "uno", "external_id": "1"}, {"content": "two", "external_id": "2"}]

    answers = [
        plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=messages)
        for messages in (first, more, more)
    ]

    assert [(a["ingested"], a["duplicates"]) for a in answers] == [(1, 1), (1, 1), (0, 2)]
    assert contents(plain, "c", scope=mine) == ["one", "two"]


def test_the_same_id_in_another_conversation_is_another_message(
    plain: Daemon, scope: Scope
) -> None:
    """Ids are the host's, a conversation's own."""
    mine = scope()
    for name in ("c", "d"):
        answer = plain.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id=name,
            messages=[{"content": f"in {name}", "external_id": "1"}],
        )
        assert answer["ingested"] == 1


def test_a_dated_message_without_an_id_is_known_again(plain: Daemon, scope: Scope) -> None:
    """Date, speaker and words identify it; the same words twice in a call are two messages."""
    mine = scope()
    at = "2024-02-02T09:00:00Z"
    given = [
        {"content": "yes", "at": at},
        {"content": "yes", "at": at},
        {"content": "yes", "at": at, "speaker": "Mira"},
        {"content": "yes", "at": "2024-02-02T09:00:01Z"},
    ]

    answers = [
        plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)
        for _ in range(2)
    ]

    assert [(a["ingested"], a["duplicates"]) for a in answers] == [(4, 0), (0, 4)]


def test_live_messages_without_date_and_id_are_each_new(plain: Daemon, scope: Scope) -> None:
    """ "ok" may be said again."""
    mine = scope()
    for _ in range(2):
        answer = plain.call(
            "conversation.ingest", scope=mine, conversation_id="c", messages=[{"content": "ok"}]
        )
        assert answer["ingested"] == 1


def test_a_session_date_dates_what_has_none_and_makes_it_known_again(
    plain: Daemon, scope: Scope
) -> None:
    """Messages follow the order of the session; a message's own date takes precedence."""
    mine = scope()
    given = [
        {"content": "a"},
        {"content": "b", "at": "2020-01-01T00:00:00Z"},
        {"content": "c"},
    ]
    call = {"scope": mine, "conversation_id": "c", "messages": given, "session_date": "2023-07-01"}

    plain.call("conversation.ingest", **call)

    times = [message["at"] for message in messages_of(plain, "c", scope=mine)]
    assert times[0] == "2023-07-01T00:00:00Z"
    assert times[1] == "2020-01-01T00:00:00Z"
    assert times[0] < times[2] < "2023-07-01T00:01:00Z"
    assert plain.call("conversation.ingest", **call)["duplicates"] == 3


def test_a_message_with_a_secret_is_left_out_and_reported(plain: Daemon, scope: Scope) -> None:
    """The report has its position and kind, never its value; the others are stored (A9)."""
    mine = scope()
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    given = [
        {"content": "The deploy is at noon"},
        {"content": f"Use {secret} for it"},
        {"content": "Thanks"},
    ]

    answer = plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)

    assert (answer["ingested"], answer["duplicates"]) == (2, 0)
    assert [(r["index"], r["kind"]) for r in answer["refused"]] == [(1, "content_refused")]
    assert secret not in str(answer)
    assert contents(plain, "c", scope=mine) == ["The deploy is at noon", "Thanks"]


def test_a_secret_in_a_turn_takes_only_its_half(plain: Daemon, scope: Scope) -> None:
    """The assistant's answer stays."""
    mine = scope()
    turn = {"user": "My key is AKIA" + "IOSFODNN7QW2RTYU", "assistant": "I will not keep that."}

    answer = plain.call("conversation.ingest", scope=mine, conversation_id="c", turns=[turn])

    assert answer["ingested"] == 1
    assert len(answer["refused"]) == 1
    assert contents(plain, "c", scope=mine) == ["I will not keep that."]


def test_metadata_comes_back(plain: Daemon, scope: Scope) -> None:
    """A message has what its host said of it; a secret in it keeps the message out."""
    mine = scope()
    told = {"model": "m-1", "attachments": [{"name": "plan.pdf", "pages": 3}]}
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    given = [
        {"content": "Here is the plan", "metadata": told},
        {"content": "Thanks"},
        {"content": "And the log", "metadata": {"header": secret}},
    ]

    answer = plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)

    assert [(r["index"], r["kind"]) for r in answer["refused"]] == [(2, "content_refused")]
    kept = messages_of(plain, "c", scope=mine)
    assert [told, None] == [message["metadata"] for message in kept]


def test_too_much_metadata_is_refused(plain: Daemon, scope: Scope) -> None:
    """Nothing of the call is stored."""
    given = [{"content": "One"}, {"content": "Two", "metadata": {"text": "a" * 16_384}}]
    call = {"scope": scope(), "conversation_id": "c"}

    error = refusal(plain, "conversation.ingest", messages=given, **call)

    assert error.kind == "too_large"
    assert 0 == plain.call("conversation.list", scope=call["scope"])["total"]


def test_a_systems_message_is_stored_and_never_found(plain: Daemon, scope: Scope) -> None:
    """A host's instructions are no part of what was said, by words, by meaning or as neighbours."""
    mine = scope()
    given = [
        {"role": "system", "content": "Always answer about zeppelins politely"},
        {"role": "user", "content": "Do zeppelins still fly?"},
    ]

    plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)

    assert len(contents(plain, "c", scope=mine)) == 2
    for mode in ("hybrid", "lexical", "vector"):
        found = search(plain, "zeppelins", scope=mine, mode=mode)
        assert found == ["Do zeppelins still fly?"]
    results = plain.call("conversation.search", scope=mine, query="zeppelins", window=2)["results"]
    assert [message["role"] for message in results[0]["window"]] == []
    hits = plain.call("search.all", scope=mine, query="Do zeppelins fly?")["results"]
    assert [hit["message"]["role"] for hit in hits] == ["user"]


def test_token_counts_grow_with_the_text(plain: Daemon, scope: Scope) -> None:
    """An estimate: about a quarter of the letters in English, about all of them in Chinese."""
    mine = scope()
    given = [{"content": text} for text in ("ok", "word " * 400, "\u5317\u4eac" * 100)]

    plain.call("conversation.ingest", scope=mine, conversation_id="c", messages=given)

    counts = [message["token_count"] for message in messages_of(plain, "c", scope=mine)]
    assert counts[0] >= 1
    assert 300 <= counts[1] <= 600
    assert 100 <= counts[2] <= 400


@pytest.mark.parametrize(
    "message",
    [
        {"content": "x", "at": "someday!"},
        {"content": "x", "role": "narrator"},
        {"content": 7},
        {"role": "user"},
        {"content": "x", "colour": "red"},
    ],
)
def test_a_message_that_is_none_is_refused_with_its_reason(
    plain: Daemon, scope: Scope, message: dict[str, Any]
) -> None:
    """Nothing of the call is stored, so that it can be sent again."""
    mine = scope()

    error = refusal(
        *(plain, "conversation.ingest"),
        scope=mine,
        conversation_id="c",
        messages=[{"content": "fine"}, message],
    )

    assert error.kind == "invalid_params"
    assert plain.call("conversation.list", scope=mine)["conversations"] == []


def test_a_long_message_is_found_by_any_part_and_comes_back_whole(
    any_daemon: Daemon, scope: Scope
) -> None:
    """Cut for the index only, once in the results (E11)."""
    mine = scope()
    parts = [f"Paragraph {n} speaks of ordinary weather and of walks. " * 6 for n in range(26)]
    parts[2] += " The lighthouse keeper is called Amundsen."
    parts[21] += " The lighthouse has a lantern from Marseille."
    text = "\n\n".join(part.strip() for part in parts)
    assert 8_000 < len(text) <= 10_000

    any_daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        messages=[{"content": text}, {"content": "A short one about tea."}],
    )

    for query in ("Amundsen", "lantern from Marseille", "who is the lighthouse keeper?"):
        results = search(any_daemon, query, scope=mine)
        assert results[0] == text
        assert results.count(text) == 1


def test_a_message_over_the_limit_is_refused(plain: Daemon, scope: Scope) -> None:
    """10,000 characters are the documented limit; a message of that length is stored."""
    mine = scope()
    call = {"scope": mine, "conversation_id": "c"}
    most = [{"content": "a b " * 2_500}]
    plain.call("conversation.ingest", messages=most, **call)

    error = refusal(plain, "conversation.ingest", messages=[{"content": "a" * 10_001}], **call)

    assert error.kind == "too_large"


def test_empty_messages_are_left_out(plain: Daemon, scope: Scope) -> None:
    """A turn may have no answer yet."""
    mine = scope()

    answer = plain.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="c",
        turns=[{"user": "Anyone there?", "assistant": ""}],
    )

    assert answer["ingested"] == 1
    assert contents(plain, "c", scope=mine) == ["Anyone there?"]


def test_ingest_appends_to_what_was_there(plain: Daemon, scope: Scope) -> None:
    """A live conversation, a turn at a time; indices go on."""
    mine = scope()
    for number in range(3):
        plain.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id="c",
            turns=[{"user": f"q{number}", "assistant": f"a{number}"}],
        )

    kept = messages_of(plain, "c", scope=mine)
    assert [message["index"] for message in kept] == list(range(6))
    assert [message["content"] for message in kept] == [
        *itertools.chain.from_iterable((f"q{n}", f"a{n}") for n in range(3))
    ]


def test_a_sandbox_cannot_ingest(plain: Daemon, scope: Scope) -> None:
    """Only the host may store what was said."""
    grant = plain.call("grant.create", scope=scope())
    with plain.client(grant["socket"]) as inside:
        inside.send(
            b'{"jsonrpc":"2.0","id":1,"method":"conversation.ingest","params":'
            b'{"conversation_id":"c","messages":[{"content":"forged"}]}}\n'
        )
        assert inside.receive()["error"]["data"]["kind"] == "method_not_found"
