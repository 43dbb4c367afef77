"""The pages about memories, without a browser: list, one memory, search, what the agent sees."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from sites import Answer, Visitor

Look = Callable[..., dict[str, Any]]
_HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202egnp.exe\u2066"


def add(visitor: Visitor, scope: dict[str, Any], content: str, **fields: Any) -> dict[str, Any]:
    """Store a memory; return it."""
    result = visitor.site.daemon.call("memory.add", scope=scope, content=content, **fields)
    memory: dict[str, Any] = result["memories"][0]["memory"]
    return memory


def words(page: Answer) -> str:
    """The text of a page, without its markup."""
    text = re.sub(r"</(td|th|dt|dd|p|li|h\d)>", " ", page.text)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def rows(page: Answer) -> list[str]:
    """The `ids` fields of a page's rows."""
    return re.findall(r'name="ids" value="([^"]+)"', page.text)


def key(page: Answer) -> str:
    """The key of the undo, or of the preview, that a page offers."""
    found = re.search(r'name="key" value="([^"]+)"', page.text)
    assert found
    return found[1]


def stored(visitor: Visitor, scope: dict[str, Any], **params: Any) -> list[str]:
    """The contents that the daemon lists."""
    memories = visitor.site.daemon.call("memory.list", scope=scope, **params)["memories"]
    return [memory["content"] for memory in memories]


# The list -----------------------------------------------------------------------------------------


def test_list_is_gone_through_page_by_page(visitor: Visitor, look: Look) -> None:
    """Each memory is on one page, newest first, and the last page has no next one."""
    mine = look()
    facts = [{"content": f"Box {number} is in the attic"} for number in range(60)]
    visitor.site.daemon.call("memory.add", scope=mine, facts=facts)

    first = visitor.get("/memories")
    following = re.search(r'href="([^"]+)" rel="next"', first.text)
    assert following
    last = visitor.get(html.unescape(following[1]))

    assert "60 memories" in words(first)
    assert (len(rows(first)), len(rows(last))) == (50, 10)
    assert not set(rows(first)) & set(rows(last))
    assert 'rel="next"' not in last.text


def test_filter_narrows_the_list_and_is_not_in_the_address(visitor: Visitor, look: Look) -> None:
    """Filters are person, type and state; the address holds a key and no name."""
    mine = look()
    add(visitor, mine, "Bela Toth plays the cello", subjects=["Bela Toth"], type="skill")
    gone = add(visitor, mine, "The tent is in the cellar")
    visitor.site.daemon.call("memory.delete", scope=mine, id=gone["id"])

    fields = {"token": visitor.form_token, "about": "Bela Toth", "type": "skill"}
    answer = visitor.site.request("POST", "/memories", fields, visitor.headers)
    assert re.fullmatch(r"/memories\?view=[\w-]+", answer.headers["location"])

    assert "cello" in words(visitor.get(answer.headers["location"]))
    assert "No memory fits." in words(visitor.post("/memories", about="Bela Toth", type="event"))
    deleted = words(visitor.post("/memories", state="archived"))
    assert "The tent is in the cellar" in deleted
    assert "cello" not in deleted


def test_memories_are_searched_for_words_that_are_not_in_the_address(
    visitor: Visitor, look: Look
) -> None:
    """Memories with the words are listed like others, to select and open; the rest is not."""
    mine = look()
    add(visitor, mine, "The kayak is in the boathouse", subjects=["Anna"])
    add(visitor, mine, "The tent is in the attic")

    page = visitor.post("/memories", text="kayak")

    assert len(rows(page)) == 1
    assert "The kayak is in the boathouse about Anna" in words(page)
    assert "1 memory with “kayak”" in words(page)
    assert "No memory has these words." in words(visitor.post("/memories", text="zeppelin"))
    sent = {"token": visitor.form_token, "text": "kayak"}
    answer = visitor.site.request("POST", "/memories", sent, visitor.headers)
    assert "kayak" not in answer.headers["location"]


