"""memory.get, memory.list and long texts over the control socket. Budget: 5 s."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]

_UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_a_memory_comes_back_by_its_id_or_the_beginning_of_it(daemon: Daemon, scope: Scope) -> None:
    """A prefix of six characters is enough while it fits only one; case does not matter."""
    mine = scope()
    memory = add(daemon, "The spare key is under the pot", scope=mine)

    for text in (memory["id"], memory["id"][:6], memory["id"][:20], memory["id"].upper()):
        assert daemon.call("memory.get", scope=mine, id=text)["memory"]["id"] == memory["id"]


@pytest.mark.parametrize("method", ["get", "update", "delete", "restore", "history"])
def test_an_unknown_id_is_not_found(daemon: Daemon, scope: Scope, method: str) -> None:
    """Every method that takes an id gives the same error, with a remedy."""
    changes = {"changes": {"content": "x"}} if method == "update" else {}

    error = refusal(daemon, f"memory.{method}", scope=scope(), id=_UNKNOWN, **changes)

    assert error.kind == "not_found"


def test_another_users_memory_is_as_unknown_as_none(daemon: Daemon, scope: Scope) -> None:
    """The error's code and words do not reveal that the memory exists."""
    memory = add(daemon, "I keep the gold in the cellar", scope=scope())
    stranger = scope()

    hidden = refusal(daemon, "memory.get", scope=stranger, id=memory["id"])
    unknown = refusal(daemon, "memory.get", scope=stranger, id=_UNKNOWN)

    assert hidden.error == unknown.error


@pytest.mark.parametrize("text", ["abc", "abcde", "zzzzzz", "%%%%%%", "a" * 37, "", 7, None])
def test_what_is_no_id_is_refused(daemon: Daemon, scope: Scope, text: Any) -> None:
    """Too short, too long, or not hexadecimal."""
    assert refusal(daemon, "memory.get", scope=scope(), id=text).kind == "invalid_params"


# Lists --------------------------------------------------------------------------------------------


def test_a_list_goes_page_by_page(daemon: Daemon, scope: Scope) -> None:
    """Newest first, each once, the total on every page, no cursor after the last."""
    mine = scope()
    stored = [f"Shelf {number} holds glasses" for number in range(7)]
    daemon.call("memory.add", scope=mine, facts=[{"content": text} for text in stored])

    seen: list[str] = []
    cursor: dict[str, Any] = {}
    sizes = []
    while True:
        page = daemon.call("memory.list", scope=mine, limit=3, **cursor)
        seen += [memory["content"] for memory in page["memories"]]
        sizes.append((len(page["memories"]), page["total"]))
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert seen == stored[::-1]
    assert sizes == [(3, 7), (3, 7), (1, 7)]


def test_a_page_that_is_just_full_is_the_last(daemon: Daemon, scope: Scope) -> None:
    """No cursor leads to an empty page."""
    mine = scope()
    daemon.call("memory.add", scope=mine, facts=[{"content": text} for text in ("a1", "a2")])

    page = daemon.call("memory.list", scope=mine, limit=2)

    assert len(page["memories"]) == 2
    assert page["next_cursor"] is None


def test_what_is_added_between_pages_moves_none(daemon: Daemon, scope: Scope) -> None:
    """A cursor is a position, not a count: nothing is repeated or left out."""
    mine = scope()
    daemon.call("memory.add", scope=mine, facts=[{"content": f"b{n}"} for n in range(4)])

    first = daemon.call("memory.list", scope=mine, limit=2)
    add(daemon, "b4", scope=mine)
    second = daemon.call("memory.list", scope=mine, limit=2, cursor=first["next_cursor"])

    assert [memory["content"] for memory in second["memories"]] == ["b1", "b0"]


