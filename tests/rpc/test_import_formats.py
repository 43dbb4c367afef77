"""Files of other memory systems come in with their dates, people and order. Budget: 40 s."""

import datetime as dt
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon

Scope = Callable[..., dict[str, Any]]


def listed(daemon: Daemon, scope: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The memories of a scope, by content."""
    found = daemon.call("memory.list", scope=scope, limit=100, include_superseded=True)
    return {memory["content"]: memory for memory in found["memories"]}


def load(daemon: Daemon, scope: dict[str, Any], path: Path, written_by: str) -> Any:
    """Import a file twice, after a dry run; return the first result."""
    params = {"path": str(path), "format": written_by}
    before = daemon.call("db.stats")["counts"]["memories"]
    dry = daemon.call("db.import", scope=scope, dry_run=True, **params)
    assert before == daemon.call("db.stats")["counts"]["memories"]
    done = daemon.call("db.import", scope=scope, **params)
    counts = daemon.call("db.stats")["counts"]
    again = daemon.call("db.import", scope=scope, **params)

    assert [one["line"] for one in dry["refused"]] == [one["line"] for one in done["refused"]]
    assert 0 == again["imported"]
    assert done["imported"] + done["duplicates"] == again["duplicates"]
    after = daemon.call("db.stats")["counts"]
    for table in ("memories", "people", "passages"):
        assert counts[table] == after[table]
    return done


MEM0 = [
    {
        "id": "3dc6f65f-fb3f-4e91-89a8-ed1a22f8898a",
        "memory": "Moved to Lisbon in spring",
        "hash": "1a",
        "metadata": {"category": "home"},
        "created_at": "2025-04-02T09:30:00.123456-07:00",
        "updated_at": None,
        "user_id": "dev",
        "categories": ["travel"],
    },
    {
        "id": "2", "memory": "Lives in Berlin", "created_at": "2024-01-05T08:00:00Z",
        "user_id": "dev",
    },
    {"id": "3", "memory": "My password is hunter2-Xy77", "created_at": "2024-01-06T08:00:00Z"},
    {"id": "4", "memory": "", "created_at": "2024-01-07T08:00:00Z"},
]  # fmt: skip


@pytest.mark.parametrize("shape", ["list", "results", "lines"])
def test_mem0(daemon: Daemon, scope: Scope, tmp_path: Path, shape: str) -> None:
    """The result of `get_all`, in each of its shapes: dates, categories and metadata are kept."""
    me, path = scope(), tmp_path / "mem0.json"
    text = {
        "list": json.dumps(MEM0, indent=2),
        "results": json.dumps({"count": 4, "results": MEM0, "next": None}, indent=1),
        "lines": "\n".join(map(json.dumps, MEM0)),
    }[shape]
    path.write_text(text)

    done = load(daemon, me, path, "mem0")

    memories = listed(daemon, me)
    assert {"Moved to Lisbon in spring", "Lives in Berlin"} == set(memories)
    moved = memories["Moved to Lisbon in spring"]
    assert "2025-04-02T16:30:00.123456Z" == moved["observed_at"]
    assert (["travel"], "import") == (moved["tags"], moved["source"])
    assert "home" == moved["metadata"]["category"]
    assert {"from": "mem0", "id": MEM0[0]["id"]} == moved["metadata"]["imported"]
    assert 2 == done["refused_count"]
    kinds = [one["error"]["kind"] for one in done["refused"]]
    assert {"content_refused", "invalid_params"} == set(kinds)
    assert "hunter2" not in json.dumps(done)
    if shape == "lines":
        assert [3, 4] == [one["line"] for one in done["refused"]]


def test_mcp_memory(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Entities and relations enter the graph, observations become facts about them."""
    lines = [
        {"type": "entity", "name": "John_Smith", "entityType": "person",
         "observations": ["Speaks fluent Spanish", "John Smith graduated in 2019"]},
        {"type": "entity", "name": "Anthropic", "entityType": "organization",
         "observations": ["Has an office in Dublin"]},
        {"type": "entity", "name": "default_user", "entityType": "person",
         "observations": ["Prefers morning meetings"]},
        {"type": "relation", "from": "John_Smith", "to": "Anthropic", "relationType": "works_at"},
    ]  # fmt: skip
    path, me = tmp_path / "memory.jsonl", scope()
    text = "\n".join(map(json.dumps, lines))
    path.write_text(text.replace('{"type": "relation"', 'no JSON at all\n{"type": "relation"'))

    done = load(daemon, me, path, "mcp-memory")

    assert {
        "John Smith: Speaks fluent Spanish",
        "John Smith graduated in 2019",
        "Anthropic: Has an office in Dublin",
        "Prefers morning meetings",
    } == set(listed(daemon, me))
    about = daemon.call("memory.list", scope=me, about="John Smith")["memories"]
    assert 2 == len(about)
    found = daemon.call("graph.search", scope=me, name="John Smith")["relations"]
    assert [("John Smith", "works at", "Anthropic")] == [
        (one["source"]["name"], one["relation"], one["target"]["name"]) for one in found
    ]
    assert [(4, "parse_error")] == [(o["line"], o["error"]["kind"]) for o in done["refused"]]


def node(name: str, parent: str | None, children: list[str], message: Any) -> dict[str, Any]:
    """A node of a conversation's tree."""
    return {"id": name, "parent": parent, "children": children, "message": message}


def said(name: str, role: str, text: str, at: float | None, **more: Any) -> dict[str, Any]:
    """A message of ChatGPT."""
    return {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "weight": 1.0,
        "recipient": "all",
        "metadata": {},
        **more,
    }


CHATGPT = [
    {
        "title": "A bicycle",
        "create_time": 1_700_000_000.5,
        "update_time": 1_700_000_100.0,
        "conversation_id": "6f0c8f6e-aaaa",
        "id": "6f0c8f6e-aaaa",
        "current_node": "n4",
        "mapping": {
            "root": node("root", None, ["n0"], None),
            "n0": node("n0", "root", ["n1"], said("n0", "system", "", None)),
            "n1": node("n1", "n0", ["n2", "n3"], said("n1", "user", "Which tyres?", 1_700_000_001)),
            "n2": node("n2", "n1", [], said("n2", "assistant", "A first try", 1_700_000_002)),
            "n3": node("n3", "n1", ["n4"], said("n3", "assistant", "Wide ones", 1_700_000_003.25)),
            "n4": node("n4", "n3", [], said("n4", "user", "x" * 25_000, 1_700_000_004)),
        },
    },
    {"title": "Empty", "conversation_id": "e", "mapping": {}, "current_node": None},
]


@pytest.mark.parametrize("archive", [False, True])
def test_chatgpt(daemon: Daemon, scope: Scope, tmp_path: Path, archive: bool) -> None:
    """The branch that was last shown, with its dates; a long message comes in parts."""
    me, path = scope(), tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    if archive:
        with zipfile.ZipFile(tmp_path / "export.zip", "w") as file:
            file.write(path, "export/conversations.json")
        path = tmp_path / "export.zip"

    done = load(daemon, me, path, "chatgpt")

    found = daemon.call("conversation.get", scope=me, conversation_id="chatgpt:6f0c8f6e-aaaa")
    messages = found["messages"]
    assert 5 == done["imported"]
    assert "A bicycle" == found["conversation"]["title"]
    assert ["Which tyres?", "Wide ones"] == [one["content"] for one in messages[:2]]
    assert ["user", "assistant", *["user"] * 3] == [one["role"] for one in messages]
    assert 25_000 == sum(len(one["content"]) for one in messages[2:])
    assert "2023-11-14T22:13:23.250000Z" == messages[1]["at"]


CLAUDE = [
    {
        "uuid": "7f3a-1",
        "name": "Violin",
        "created_at": "2025-02-01T10:00:00.000000Z",
        "updated_at": "2025-02-01T10:05:00.000000Z",
        "account": {"uuid": "acc"},
        "chat_messages": [
            {
                "uuid": "m1",
                "text": "",
                "content": [{"type": "text", "text": "How do I hold a violin?"}],
                "sender": "human",
                "created_at": "2025-02-01T10:00:00.000000Z",
                "attachments": [],
                "files": [],
            },
            {
                "uuid": "m2",
                "text": "Under the chin.\n\n\nThis block is not supported",
                "content": [
                    {"type": "tool_use", "name": "web_search", "input": {}},
                    {"type": "tool_result", "content": []},
                    {"type": "text", "text": "Under the chin."},
                ],
                "sender": "assistant",
                "created_at": "2025-02-01T10:00:09.000000Z",
            },
            {"uuid": "m3", "text": "Thanks", "sender": "human",
             "created_at": "2025-02-01T10:01:00.000000Z"},
        ],
    }
]  # fmt: skip


def test_claude(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """Messages of people and of the model are imported, without the output of tools."""
    me, path = scope(), tmp_path / "conversations.json"
    path.write_text(json.dumps(CLAUDE, indent=2))

    done = load(daemon, me, path, "claude")

    found = daemon.call("conversation.get", scope=me, conversation_id="claude:7f3a-1")
    assert 3 == done["imported"]
    assert CLAUDE[0]["name"] == found["conversation"]["title"]
    assert [
        ("user", "How do I hold a violin?", "2025-02-01T10:00:00Z"),
        ("assistant", "Under the chin.", "2025-02-01T10:00:09Z"),
        ("user", "Thanks", "2025-02-01T10:01:00Z"),
    ] == [(one["role"], one["content"], one["at"]) for one in found["messages"]]


OSAURUS = """
create table user_edits (id integer primary key, content text, created_at text, deleted_at text);
create table memory_entries (id text primary key, agent_id text, type text, content text,
    confidence real, model text, source_conversation_id text, tags text, status text,
    superseded_by text, created_at text, last_accessed text, access_count integer,
    valid_from text, valid_until text);
create table conversations (id text primary key, agent_id text, title text, started_at text,
    last_message_at text, message_count integer, status text);
create table conversation_chunks (id integer primary key, conversation_id text,
    chunk_index integer, role text, content text, token_count integer, created_at text);
create table entities (id text primary key, name text, type text, metadata text, model text,
    created_at text, updated_at text);
create table relationships (id text primary key, source_id text, target_id text, relation text,
    confidence real, model text, valid_from text, valid_until text, created_at text);
insert into user_edits values (1, 'Call me Sam', '2026-01-01 10:00:00', null);
insert into user_edits values (2, 'Old', '2026-01-01 10:00:00', '2026-01-02 10:00:00');
insert into memory_entries values ('A1', 'default', 'preference', 'Prefers tea to coffee', 0.9,
    'm', 'c1', '["drinks"]', 'active', null, '2026-02-03 10:20:30', '', 0, '2026-02-03', null);
insert into memory_entries values ('A2', 'default', 'fact', 'Liked coffee', 0.9, 'm', 'c1', null,
    'superseded', 'A1', '2026-01-03 10:20:30', '', 0, '2026-01-03', '2026-02-03');
insert into conversation_chunks values (1, 'c1', 0, 'user', 'Tea, please', 3,
    '2026-02-03 10:20:00');
insert into conversation_chunks values (2, 'c1', 1, 'assistant', 'Noted.', 2,
    '2026-02-03 10:20:10');
insert into conversation_chunks values (3, 'c1', 2, 'user', null, 0, '2026-02-03 10:20:20');
insert into entities values ('e1', 'Sam', 'person', null, 'm', '2026-02-03 10:20:30', '');
insert into entities values ('e2', 'Orion', 'project', null, 'm', '2026-02-03 10:20:30', '');
insert into relationships values ('r1', 'e1', 'e2', 'works_on', 0.8, 'm', '2026-02-03T10:20:30Z',
    null, '2026-02-03 10:20:30');
"""


def test_osaurus(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """The user's edits are pinned; facts, conversations and the graph keep their dates."""
    me, path = scope(), tmp_path / "memory.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(OSAURUS)
    connection.close()
    before = path.read_bytes()

    done = load(daemon, me, path, "osaurus")

    assert before == path.read_bytes()
    assert [] == done["refused"]
    memories = listed(daemon, me)
    assert {"Prefers tea to coffee"} == set(memories)
    tea = memories["Prefers tea to coffee"]
    assert ("2026-02-03T10:20:30Z", "preference", ["drinks"]) == (
        tea["observed_at"],
        tea["memory_type"],
        tea["tags"],
    )
    pinned = daemon.call("override.list", scope=me)["overrides"]
    assert ["Call me Sam"] == [one["content"] for one in pinned]
    talk = daemon.call("conversation.get", scope=me, conversation_id="osaurus:c1")["messages"]
    assert ["Tea, please", "Noted."] == [one["content"] for one in talk]
    (relation,) = daemon.call("graph.search", scope=me, name="Orion")["relations"]
    assert "works on" == relation["relation"]


def test_what_stood_side_by_side_stays_so(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """No imported fact replaces another, neither a later one nor one with another number."""
    me, path = scope(), tmp_path / "mem0.json"
    texts = [f"The meeting room {n} is on floor {n % 9}" for n in range(40)]
    texts += ["I live in Berlin", "I live in Lisbon", "My desk is number 4", "My desk is number 5"]
    facts = [
        {"id": str(n), "memory": text, "created_at": f"2025-01-01T00:{n:02}:00Z"}
        for n, text in enumerate(texts)
    ]
    path.write_text(json.dumps(facts[::-1]))

    done = load(daemon, me, path, "mem0")

    memories = listed(daemon, me)
    assert len(texts) == done["imported"]
    assert set(texts) == set(memories)
    assert [None] == list({memory["superseded_at"] for memory in memories.values()})
    assert texts[::-1] == list(memories), "the newest first, by their dates in the file"


def test_what_had_expired_is_left_out(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """An imported fact replaces no other, whether later or with another number."""
    me, path = scope(), tmp_path / "mem0.json"
    today = dt.datetime.now(dt.UTC).date()
    dates = ["2020-01-01", "2020-01-01T10:00:00Z", str(today + dt.timedelta(days=1)), "never"]
    facts = [
        {"id": str(n), "memory": f"Pays bill {n}", "expiration_date": date}
        for n, date in enumerate(dates)
    ]
    path.write_text("\n".join(map(json.dumps, facts)))

    done = load(daemon, me, path, "mem0")

    assert [1, 2] == [one["line"] for one in done["refused"]]
    assert {"Pays bill 2", "Pays bill 3"} == set(listed(daemon, me))


def test_an_archive_in_parts_is_read_whole(daemon: Daemon, scope: Scope, tmp_path: Path) -> None:
    """ChatGPT numbers the parts of a large export; a path in a member's name has no effect."""
    me, path = scope(), tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as file:
        for number, name in enumerate(("001", "000"), start=1):
            file.writestr(
                f"../../conversations-{name}.json",
                json.dumps([CHATGPT[0] | {"conversation_id": f"part {number}"}]),
            )
        file.writestr("user.json", "{}")

    done = load(daemon, me, path, "chatgpt")

    assert 10 == done["imported"]
    names = [one["conversation_id"] for one in _conversations(daemon, me)]
    assert {"chatgpt:part 1", "chatgpt:part 2"} == set(names)
    assert ["export.zip"] == [one.name for one in tmp_path.iterdir()]
    assert not list(tmp_path.parent.glob("conversations-*"))


def _conversations(daemon: Daemon, me: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.call("conversation.list", scope=me)["conversations"]
    return found


def _bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("conversations.json", b"[" + b" " * (32 * 1024 * 1024) + b"]")


def _encrypted(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", "[]")
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag in the directory
    content[6] |= 1
    path.write_bytes(content)


def _cut(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("conversations.json", json.dumps(CHATGPT))
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Which tyres", b"Which tires"))  # its checksum is wrong


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [_bomb, _encrypted, _cut, _pipe, _device])
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_hostile_file_is_refused(
    daemon: Daemon, scope: Scope, tmp_path: Path, make: Callable[[Path], None], dry_run: bool
) -> None:
    """A hostile file is refused at once; no pipe blocks and memory use is bounded."""
    path = tmp_path / "export.zip"
    make(path)

    with pytest.raises(CallFailed) as failed:
        daemon.call("db.import", scope=scope(), path=str(path), format="chatgpt", dry_run=dry_run)

    assert "invalid_params" == failed.value.kind
    assert failed.value.data["hint"]


@pytest.mark.parametrize("make", [_pipe, _device])
def test_an_export_is_read_from_a_file_only(
    daemon: Daemon, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """Pipes and devices are refused, since they may never end."""
    make(tmp_path / "export.jsonl")

    with pytest.raises(CallFailed, match="invalid_params"):
        daemon.call("db.import", path=str(tmp_path / "export.jsonl"))


def test_a_view_in_the_place_of_a_table_is_refused(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """Reading a view would run whatever SQL the file contains."""
    path = tmp_path / "memory.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(OSAURUS)
    connection.executescript(
        "drop table user_edits; create view user_edits as with recursive n (id) as"
        " (select 1 union all select id + 1 from n)"
        " select id, 'x' as content, null as deleted_at from n where id < 0"
    )
    connection.close()

    with pytest.raises(CallFailed, match="view"):
        daemon.call("db.import", scope=scope(), path=str(path), format="osaurus")


@pytest.mark.parametrize("written_by", ["mem0", "mcp-memory", "chatgpt", "claude", "osaurus"])
@pytest.mark.parametrize(
    "text", ["", "notes", "[", "[1, 2]", '[{"id": {}}', "[" * 5000, '{"results": [{]}', "\x00\xff"]
)
def test_a_broken_file_is_reported(
    daemon: Daemon, scope: Scope, tmp_path: Path, written_by: str, text: str
) -> None:
    """A broken file gives an error or errors by line; the daemon goes on."""
    path = tmp_path / "file"
    path.write_bytes(text.encode("latin-1"))
    kind = "read"
    try:
        done = daemon.call("db.import", scope=scope(), path=str(path), format=written_by)
        assert 0 == done["imported"]
    except CallFailed as failed:
        kind = failed.kind

    assert kind in {"read", "invalid_params"}


def test_one_wrong_element_does_not_end_a_list(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """The wrong element is refused with its line, and those after it are imported."""
    path = tmp_path / "mem0.json"
    good = [
        {"id": str(n), "memory": f"Plays the {what}"} for n, what in enumerate(("oboe", "lute"))
    ]
    path.write_text(json.dumps([good[0], "a stray text", None, good[1]], indent=1))
    mine = scope()
    done = load(daemon, mine, path, "mem0")

    assert listed(daemon, mine).keys() == {"Plays the oboe", "Plays the lute"}
    assert len(done["refused"]) == 2


def test_a_list_that_breaks_says_that_it_was_not_read_on(
    daemon: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """The report shows that the rest was not read."""
    path = tmp_path / "mem0.json"
    path.write_text(
        '[{"id": "1", "memory": "Plays the oboe"}, {"id": "2", "memory": }, {"id": "3"}]'
    )
    done = load(daemon, scope(), path, "mem0")

    [refused] = done["refused"]
    assert "nothing after it was read" in refused["error"]["message"]