def test_bad_filter_is_explained_where_it_can_be_corrected(visitor: Visitor, look: Look) -> None:
    """The form keeps what was typed."""
    look()

    page = visitor.post("/memories", grant_id="nonsense-grant")

    assert page.status == 400
    assert 'role="alert"' in page.text
    assert "nonsense-grant" in page.text


def test_memory_is_added_and_the_addition_undone(visitor: Visitor, look: Look) -> None:
    """The memory is added with its fields; undo deletes it."""
    mine = look()

    page = visitor.post(
        "/memories/add",
        content="Moja siostra mieszka w Łodzi",
        tags="home, family",
        type="identity",
    )

    memory = visitor.site.daemon.call("memory.list", scope=mine)["memories"][0]
    assert (memory["tags"], memory["memory_type"]) == (["home", "family"], "identity")
    assert memory["source"] == "web"
    assert "Undone." in words(visitor.post("/undo", key=key(page)))
    assert stored(visitor, mine) == []


# Several at once ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "fields", "then", "former"),
    [
        ("sensitivity", {"sensitivity": "sensitive"}, "sensitive", [None, "personal"]),
        ("type", {"type": "skill"}, "skill", ["knowledge", "identity"]),
        ("expires", {"expires": "2099-01-01"}, "2099-01-02T00:00:00Z", [None, None]),
    ],
)
def test_several_change_after_a_preview_and_undo_brings_each_back(
    visitor: Visitor, look: Look, action: str, fields: dict[str, str], then: str, former: list[Any]
) -> None:
    """The preview changes nothing; each memory gets its own former value back."""
    mine = look()
    add(visitor, mine, "The kayak is red")
    add(visitor, mine, "The piano is black", type="identity", sensitivity="personal")
    column = {"type": "memory_type", "expires": "expires_at"}.get(action, action)

    def values() -> list[Any]:
        listed = visitor.site.daemon.call("memory.list", scope=mine, sort="oldest")
        return [memory[column] for memory in listed["memories"]]

    chosen = rows(visitor.get("/memories"))
    preview = visitor.post("/memories/prepare", action=action, ids=chosen, **fields)
    assert "2 memories will change" in words(preview)
    assert values() == former

    done = visitor.post("/memories/apply", key=key(preview))
    assert "Changed 2 memories." in words(done)
    assert values() == [then, then]

    visitor.post("/undo", key=key(done))
    assert values() == former


def test_several_are_deleted_after_a_preview_and_undo_restores_them(
    visitor: Visitor, look: Look
) -> None:
    """The deletion is one act."""
    mine = look()
    for name in ("red", "blue", "green"):
        add(visitor, mine, f"The {name} kayak is mine")
    chosen = rows(visitor.get("/memories"))[:2]

    preview = visitor.post("/memories/prepare", action="delete", ids=chosen)
    assert "2 memories will be deleted" in words(preview)
    assert len(stored(visitor, mine)) == 3

    done = visitor.post("/memories/apply", key=key(preview))
    assert stored(visitor, mine) == ["The red kayak is mine"]

    visitor.post("/undo", key=key(done))
    assert len(stored(visitor, mine)) == 3


def test_change_after_the_preview_stops_the_whole_change(visitor: Visitor, look: Look) -> None:
    """A memory that was not shown is not changed."""
    mine = look()
    add(visitor, mine, "The kayak is red")
    memory = add(visitor, mine, "The piano is black")
    chosen = rows(visitor.get("/memories"))
    preview = visitor.post("/memories/prepare", action="type", type="skill", ids=chosen)
    changes = {"tags": ["music"]}
    visitor.site.daemon.call("memory.update", scope=mine, id=memory["id"], changes=changes)

    answer = visitor.post("/memories/apply", key=key(preview))

    assert answer.status == 409
    listed = visitor.site.daemon.call("memory.list", scope=mine)["memories"]
    assert {one["memory_type"] for one in listed} == {"knowledge"}


