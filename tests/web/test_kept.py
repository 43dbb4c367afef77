"""Profile, pinned facts, conversations, grants and accounts, without a browser. Budget: 6 s."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sites import Visitor

HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture
def somebody(look: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """The scope of an account that no other test has, and that the visitor looks as."""
    return look()


def call(visitor: Visitor, mine: dict[str, Any], method: str, **params: Any) -> dict[str, Any]:
    """A call of the daemon for this account."""
    result: dict[str, Any] = visitor.site.daemon.call(method, scope=mine, **params)
    return result


# Profile ------------------------------------------------------------------------------------------


def test_notes_are_edited_and_undone(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """Each edit is a version; Undo restores the one before, of the very first none."""
    first = visitor.post("/profile/edit", notes="Drinks tea.\r\nLives in Łódź.")
    second = visitor.post("/profile/edit", notes="Drinks coffee.\r\nLives in Łódź.")
    back = visitor.undo(second)
    nothing = visitor.undo(first)

    assert "saved, as version 1." in first.words
    assert "Drinks coffee." in second.words
    assert "is again as in version 1, as version 3." in back.words
    assert "is again as in version 0, as version 4." in nothing.words
    assert "" == call(visitor, somebody, "profile.get")["profile"]["notes"]
    assert "Nothing was different." in visitor.post("/profile/edit", notes="").words


def test_an_edit_leaves_the_other_parts_alone(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """Notes, the person's text and what was learned are three."""
    call(visitor, somebody, "profile.set", text="I am Ana.", learned="Ana sails.")

    visitor.post("/profile/edit", notes="Prefers short answers.")

    profile = call(visitor, somebody, "profile.get")["profile"]
    assert ("I am Ana.", "Prefers short answers.", "Ana sails.") == (
        *(profile["text"], profile["notes"], profile["learned"]),
    )