@pytest.mark.parametrize(
    "cursor",
    [
        "?",
        "no cursor",
        "é",
        "",
        base64.urlsafe_b64encode(b"1; drop").decode(),
        "x" * 101,
    ],
)
def test_a_made_up_cursor_is_refused(daemon: Daemon, scope: Scope, cursor: str) -> None:
    """The error says where a cursor comes from."""
    error = refusal(daemon, "memory.list", scope=scope(), cursor=cursor)

    assert error.kind == "invalid_params"


@pytest.mark.parametrize("number", ["9" * 60, "-" + "9" * 60, "-1", "0"])
def test_a_cursor_out_of_range_is_no_fault(daemon: Daemon, number: str) -> None:
    """A forged cursor is refused or shows a page; it never breaks the daemon."""
    cursor = base64.urlsafe_b64encode(number.encode()).decode().rstrip("=")
    with daemon.client() as client:
        client.send(
            b'{"jsonrpc":"2.0","id":1,"method":"memory.list","params":{"cursor":"%s"}}\n'
            % cursor.encode()
        )
        reply = client.receive()

    assert reply.get("error", {"data": {"kind": "none"}})["data"]["kind"] in {
        "none",
        "invalid_params",
    }


@pytest.mark.parametrize("limit", [0, -1, 101, 1.5, "10", None])
def test_a_limit_out_of_range_is_refused(daemon: Daemon, scope: Scope, limit: Any) -> None:
    """1 to 100, a whole number."""
    error = refusal(daemon, "memory.list", scope=scope(), limit=limit)

    assert error.kind == "invalid_params"


def test_a_list_is_filtered(daemon: Daemon, scope: Scope) -> None:
    """Filters are types (any), tags (all), source, session and grant; totals follow."""
    mine = scope()
    socket = daemon.call("grant.create", scope=mine)
    add(daemon, "c1", scope=mine, type="preference", tags=["home", "red"])
    add(daemon, "c2", scope=mine, type="event", tags=["home"])
    add(daemon, "c3", scope={**mine, "session_id": "s-9"})
    daemon.call("memory.add", at=socket["socket"], content="c4")
    with daemon.client() as client:
        client.call("session.hello", client="ash")
        client.call("memory.add", scope=mine, content="c5")

    def names(**filters: Any) -> list[str]:
        page = daemon.call("memory.list", scope=mine, **filters)
        assert page["total"] == len(page["memories"])
        return [memory["content"] for memory in page["memories"]]

    assert names(types=["preference"]) == ["c1"]
    assert names(types=["event", "preference"]) == ["c2", "c1"]
    assert names(types=["task"]) == []
    assert names(tags=["home"]) == ["c2", "c1"]
    assert names(tags=["home", "red"]) == ["c1"]
    assert names(source="cli") == ["c5"]
    assert names(session_id="s-9") == ["c3"]
    assert names(grant_id=socket["grant_id"]) == ["c4"]
    assert names(types=["event"], tags=["red"]) == []


def test_what_was_deleted_is_listed_when_asked_for(daemon: Daemon, scope: Scope) -> None:
    """For the person on the host; a sandbox is denied it."""
    mine = scope()
    socket = daemon.call("grant.create", scope=mine)["socket"]
    memory = add(daemon, "d1", scope=mine)
    daemon.call("memory.delete", scope=mine, id=memory["id"])

    assert listed(daemon, scope=mine) == []
    assert listed(daemon, scope=mine, include_archived=True) == ["d1"]
    assert refusal(daemon, "memory.list", at=socket, include_archived=True).kind == "denied"
    assert refusal(daemon, "memory.list", at=socket, include_expired=True).kind == "denied"


def test_every_scope_is_listed_to_the_operator_who_says_so(daemon: Daemon, scope: Scope) -> None:
    """all_scopes reads everything; it is true or false, nothing else."""
    one, other = add(daemon, "e1", scope=scope()), add(daemon, "e2", scope=scope())

    page = daemon.call("memory.list", all_scopes=True, limit=2)

    assert [memory["id"] for memory in page["memories"]] == [other["id"], one["id"]]
    assert refusal(daemon, "memory.list", all_scopes="yes").kind == "invalid_params"


