"""Exports come in whole, recognised by their content; what is left out is counted. Budget: 30 s."""

import json
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def contents(daemon: Daemon, scope: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The memories of a scope, by content."""
    found = daemon.call("memory.list", scope=scope, limit=100)
    return {memory["content"]: memory for memory in found["memories"]}


def messages(daemon: Daemon, scope: dict[str, Any], conversation: str) -> list[tuple[str, str]]:
    """Role and text of a conversation's messages."""
    found = daemon.call("conversation.get", scope=scope, conversation_id=conversation)
    return [(one["role"], one["content"]) for one in found["messages"]]


def load(daemon: Daemon, scope: dict[str, Any], path: Path, expected: str) -> dict[str, int]:
    """Import a file twice; return what was left out, by kind."""
    done = daemon.call("db.import", scope=scope, path=str(path))
    assert expected == done["format"]
    assert [] == done["refused"]
    again = daemon.call("db.import", scope=scope, path=str(path))
    assert (0, done["imported"] + done["duplicates"]) == (again["imported"], again["duplicates"])
    return {one["reason"]: one["count"] for one in done["left_out"]}


def said(name: str, role: str, content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A message of ChatGPT."""
    return {"id": name, "author": {"role": role}, "content": content, "create_time": 1.7e9, **more}


def chat(*given: dict[str, Any]) -> dict[str, Any]:
    """A conversation of ChatGPT with these messages one after the other."""
    nodes = {
        str(number): {"parent": str(number - 1) if number else None, "children": [], "message": one}
        for number, one in enumerate(given)
    }
    last = str(len(given) - 1)
    return {"title": "Food", "conversation_id": "c", "mapping": nodes, "current_node": last}


def test_chatgpt_with_its_memories(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Facts come from its tool `bio`, the list of memories and the custom instructions."""
    me, path = scope(), tmp_path / "export.zip"
    whole = chat(
        said(
            "i", "user", {"content_type": "user_editable_context", "user_profile": "I am a baker."}
        ),
        said(
            "m",
            "system",
            {
                "content_type": "model_editable_context",
                "model_set_context": "1. [2024-05-01]. User has a dog.\n\n2. [2024-06-02]. Sails.",
            },
        ),
        said("u", "user", {"content_type": "text", "parts": ["No nuts, please", {"image": 1}]}),
        said("b", "assistant", {"content_type": "text", "parts": ["Is allergic to nuts."]},
             recipient="bio"),
        said("t", "tool", {"content_type": "text", "parts": ["Model set context updated."]}),
        said("a", "assistant", {"content_type": "text", "parts": ["Noted."]}),
    )  # fmt: skip
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", json.dumps([whole]))
        file.writestr("user.json", "{}")

    left_out = load(daemon, me, path, "chatgpt")

    found = contents(daemon, me)
    assert {
        "Told ChatGPT about me: I am a baker.",
        "User has a dog.",
        "Sails.",
        "Is allergic to nuts.",
    } == set(found)
    assert "2024-05-01T00:00:00Z" == found["User has a dog."]["observed_at"]
    assert [("user", "No nuts, please"), ("assistant", "Noted.")] == messages(
        daemon, me, "chatgpt:c"
    )
    assert {"images and other files": 1, "messages of tools": 1} == left_out


def test_whatever_of_chatgpt_is_no_text_is_counted(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """A document that was written on the canvas, code and thoughts do not vanish unsaid."""
    me, path = scope(), tmp_path / "conversations.json"
    document = {"content_type": "code", "language": "json", "text": '{"name": "plan"}'}
    whole = chat(
        {**said("u", "user", {}), "content": "Plain words"},
        said("d", "assistant", document, recipient="canmore.create_textdoc"),
        said("h", "assistant", {"content_type": "thoughts", "thoughts": []}),
        said("c", "assistant", {"content_type": "code", "text": "print(1)"}, recipient="all"),
        said("l", "assistant", document, recipient=["a list"]),
    )
    path.write_text(json.dumps([whole]))

    left_out = load(daemon, me, path, "chatgpt")
    assert [("user", "Plain words")] == messages(daemon, me, "chatgpt:c")
    assert {"calls of tools": 2, "thoughts": 1, "messages of another kind": 1} == left_out


def test_words_that_were_spoken_to_chatgpt(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """A voice chat has the words beside each recording; the recording alone is left out."""
    me, path = scope(), tmp_path / "conversations.json"
    recording = {"content_type": "real_time_user_audio_video_asset_pointer"}

    def spoken(text: str) -> dict[str, Any]:
        words = {"content_type": "audio_transcription", "text": text, "direction": "in"}
        return {"content_type": "multimodal_text", "parts": [words, recording]}

    whole = chat(said("u", "user", spoken("I fly to Oslo")), said("a", "assistant", spoken("Nice")))
    path.write_text(json.dumps([whole]))

    left_out = load(daemon, me, path, "chatgpt")
    assert [("user", "I fly to Oslo"), ("assistant", "Nice")] == messages(daemon, me, "chatgpt:c")
    assert {"images and other files": 2} == left_out


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("named", [{}, {"format": "chatgpt"}])
def test_a_damaged_archive_is_refused_in_words(
    daemon: Daemon, scope: Scope, tmp_path: Path, packing: int, named: dict[str, str]
) -> None:
    """Whatever packed it, and whether or not its format is named."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", packing) as file:
        file.writestr("conversations.json", json.dumps([{"id": n} for n in range(5000)]))
    data = bytearray(path.read_bytes())
    data[70:120] = b"\xff" * 50
    path.write_bytes(data)
    with pytest.raises(CallFailed, match=r"invalid_params: .* damaged"):
        daemon.call("db.import", scope=scope(), path=str(path), **named)


def test_many_small_bombs_are_a_bomb(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Each part of an export is below the bound of one, and all together are not."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(4):
            file.writestr(f"conversations-{number}.json", " " * (8 << 20))
    with pytest.raises(CallFailed, match=r"invalid_params: .* no text is like that"):
        daemon.call("db.import", scope=scope(), path=str(path), format="chatgpt")


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-05:00", 1e300])
def test_a_date_that_cannot_be_costs_nothing_else(
    daemon: Daemon, scope: Scope, tmp_path: Path, at: Any
) -> None:
    """One message of such a date, and its whole conversation was refused."""
    me = scope()
    facts, talks = tmp_path / "memories.json", tmp_path / "conversations.json"
    facts.write_text(json.dumps([{"id": "1", "memory": "I sail", "created_at": at}]))
    text = {"content_type": "text", "parts": ["Hello"]}
    odd = {**said("a", "assistant", text), "create_time": at}
    talks.write_text(json.dumps([chat(said("u", "user", text), odd)]))

    load(daemon, me, facts, "mem0")
    load(daemon, me, talks, "chatgpt")
    assert ["I sail"] == list(contents(daemon, me))
    assert 2 == len(messages(daemon, me, "chatgpt:c"))


def test_a_number_that_is_too_long_costs_its_object_alone(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Python reads no number of more than 4,300 digits."""
    me, path = scope(), tmp_path / "memory.jsonl"
    entity = {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Sails"]}
    path.write_text(f'{{"type": "entity", "n": {"1" * 5000}}}\n{json.dumps(entity)}\n')
    done = daemon.call("db.import", scope=me, path=str(path), format="mcp-memory")

    assert [1] == [one["line"] for one in done["refused"]]
    assert ["Ann: Sails"] == list(contents(daemon, me))


def test_claude_with_projects_memories_and_attachments(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Every file of the archive that holds a person's words is read."""
    me, path = scope(), tmp_path / "claude.zip"
    conversation = {
        "uuid": "c", "name": "Boat", "created_at": "2025-02-01T10:00:00Z",
        "chat_messages": [
            {"uuid": "0", "sender": "human", "content": "Ahoy"},
            {"uuid": "x", "sender": "narrator", "text": "The sea is calm"},
            {"uuid": "1", "sender": "human", "text": "Read this",
             "attachments": [{"file_name": "log.txt", "extracted_content": "Day one: calm."}],
             "files": [{"file_name": "boat.png"}]},
            {"uuid": "2", "sender": "assistant",
             "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Calm"}]},
        ],
    }  # fmt: skip
    project = {
        "uuid": "p", "name": "Refit", "description": "The mast is replaced in spring",
        "prompt_template": "Answer in metres", "created_at": "2025-01-01T10:00:00Z",
        "docs": [{"uuid": "d", "filename": "plan.md", "content": "# Mast\nIt has 12 m."}],
    }  # fmt: skip
    remembered = {
        "conversations_memory": "**Work**\n\nWorks as a rigger.\n\n- Sails at weekends",
        "project_memories": {"p": "Prefers oak"},
    }
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", json.dumps([conversation]))
        file.writestr("projects.json", json.dumps([project]))
        file.writestr("memories.json", json.dumps([remembered]))
        file.writestr("users.json", "[]")

    left_out = load(daemon, me, path, "claude")

    found = contents(daemon, me)
    assert {
        "Refit: The mast is replaced in spring",
        "Refit: Answer in metres",
        "Refit / plan.md: It has 12 m.",
        "Works as a rigger.",
        "Sails at weekends",
        "Prefers oak",
    } == set(found)
    assert ["project:Refit"] == found["Refit: Answer in metres"]["tags"]
    assert [
        ("user", "Ahoy"),
        ("user", "Read this\n\nlog.txt:\nDay one: calm."),
        ("assistant", "Calm"),
    ] == messages(daemon, me, "claude:c")
    assert {"files": 1, "thoughts": 1, "messages of another kind": 1} == left_out


def test_mem0_keeps_its_users_apart(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """With several users in the file, none of their memories become mine."""
    me, path = scope(), tmp_path / "mem0.json"
    rows = [
        {"id": "1", "memory": "Ada keeps bees", "user_id": "ada"},
        {"id": "2", "memory": "Bo keeps goats", "user_id": "bo"},
        {"id": "3", "memory": "The agent answers briefly", "agent_id": "x"},
    ]
    path.write_text(json.dumps({"results": rows}))

    load(daemon, me, path, "mem0")

    assert {"The agent answers briefly"} == set(contents(daemon, me))
    for user, content in (("ada", "Ada keeps bees"), ("bo", "Bo keeps goats")):
        assert {content} == set(contents(daemon, {"provider": "mem0", "user_id": user}))


@pytest.mark.parametrize("name", ["a" * 400, "ghp_" + "k3Jd9QmZ7xWbT2vRs8LyPq4NcHf6GaYtEu1o"])
def test_a_user_of_mem0_who_can_have_no_account_costs_no_others_memories(
    daemon: Daemon, scope: Scope, tmp_path: Path, name: str
) -> None:
    """Memories of a user whose name is too long, or a secret, are refused; the rest comes in."""
    path = tmp_path / "mem0.json"
    users = [f"a{uuid.uuid4().hex}", name, f"z{uuid.uuid4().hex}"]
    rows = [
        {"id": str(at), "memory": f"Keeps {at + 2} bees", "user_id": user}
        for at, user in enumerate(users)
    ]
    path.write_text(json.dumps(rows))

    done = daemon.call("db.import", scope=scope(), path=str(path))

    assert (2, 1) == (done["imported"], done["refused_count"])
    assert name not in json.dumps(done)
    for user, content in ((users[0], "Keeps 2 bees"), (users[2], "Keeps 4 bees")):
        assert {content} == set(contents(daemon, {"provider": "mem0", "user_id": user}))


def test_relations_of_the_user_name_people(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """The memory server's user is no entity; whose partner somebody is can be asked for."""
    me, path = scope(), tmp_path / "memory.jsonl"
    lines = [
        {"type": "entity", "name": "default_user", "entityType": "person", "observations": []},
        *(
            {"type": "relation", "from": source, "to": target, "relationType": relation}
            for source, relation, target in (
                ("default_user", "has_partner", "Anna_Berg"),
                ("Vera_Berg", "mother_of", "default_user"),
                ("default_user", "works_at", "Acme"),
                ("default_user", "father_of", "Tim"),
            )
        ),
    ]
    path.write_text("\n".join(map(json.dumps, lines)))

    load(daemon, me, path, "mcp-memory")

    assert {
        "My partner is Anna Berg.",
        "My mother is Vera Berg.",
        "The user works at Acme.",
        "The user father of Tim.",
    } == set(contents(daemon, me))
    for words, name in (("my partner", "Anna Berg"), ("my mother", "Vera Berg")):
        found = daemon.call("person.resolve", scope=me, reference=words, create=False)
        assert name == found["person_name"]
    assert [] == daemon.call("graph.search", scope=me, name="default user")["entities"]


@pytest.mark.parametrize("form", ["present", "first"])
def test_letta(daemon: Daemon, scope: Scope, tmp_path: Path, form: str) -> None:
    """Blocks of its file become facts, but for the persona; messages become a conversation."""
    me, path = scope(), tmp_path / "agent.af"
    blocks = [
        {"id": "b1", "label": "human", "value": "Name: Ada\n- Keeps bees"},
        {"id": "b2", "label": "persona", "value": "I am a helpful agent."},
    ]
    packed = json.dumps({"type": "user_message", "message": "Hello"})
    sent = {"function": {"name": "send_message", "arguments": '{"message": "Good day"}'}}
    said = [
        {"id": "m0", "role": "system", "content": "You are"},
        {"id": "m1", "role": "user", "content": [{"type": "text", "text": packed}],
         "created_at": "2025-05-01T10:00:00Z"},
        {"id": "m2", "role": "user", "content": json.dumps({"type": "heartbeat", "reason": "x"})},
        {"id": "m3", "role": "assistant", "content": "Hm", "tool_calls": [sent]},
    ]  # fmt: skip
    agent = {"id": "agent-0", "name": "Helper", "block_ids": ["b1", "b2"], "messages": said}
    whole = {"agents": [agent], "blocks": blocks}
    if form == "first":
        whole = {**agent, "agent_type": "memgpt_agent", "core_memory": blocks}
    path.write_text(json.dumps(whole))

    left_out = load(daemon, me, path, "letta")

    assert {"Name: Ada", "Keeps bees"} == set(contents(daemon, me))
    assert [("user", "Hello"), ("assistant", "Good day")] == messages(daemon, me, "letta:agent-0")
    assert {
        "memory blocks about the agent": 1,
        "messages of tools and of the framework": 2,
    } == left_out


def test_a_message_of_letta_that_only_looks_packed_stays(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """A text that begins like JSON and is nested too deep for it is the user's own."""
    me, path = scope(), tmp_path / "agent.af"
    said = [
        {"id": "m0", "role": "user", "content": '{"a":' * 1_500},
        {"id": "m1", "role": "user", "content": "Hello"},
    ]
    path.write_text(json.dumps({"agents": [{"id": "agent-0", "block_ids": [], "messages": said}]}))

    load(daemon, me, path, "letta")

    found = messages(daemon, me, "letta:agent-0")
    assert ["user", "user"] == [role for role, _ in found]
    assert found[1][1] == "Hello"


def test_zep(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """An edge is a fact with its validity; one that was replaced there is left out."""
    me, path = scope(), tmp_path / "edges.json"
    edge = {"source_node_uuid": "s", "target_node_uuid": "t", "created_at": "2025-01-01T00:00:00Z"}
    edges = [
        {**edge, "uuid": "1", "fact": "Ada rents a flat", "name": "RENTS",
         "valid_at": "2024-01-01T00:00:00Z", "invalid_at": "2030-01-01T00:00:00Z"},
        {**edge, "uuid": "2", "fact": "Ada lives at home", "name": "LIVES",
         "expired_at": "2024-01-02T00:00:00Z"},
    ]  # fmt: skip
    path.write_text(json.dumps({"edges": edges}))

    left_out = load(daemon, me, path, "zep")

    (fact,) = contents(daemon, me).values()
    assert ("Ada rents a flat", "2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z") == (
        fact["content"],
        fact["observed_at"],
        fact["valid_until"],
    )
    assert {"facts that were replaced there": 1} == left_out


def test_an_export_of_ash_is_recognised(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Its own format needs no name either."""
    me, path = scope(), tmp_path / "all.jsonl"
    daemon.call("memory.add", scope=me, content="Plays the oboe")
    daemon.call("db.export", scope=me, path=str(path))

    done = daemon.call("db.import", path=str(path))

    assert ("ash", 0) == (done["format"], done["imported"])
    assert done["duplicates"]


HALF = "\ud83d"
"""Half of a character, which JSON can spell and UTF-8 cannot."""


@pytest.mark.parametrize(
    ("origin", "broken"),
    [
        ("chatgpt", {"mapping": [1], "current_node": "0"}),
        ("chatgpt", {"mapping": {"0": {}}, "current_node": ["0"]}),
        ("chatgpt", chat(said("u", "user", {"content_type": ["text"], "parts": 3}))),
        ("chatgpt", chat({"author": {"role": {}}, "content": {}})),
        (
            "claude",
            {"uuid": "c", "chat_messages": [{"sender": "human", "content": [{"type": []}]}]},
        ),
    ],
)
def test_a_broken_row_stops_no_import(
    daemon: Daemon, scope: Scope, tmp_path: Path, origin: str, broken: dict[str, Any]
) -> None:
    """A row of another form than the format's is passed by; what stands after it comes in."""
    me, path = scope(), tmp_path / "conversations.json"
    good = {
        "chatgpt": chat(said("u", "user", {"content_type": "text", "parts": ["Ahoy"]})),
        "claude": {
            "uuid": "d",
            "chat_messages": [{"uuid": "m", "sender": "human", "text": "Ahoy"}],
        },
    }
    path.write_text(json.dumps([broken, good[origin]]))

    assert 1 == daemon.call("db.import", scope=me, path=str(path), format=origin)["imported"]


def test_half_a_character_becomes_a_question_mark(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """In words as in metadata; whole characters that JSON spells in halves stay."""
    me, path = scope(), tmp_path / "mem0.json"
    row = {"id": "1", "memory": f"Sails {HALF} on Sundays ⛵🙂", "metadata": {f"a{HALF}": HALF}}
    path.write_text(json.dumps([row]))

    done = daemon.call("db.import", scope=me, path=str(path), format="mem0")

    assert (1, []) == (done["imported"], done["refused"])
    assert {"?": "a?"} == {
        value: key
        for key, value in contents(daemon, me)["Sails ? on Sundays ⛵🙂"]["metadata"].items()
        if key.startswith("a")
    }