@pytest.mark.parametrize(
    "fields", [{}, {"ids": "no-revision", "action": "delete"}, {"ids": "a:1", "action": "burn"}]
)
def test_selection_that_means_nothing_is_refused(
    visitor: Visitor, look: Look, fields: dict[str, str]
) -> None:
    """The error says what to do instead."""
    look()

    assert visitor.post("/memories/prepare", **fields).status == 400


def test_undo_is_for_the_account_that_made_the_change(visitor: Visitor, look: Look) -> None:
    """A user who has switched accounts is asked to switch back."""
    first = look()
    page = visitor.post("/memories/add", content="The kayak is red")
    look()

    assert visitor.post("/undo", key=key(page)).status == 409
    assert stored(visitor, first) == ["The kayak is red"]


# One memory ---------------------------------------------------------------------------------------


def test_edit_makes_a_version_whose_words_are_compared(visitor: Visitor, look: Look) -> None:
    """Undo brings the former words back."""
    mine = look()
    memory = add(visitor, mine, "Lives in Köln, near the river")

    form = {"content": "Lives in Łódź, near the river", "revision": memory["revision"]}
    page = visitor.post(f"/memories/{memory['id']}/edit", **form)

    assert "Lives in<del> Köln</del><ins> Łódź</ins>, near the river" in page.text
    assert "replaced: it was edited" in words(page)
    visitor.post("/undo", key=key(page))
    assert stored(visitor, mine) == ["Lives in Köln, near the river"]


def test_other_fields_change_in_place_and_undo_brings_them_back(
    visitor: Visitor, look: Look
) -> None:
    """A field that was left as it was is not sent; an emptied one is cleared."""
    mine = look()
    fields = {"tags": ["music"], "subjects": ["Bela Toth"], "expires_at": "2099-01-31"}
    memory = add(visitor, mine, "Plays the cello", **fields)
    assert 'value="2099-01-31"' in visitor.get(f"/memories/{memory['id']}").text
    form = {
        "content": "Plays the cello",
        "revision": memory["revision"],
        "type": "knowledge",
        "tags": "",
        "subjects": "Bela Toth",
        "portable": "no",
        "sensitivity": "personal",
        "expires": "2099-01-31",
    }

    page = visitor.post(f"/memories/{memory['id']}/edit", **form)

    changed = visitor.site.daemon.call("memory.get", scope=mine, id=memory["id"])["memory"]
    assert (changed["tags"], changed["portable"]) == ([], False)
    assert changed["expires_at"] == memory["expires_at"]
    assert changed["subject_person_ids"] == memory["subject_person_ids"]
    visitor.post("/undo", key=key(page))
    former = visitor.site.daemon.call("memory.get", scope=mine, id=memory["id"])["memory"]
    assert (former["tags"], former["portable"], former["sensitivity"]) == (["music"], True, None)


def test_conflict_shows_both_and_overwrites_nothing(visitor: Visitor, look: Look) -> None:
    """Both edits of the same words and edits of another field are conflicts."""
    mine = look()
    memory = add(visitor, mine, "The spare key is under the mat")
    path = f"/memories/{memory['id']}/edit"
    changes = {"content": "The spare key is in the shed"}
    visitor.site.daemon.call("memory.update", scope=mine, id=memory["id"], changes=changes)

    page = visitor.post(path, content="The spare key is with Bela", revision=1)

    assert page.status == 409
    assert "The spare key is in the shed" in words(page)
    assert "The spare key is with Bela" in words(page)
    assert stored(visitor, mine) == ["The spare key is in the shed"]


def test_memory_of_a_group_leads_to_the_view_that_may_change_it(
    visitor: Visitor, look: Look
) -> None:
    """The private view's page says where to change it, and goes there."""
    private = look()
    chat = {"chat_id": "-7", "chat_type": "group", "participants": [private["user_id"]]}
    added = visitor.site.daemon.call(
        "memory.add", scope={**private, **chat}, content="We meet on Fridays.", shared=True
    )
    path = f"/memories/{added['memories'][0]['memory']['id']}"
    assert "Look from that chat" in visitor.get(path).text

    account = f"{private['provider']}:{private['user_id']}"
    page = visitor.post("/viewing", account=account, chat="-7", chat_type="group", back=path).text

    assert "Look from that chat" not in page
    assert "We meet on Fridays." in page