# Long texts ---------------------------------------------------------------------------------------


def _long_text() -> str:
    filler = [
        f"Paragraph {number} of the notes describes routine upkeep. " * 8 for number in range(9)
    ]
    filler[6] = "The submarine volcano near Santorini erupted in the seventeenth century. " * 5
    return "\n\n".join(part.strip() for part in filler)


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_a_long_text_is_found_by_its_later_paragraphs(
    daemon: Daemon, scope: Scope, mode: str
) -> None:
    """A long text comes back once and whole (E11)."""
    mine = scope()
    text = _long_text()
    assert len(text) < 10_000
    add(daemon, text, scope=mine)
    add(daemon, "I buy bread on Saturdays", scope=mine)

    contents = found(
        daemon, "submarine volcano Santorini", scope=mine, mode=mode, limit=20, min_score=0
    )

    assert contents[0] == text
    assert contents.count(text) == 1


def test_a_long_text_is_replaced_and_deleted_as_one(daemon: Daemon, scope: Scope) -> None:
    """No part of the long text is found afterwards."""
    mine = scope()
    memory = add(daemon, _long_text(), scope=mine)

    update = daemon.call(
        "memory.update", scope=mine, id=memory["id"], changes={"content": "The notes are lost"}
    )
    assert found(daemon, "submarine volcano Santorini", scope=mine) == []
    daemon.call("memory.delete", scope=mine, id=update["memory"]["id"])

    # The winner is gone, so the notes stand again (A12).
    assert found(daemon, "submarine volcano Santorini", scope=mine) == [_long_text()]


# Searching ----------------------------------------------------------------------------------------


def test_a_search_is_filtered(daemon: Daemon, scope: Scope) -> None:
    """Search filters are types, tags and the time when it was said."""
    mine = scope()
    add(daemon, "The harbour market sells fish", scope=mine, type="preference", tags=["food"])
    add(daemon, "The harbour lights were red", scope=mine, observed_at="2020-05-05", tags=["sea"])

    assert len(found(daemon, "harbour", scope=mine)) == 2
    assert found(daemon, "harbour", scope=mine, types=["preference"]) == [
        "The harbour market sells fish"
    ]
    assert found(daemon, "harbour", scope=mine, tags=["sea"]) == ["The harbour lights were red"]
    assert found(daemon, "harbour", scope=mine, until="2020-05-05") == [
        "The harbour lights were red"
    ]
    assert found(daemon, "harbour", scope=mine, since="2020-05-06") == [
        "The harbour market sells fish"
    ]
    assert len(found(daemon, "harbour", scope=mine, limit=1)) == 1


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"query": ""},
        {"query": " \n"},
        {"query": 5},
        {"query": "a", "limit": 101},
        {"query": "a", "min_score": 1.1},
        {"query": "a", "min_score": -0.1},
        {"query": "a", "mode": "fuzzy"},
        {"query": "a", "types": ["rumour"]},
        {"query": "a", "since": "soon enough"},
        {"query": "a", "as_of": "2026-01-01T00:00:00"},
        {"query": "a", "about": ""},
        {"query": "a", "sort": "date"},
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_questions_are_refused(daemon: Daemon, scope: Scope, params: dict[str, Any]) -> None:
    """Each is invalid_params."""
    assert refusal(daemon, "memory.search", scope=scope(), **params).kind == "invalid_params"


def test_too_long_a_question_is_too_large(daemon: Daemon, scope: Scope) -> None:
    """The error names the longest question allowed."""
    error = refusal(daemon, "memory.search", scope=scope(), query="x" * 4_001)

    assert error.kind == "too_large"
    assert error.error["message"] == "query is too long: give at most 4,000 characters."