def test_versions_beside_each_other_mark_words(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """Each side marks only its differing words; either version can be restored."""
    for notes in ("Drinks green tea.", "Drinks black tea.", "Drinks water."):
        call(visitor, somebody, "profile.set", notes=notes)

    page = visitor.get("/profile/versions?version=2&against=1")
    restored = visitor.post("/profile/restore", version="1")

    assert ["green"] == [word.strip() for word in re.findall(r"<del>([^<]*)</del>", page.text)]
    assert ["black"] == [word.strip() for word in re.findall(r"<ins>([^<]*)</ins>", page.text)]
    assert "Drinks green tea." in restored.words
    assert 404 == visitor.get("/profile/versions?version=9").status
    assert 400 == visitor.get("/profile/versions?version=none").status


def test_versions_without_numbers_are_the_last_two(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """The address alone is a page too, before there are two versions, or any."""
    assert visitor.get("/profile/versions").headers["location"] == "/profile"
    call(visitor, somebody, "profile.set", notes="Drinks green tea.")
    first = visitor.get("/profile/versions")
    call(visitor, somebody, "profile.set", notes="Drinks black tea.")
    both = visitor.get("/profile/versions")

    assert "it is the first" in first.words
    assert ["green"] == [word.strip() for word in re.findall(r"<del>([^<]*)</del>", both.text)]
    assert ["black"] == [word.strip() for word in re.findall(r"<ins>([^<]*)</ins>", both.text)]
    assert "beside version 1" in visitor.get("/profile/versions?version=2").words


def test_a_version_shows_what_caused_it(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """The page, the terminal or a program; a rebuild without a language model names the remedy."""
    call(visitor, somebody, "profile.set", notes="From a program.")

    visitor.post("/profile/edit", notes="From the page.")
    page = visitor.get("/profile")
    rebuilt = visitor.post("/profile/rebuild")

    assert "edited on this page" in page.words
    assert "written by a program" in page.words
    assert "[llm]" in rebuilt.words


def test_a_group_has_no_profile(visitor: Visitor, look: Callable[..., dict[str, Any]]) -> None:
    """The page says so, and shows none."""
    mine = look()
    call(visitor, mine, "profile.set", notes="Drinks tea.")
    look(user=mine["user_id"], chat_id="team", chat_type="group")

    page = visitor.get("/profile")

    assert "shown in private chats only" in page.words
    assert "Drinks tea." not in page.words


# Pinned facts -------------------------------------------------------------------------------------


def test_a_fact_is_pinned_removed_and_back(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """Undo of a removal pins the same fact for the same owner, with the same mark."""
    added = visitor.post("/overrides/add", content="Antworte auf Deutsch.", for_groups="yes")
    again = visitor.post("/overrides/add", content="Antworte auf Deutsch.")
    pinned = call(visitor, somebody, "override.list")["overrides"]
    removed = visitor.post("/overrides/remove", id=pinned[0]["id"])
    nothing = call(visitor, somebody, "override.list")["overrides"]
    visitor.undo(removed)
    back = call(visitor, somebody, "override.list")["overrides"]

    assert "Antworte auf Deutsch." in added.words
    assert "pinned already" in again.words
    assert [] == nothing
    same = ("content", "for_groups", "owner_user_id", "chat_id")
    assert [[one[name] for name in same] for one in pinned] == [
        [one[name] for name in same] for one in back
    ]


def test_another_accounts_fact_comes_back_to_it(
    visitor: Visitor, look: Callable[..., dict[str, Any]]
) -> None:
    """The fact returns to its account even if undone from the view of all accounts."""
    mine = look()
    pinned = call(visitor, mine, "override.add", content="Call me Ishmael.")["override"]
    visitor.post("/viewing", all_scopes="yes", back="/")

    visitor.undo(visitor.post("/overrides/remove", id=pinned["id"]))

    assert ["Call me Ishmael."] == [
        one["content"] for one in call(visitor, mine, "override.list")["overrides"]
    ]


def test_an_addition_is_undone(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """The button beside the notice removes what was pinned."""
    visitor.undo(visitor.post("/overrides/add", content="Never mention Bruno."))

    assert [] == call(visitor, somebody, "override.list")["overrides"]


# Conversations ------------------------------------------------------------------------------------


@pytest.fixture
def talk(visitor: Visitor, somebody: dict[str, Any]) -> str:
    """The id of a conversation of 60 turns, from which a memory was learned."""
    turns = [{"user": f"Question {n}?", "assistant": f"Answer {n}."} for n in range(60)]
    call(visitor, somebody, "conversation.ingest", conversation_id="Besuch/1", turns=turns)
    placed = {**somebody, "session_id": "Besuch/1"}
    call(visitor, placed, "memory.add", content="The visit is on Monday.")
    listed = call(visitor, somebody, "conversation.list")["conversations"]
    found: str = listed[0]["id"]
    return found


def test_turns_are_paged_from_the_end(visitor: Visitor, talk: str) -> None:
    """The last are shown first, and each page leads to the one before it."""
    listed = visitor.get("/conversations")
    page = visitor.get(f"/conversations/{talk}")
    earlier = re.search(r'href="([^"]+)" rel="prev"', page.text)
    assert earlier
    before = visitor.get(earlier[1])

    assert "Besuch/1" in listed.words
    assert f'href="/conversations/{talk}"' in listed.text
    assert ("Answer 59." in page.words, "Answer 9." in page.words) == (True, False)
    assert "Question 10?" in before.words
    assert "The visit is on Monday." in page.words
    assert "Besuch" not in earlier[1]


def test_what_was_learned_is_withdrawn_and_back(
    visitor: Visitor, somebody: dict[str, Any], talk: str
) -> None:
    """The conversation stays, and Undo restores the memories."""
    gone = visitor.post(f"/conversations/{talk}/withdraw")
    empty = call(visitor, somebody, "memory.list")["memories"]
    back = visitor.undo(gone)

    assert "withdrawn: 1." in gone.words
    assert [] == empty
    assert "The visit is on Monday." in back.words


def test_a_conversation_of_a_group_is_not_deleted_in_private(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """The page of a conversation says where it can be deleted; the group's view has the button."""
    group = {"chat_id": "-9", "chat_type": "group", "participants": [somebody["user_id"]]}
    visitor.site.daemon.call(
        "conversation.ingest",
        scope={**somebody, **group},
        conversation_id="picnic",
        messages=[{"role": "user", "speaker": "Ann", "content": "Who brings the blanket?"}],
    )
    account = f"{somebody['provider']}:{somebody['user_id']}"
    (talk,) = (
        one["id"]
        for one in call(visitor, somebody, "conversation.list")["conversations"]
        if one["conversation_id"] == "picnic"
    )
    here = f"/conversations/{talk}"

    private = visitor.get(here).text
    visitor.post("/viewing", account=account, chat="-9", chat_type="group", back=here)
    in_group = visitor.get(here).text

    assert "Delete this conversation" not in private
    assert "look as one of its members" in private
    assert "Delete this conversation" in in_group


@pytest.mark.parametrize(("learned", "left"), [("keep", 1), ("erase", 1)])
def test_a_conversation_is_deleted_after_a_look(
    visitor: Visitor, somebody: dict[str, Any], talk: str, learned: str, left: int
) -> None:
    """The counts come first, an unchecked box deletes nothing, what a program stored stays."""
    here = f"/conversations/{talk}"

    look = visitor.post(f"{here}/delete")
    unsure = visitor.post(f"{here}/delete/make", learned=learned)
    still = visitor.get(here).status
    visitor.post(f"{here}/delete/make", learned=learned, sure="yes")

    assert "120 messages and their summaries would go" in look.words
    assert (400, 200) == (unsure.status, still)
    assert 404 == visitor.get(here).status
    assert left == len(call(visitor, somebody, "memory.list")["memories"])


# Grants and accounts ------------------------------------------------------------------------------


@pytest.fixture
def grant(visitor: Visitor, somebody: dict[str, Any]) -> dict[str, Any]:
    """A grant with a token, through which two memories came."""
    daemon = visitor.site.daemon
    made: dict[str, Any] = daemon.call("grant.create", scope=somebody, token=True)
    with daemon.client(made["socket"]) as sandbox:
        sandbox.call("session.hello", token=made["token"])
        for content in ("The build is green.", "リリースは金曜日です。"):
            sandbox.call("memory.add", content=content)
    return made


def test_a_grant_shows_its_use_and_never_its_token(visitor: Visitor, grant: dict[str, Any]) -> None:
    """Scope, rights, quota and what came through it; the token is on no page."""
    listed = visitor.get("/grants")
    page = visitor.get(f"/grants/{grant['grant_id']}")

    assert f'href="/grants/{grant["grant_id"]}"' in listed.text
    assert "リリースは金曜日です。" in page.words
    assert "2 of " in page.words
    assert "read, write" in page.words
    for one in (listed, page):
        assert grant["token"] not in one.text
        assert grant["socket"] not in one.text


def test_what_came_through_a_grant_is_withdrawn_and_restored_later(
    visitor: Visitor, grant: dict[str, Any]
) -> None:
    """The notice has a button at once, and the page keeps one for later."""
    here = f"/grants/{grant['grant_id']}"

    visitor.undo(visitor.post(f"{here}/withdraw"))
    gone = visitor.post(f"{here}/withdraw")
    later = visitor.get(here)
    found = re.search(r'name="withdrawal_id" value="([^"]+)"', later.text)
    assert found
    back = visitor.post(f"{here}/restore", withdrawal_id=found[1])

    assert "withdrawn: 2." in gone.words
    assert "The build is green." not in later.words
    assert "back: 2." in back.words
    assert "The build is green." in back.words


def test_a_revoked_grant_is_among_the_ended_ones(visitor: Visitor, grant: dict[str, Any]) -> None:
    """Revoking needs a check in a box; the page of open grants no longer lists it."""
    here = f"/grants/{grant['grant_id']}"

    unsure = visitor.post(f"{here}/revoke")
    still = visitor.get("/grants")
    revoked = visitor.post(f"{here}/revoke", sure="yes")

    assert 400 == unsure.status
    assert here in still.text
    assert "is revoked" in revoked.words
    assert here not in visitor.get("/grants").text
    assert here in visitor.get("/grants?ended=yes").text


def test_another_accounts_grant_shows_no_memory(
    visitor: Visitor, grant: dict[str, Any], look: Callable[..., dict[str, Any]]
) -> None:
    """The grant is the operator's to see; what came through it is shown to whoever may read it."""
    look()

    page = visitor.get(f"/grants/{grant['grant_id']}")

    assert "The build is green." not in page.words
    assert "may see 0 of them" in page.words


def test_accounts_and_chats_have_counts(visitor: Visitor, grant: dict[str, Any]) -> None:
    """A button switches the view to the account."""
    del grant
    page = visitor.get("/accounts")

    accounts = re.findall(r'name="account" value="([^"]+)"', page.text.partition("<main")[2])
    assert accounts
    assert accounts[0] in visitor.post("/viewing", account=accounts[0], back="/accounts").words
    assert "private" in page.text.partition("<caption>Chats</caption>")[2]


def test_stored_text_is_inert_on_every_page(
    visitor: Visitor, look: Callable[..., dict[str, Any]]
) -> None:
    """Markup in a turn, a name, a fact, a profile or an id of a host is text."""
    mine = look(display_name=HOSTILE)
    placed = {**mine, "session_id": HOSTILE}
    call(visitor, placed, "memory.add", content=HOSTILE)
    call(visitor, mine, "override.add", content=HOSTILE)
    for notes in (HOSTILE, f"{HOSTILE}2"):
        call(visitor, mine, "profile.set", notes=notes, text=notes, learned=notes)
    call(
        *(visitor, mine, "conversation.ingest"),
        conversation_id=HOSTILE,
        turns=[{"user": HOSTILE, "assistant": HOSTILE}],
    )
    made = visitor.site.daemon.call(
        "grant.create", scope={**mine, "chat_id": HOSTILE, "chat_type": "group"}
    )
    talk = call(visitor, mine, "conversation.list")["conversations"][0]["id"]
    pinned = call(visitor, mine, "override.list")["overrides"][0]["id"]

    pages = [
        *(visitor.get(path) for path in ("/profile", "/overrides", "/conversations", "/grants")),
        visitor.get(f"/conversations/{talk}"),
        visitor.post(f"/conversations/{talk}/delete"),
        visitor.get(f"/grants/{made['grant_id']}"),
        visitor.get("/profile/versions?version=2&against=1"),
        visitor.get("/accounts"),
        visitor.post("/overrides/remove", id=pinned),
    ]

    for page in pages:
        assert page.status == 200, page.words
        assert "<img" not in page.text
    assert all("&lt;img" in page.text for page in pages[:3])


@pytest.mark.parametrize("number", ["x", "-1", "9" * 5_000])
def test_an_address_with_a_bad_number_is_refused(visitor: Visitor, number: str) -> None:
    """A number longer than Python converts is refused too."""
    for path in ("/profile", "/conversations/any"):
        page = visitor.get(f"{path}?before={number}")
        assert page.status == 400
        assert "Go back" in page.words