def test_memory_is_deleted_undone_and_restored(visitor: Visitor, look: Look) -> None:
    """The list offers undo, and later the memory's own page does."""
    mine = look()
    memory = add(visitor, mine, "The tent is in the attic")
    path = f"/memories/{memory['id']}"

    visitor.post("/undo", key=key(visitor.post(f"{path}/delete")))
    assert stored(visitor, mine) == ["The tent is in the attic"]

    visitor.post(f"{path}/delete")
    assert "deleted" in words(visitor.get(path))
    assert "Restored." in words(visitor.post(f"{path}/restore"))
    assert stored(visitor, mine) == ["The tent is in the attic"]


@pytest.mark.parametrize(
    ("answer", "left"), [("only", ["The desk is red"]), ("all", [])], ids=["the new one", "all"]
)
def test_deletion_of_an_edited_memory_asks_which_is_meant(
    visitor: Visitor, look: Look, answer: str, left: list[str]
) -> None:
    """Nothing goes before the answer, the former words are shown, and both answers are undone."""
    mine = look()
    memory = add(visitor, mine, "The desk is red")
    changed = visitor.site.daemon.call(
        "memory.update", scope=mine, id=memory["id"], changes={"content": "The desk is green"}
    )["memory"]
    path = f"/memories/{changed['id']}/delete"

    asked = visitor.post(path)

    assert "Which of them?" in words(asked)
    assert "The desk is red" in words(asked)
    assert stored(visitor, mine) == ["The desk is green"]
    done = visitor.post(path, **{answer: "yes"})
    assert stored(visitor, mine) == left
    visitor.undo(done)
    assert stored(visitor, mine) == ["The desk is green"]


@pytest.mark.parametrize(("verdict", "left"), [("replaces", 1), ("both", 2)])
def test_offered_replacement_is_decided_and_the_decision_undone(
    visitor: Visitor, look: Look, verdict: str, left: int
) -> None:
    """The question is there again after the undo."""
    mine = look()
    older = add(visitor, mine, "The desk is by the window")
    newer = add(visitor, mine, "There could be a lamp in the hall")
    pair = {"id": newer["id"], "superseded_id": older["id"], "verdict": "unsure"}
    visitor.site.daemon.call("memory.supersede", scope=mine, **pair)
    path = f"/memories/{newer['id']}"
    assert "likely that the newer one replaces the older one" in words(visitor.get(path))

    page = visitor.post(f"{path}/verdict", older=older["id"], verdict=verdict)

    assert "likely that the newer one" not in words(page)
    assert len(stored(visitor, mine)) == left
    assert "likely that the newer one" in words(visitor.post("/undo", key=key(page)))
    assert len(stored(visitor, mine)) == 2


def test_erasing_says_that_it_is_final_before_it_does_anything(
    visitor: Visitor, look: Look
) -> None:
    """Without the confirmation, the page only shows what would go."""
    mine = look()
    memory = add(visitor, mine, "The code is on the fridge")
    path = f"/memories/{memory['id']}"

    page = visitor.post(f"{path}/erase")
    assert "This cannot be undone." in words(page)
    assert "memories 1" in words(page)
    assert stored(visitor, mine) == ["The code is on the fridge"]

    assert "Erased for good." in words(visitor.post(f"{path}/erase", final="yes"))
    assert visitor.get(path).status == 404