@pytest.mark.parametrize(
    "query", ['"', "a AND", "body:x", "(", "NEAR(a b)", "*", "x*", "-x", "'; drop table memories"]
)
def test_a_question_is_text_not_a_query_language(daemon: Daemon, scope: Scope, query: str) -> None:
    """Text that looks like query syntax is harmless."""
    mine = scope()
    add(daemon, "A plain fact", scope=mine)

    for mode in ("hybrid", "lexical"):
        daemon.call("memory.search", scope=mine, query=query, mode=mode)


def test_a_search_says_how_it_came_to_its_result(daemon: Daemon, scope: Scope) -> None:
    """Scores lie between 0 and 1; signals are included only with explain."""
    mine = scope()
    add(daemon, "My bicycle is in the red shed", scope=mine)

    plain = daemon.call("memory.search", scope=mine, query="bicycle shed")
    explained = daemon.call("memory.search", scope=mine, query="bicycle shed", explain=True)

    assert set(plain) >= {"results", "withheld", "degraded", "notices"}
    assert plain["degraded"] == []
    (result,) = plain["results"]
    assert 0 < result["score"] <= 1
    assert result["trust"] == "fact"
    assert result["about"] == []
    assert "signals" not in result
    assert explained["results"][0]["signals"]["words"] > 0
    assert result["weak"] is False


@pytest.mark.parametrize("name", ["ash", "ash web"])
def test_a_sandboxs_reads_count_whatever_it_calls_itself(
    daemon: Daemon, scope: Scope, name: str
) -> None:
    """Only a person's own programs read without a count."""
    mine = scope()
    memory = add(daemon, "Counted when a sandbox reads it", scope=mine)
    grant = daemon.call("grant.create", scope=mine)

    with daemon.client(grant["socket"]) as sandbox:
        sandbox.call("session.hello", client=name)
        for _ in range(20_000):
            read = sandbox.call("memory.get", id=memory["id"])["memory"]
            if read["access_count"]:
                break

    assert read["access_count"] >= 1


def test_reading_counts_as_access(daemon: Daemon, scope: Scope) -> None:
    """An access is counted soon after the read, without delaying it."""
    mine = scope()
    memory = add(daemon, "Counted when it is read", scope=mine)
    first = daemon.call("memory.get", scope=mine, id=memory["id"])["memory"]

    for _ in range(20_000):
        again = daemon.call("memory.get", scope=mine, id=memory["id"])["memory"]
        if again["access_count"]:
            break

    assert first["access_count"] == 0
    assert again["access_count"] >= 1
    assert again["last_accessed_at"] is not None
    assert again["revision"] == first["revision"]


def test_one_of_two_of_a_name_is_meant_by_the_id(daemon: Daemon, scope: Scope) -> None:
    """The ids in the error are accepted as `about` and as a subject; only the user's people are
    listed.
    """
    mine = scope()
    add(daemon, "Likes tea", scope=mine, subjects=["Sarah Miller"])
    add(daemon, "Likes cats", scope=mine, subjects=["Sarah Jones"])

    error = refusal(daemon, "memory.list", scope=mine, about="Sarah")
    ids = {one["name"]: one["id"] for one in error.data["candidates"]}
    add(daemon, "Plays chess", scope=mine, subjects=[ids["Sarah Jones"].upper()])

    assert listed(daemon, scope=mine, about=ids["Sarah Miller"]) == ["Likes tea"]
    assert listed(daemon, scope=mine, about=ids["Sarah Jones"]) == ["Plays chess", "Likes cats"]
    assert "the id" in error.data["hint"]
    hidden = daemon.call("memory.list", scope=scope(), about=ids["Sarah Jones"])
    assert [notice["kind"] for notice in hidden["notices"]] == ["about_not_found"]


def test_a_word_for_a_time_is_answered_with_the_form_of_one(daemon: Daemon, scope: Scope) -> None:
    """However short the word is."""
    for word in ("gestern", "3d", "yesterday"):
        with pytest.raises(CallFailed, match="since must be a time with a zone, or a date"):
            daemon.call("memory.search", scope=scope(), query="harbour", since=word)
