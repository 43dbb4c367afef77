"""The commands of docs/import.md do what the page says. Budget: 40 s."""

import json
import re
import shlex
import sqlite3
import zipfile
from pathlib import Path

import pytest
from daemons import Daemon

PAGE = (Path(__file__).parents[2] / "docs" / "import.md").read_text()
COMMANDS = [
    line.partition("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]
OSAURUS = (
    "create table user_edits (id, content, created_at, deleted_at);"
    "create table memory_entries (id, agent_id, type, content, tags, status, created_at,"
    " valid_until);"
    "create table conversation_chunks (id, conversation_id, chunk_index, role, content,"
    " created_at);"
    "create table entities (id, name, type, created_at);"
    "create table relationships (id, source_id, target_id, relation, valid_from, valid_until,"
    " created_at);"
)


_TEXT = {"content_type": "text", "parts": ["Hello"]}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A directory with the files that the page imports, each as short as it may be."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "garden.md").write_text("Tomatoes like sun")
    (tmp_path / "facts.txt").write_text("Plays the oboe")
    (tmp_path / "boat" / ".git").mkdir(parents=True)
    (tmp_path / "boat" / "AGENTS.md").write_text("- Never mock the clock")
    (tmp_path / "mem0.json").write_text(json.dumps([{"id": "1", "memory": "Likes the sea"}]))
    entity = {"type": "entity", "name": "Orion", "entityType": "project", "observations": ["New"]}
    (tmp_path / "memory.jsonl").write_text(json.dumps(entity))
    edge = {"uuid": "1", "fact": "Ada rents a flat", "source_node_uuid": "s"}
    (tmp_path / "edges.json").write_text(json.dumps([edge]))
    block = {"label": "human", "value": "Paints boats"}
    agent = {"agents": [{"block_ids": ["b"]}], "blocks": [block]}
    (tmp_path / "agent.af").write_text(json.dumps(agent))
    said = {"id": "m", "author": {"role": "user"}, "content": _TEXT, "create_time": 1_700_000_000}
    node = {"id": "n", "message": said, "parent": None, "children": []}
    chatgpt = {"conversation_id": "c", "mapping": {"n": node}, "current_node": "n"}
    message = {"uuid": "m", "sender": "human", "content": [{"type": "text", "text": "Hello"}]}
    for name, conversation in (
        ("chatgpt", chatgpt),
        ("claude", {"uuid": "c", "chat_messages": [message]}),
    ):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("conversations.json", json.dumps([conversation]))
    connection = sqlite3.connect(tmp_path / "memory.sqlite")
    connection.executescript(OSAURUS)
    connection.execute(
        "insert into user_edits values (1, 'Call me Sam', '2026-01-01 10:00:00', null)"
    )
    connection.commit()
    connection.close()
    return tmp_path


def test_the_commands_run(new_daemon: type[Daemon], files: Path) -> None:
    """Every format is recognised; --watch, which never ends, has a test of its own."""
    daemon = new_daemon().start()
    daemon.call("memory.add", content="The spare key hangs behind the clock")
    daemon.call("db.export", path=str(files / "everything.jsonl"))
    formats = []
    for command in COMMANDS:
        words = shlex.split(command.replace("~/code", str(files)).replace("~", str(files)))
        if "--watch" in words:
            continue
        done = daemon.ash("--json", *words[1:], cwd=files)
        assert done.returncode == 0, (command, done.stderr)
        formats.append(json.loads(done.stdout)["format"])

    assert [
        *("notes", "lines", "agent-files", "chatgpt", "claude", "mem0", "mcp-memory"),
        *("letta", "zep", "osaurus", "ash"),
    ] == formats
    contents = {one["content"] for one in daemon.call("memory.list", limit=100)["memories"]}
    assert {
        "The spare key hangs behind the clock",
        "garden: Tomatoes like sun",
        "Plays the oboe",
        "Never mock the clock",
        "Likes the sea",
        "Orion: New",
        "Ada rents a flat",
        "Paints boats",
    } == contents