def test_memory_leads_to_the_turn_it_was_learned_from(visitor: Visitor, look: Look) -> None:
    """The page links to the turn and its conversation, and says who may see it and why."""
    mine = look()
    said = {"role": "user", "content": "I moved to Łódź in May", "external_id": "m-7"}
    daemon = visitor.site.daemon
    daemon.call("conversation.ingest", scope=mine, conversation_id="talk", messages=[said])
    place = {**mine, "session_id": "talk", "message_id": "m-7"}
    memory = add(visitor, place, "Lives in Łódź")

    page = visitor.get(f"/memories/{memory['id']}")

    assert "I moved to Łódź in May" in words(page)
    assert "owns it, said it yes no" in words(page)
    conversation = re.search(r'href="(/conversations/[^"]+)"', page.text)
    assert conversation
    assert "I moved to Łódź in May" in words(visitor.get(conversation[1]))


# Search and the agent's view ----------------------------------------------------------------------


def test_search_shows_what_brought_a_result_and_what_was_cut(visitor: Visitor, look: Look) -> None:
    """The question is not in the address."""
    mine = look()
    add(visitor, mine, "The kayak is in the boathouse")
    for colour in ("red", "blue", "green", "white", "black", "brown"):
        add(visitor, mine, f"The {colour} kayak is on the lake")
    add(visitor, mine, "Tax returns are due in July")
    fields = {"token": visitor.form_token, "query": "Where is the kayak?"}

    answer = visitor.site.request("POST", "/search", fields, visitor.headers)
    assert "kayak" not in answer.headers["location"]
    page = words(visitor.get(answer.headers["location"]))

    found, _, cut = page.partition("Not shown to an agent")
    assert "The kayak is in the boathouse" in found
    assert "by words 1" in found
    assert "Tax returns" not in found
    assert "too little to do with the question" in cut


def test_agents_view_gives_each_line_with_its_reason(visitor: Visitor, look: Look) -> None:
    """The view shows sections with tokens, and the block as the agent gets it."""
    mine = look()
    add(visitor, mine, "The kayak is in the boathouse")
    visitor.site.daemon.call("override.add", scope=mine, content="Answer in Polish")

    page = visitor.post("/context", message="Where is the kayak?", max_tokens="500")

    assert "pinned by the user" in words(page)
    assert "found for the message" in words(page)
    assert "of 500 tokens" in words(page)
    block = visitor.site.daemon.call(
        "context.get", scope=mine, message="Where is the kayak?", max_tokens=500
    )["text"]
    assert " ".join(block.split()) in words(page)


def test_hostile_text_is_inert_in_every_field(visitor: Visitor, look: Look) -> None:
    """Markup is shown as text, and no character reorders or hides what stands beside it."""
    mine = look(user=f"eve {_HOSTILE[:40]}")
    daemon = visitor.site.daemon
    said = {"role": "user", "speaker": _HOSTILE[:60], "content": _HOSTILE, "external_id": "m"}
    daemon.call("conversation.ingest", scope=mine, conversation_id="<b>", messages=[said])
    place = {**mine, "session_id": "<b>", "message_id": "m", "display_name": _HOSTILE[:60]}
    memory = add(
        *(visitor, place, _HOSTILE),
        tags=[_HOSTILE[:90]],
        subjects=[_HOSTILE[:60]],
        metadata={"note": _HOSTILE},
    )
    daemon.call("override.add", scope=mine, content=_HOSTILE)
    edited = visitor.post(
        f"/memories/{memory['id']}/edit", content=f"{_HOSTILE} again", revision=memory["revision"]
    )
    chosen = rows(visitor.get("/memories"))
    pages = [
        edited,
        visitor.get("/memories"),
        visitor.post("/memories", about=_HOSTILE, tag=_HOSTILE[:90]),
        visitor.get(f"/memories/{memory['id']}"),
        visitor.post(f"/memories/{memory['id']}/edit", content=_HOSTILE, revision="7"),
        visitor.post("/memories/prepare", action="type", type="skill", ids=chosen),
        visitor.post(f"/memories/{memory['id']}/erase"),
        visitor.post("/search", query=_HOSTILE),
        visitor.post("/context", message=_HOSTILE, max_tokens="4000"),
    ]

    for page in pages:
        assert "&lt;script&gt;" in page.text
        assert "<script>" not in page.text
        assert "<img" not in page.text
        assert not {"\u202e", "\u2066"} & set(page.text)
