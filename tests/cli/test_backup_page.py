"""The commands of docs/backup.md do what the page says. Budget: 40 s."""

import json
import re
import shlex
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from daemons import Daemon

PAGE = (Path(__file__).parents[2] / "docs" / "backup.md").read_text()
ASH = [sys.executable, "-c", "from ashd.cli.ash import main; main()"]
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


def test_the_page_has_every_command() -> None:
    """Every `ash db` command that the page is about is among its examples."""
    text = " ".join(COMMANDS)

    assert all(f"ash db {name}" in text for name in ("backup", "restore", "import"))
    assert "db export" in text
    for written_by in ("mem0", "mcp-memory", "chatgpt", "claude", "osaurus"):
        assert f"--format {written_by}" in text


_TEXT = {"content_type": "text", "parts": ["Hello"]}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A directory with the files that the page imports, each as short as it may be."""
    (tmp_path / "mem0.json").write_text(json.dumps([{"id": "1", "memory": "Likes the sea"}]))
    entity = {"type": "entity", "name": "Orion", "entityType": "project", "observations": ["New"]}
    (tmp_path / "memory.jsonl").write_text(json.dumps(entity))
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
    (tmp_path / "usb").mkdir()
    return tmp_path


def _newest_backup(daemon: Daemon) -> Path | None:
    backups = (daemon.home / "data" / "backups").glob("ash-*.db")
    return max(backups, key=lambda path: path.stat().st_mtime_ns, default=None)


def test_the_commands_run(new_daemon: type[Daemon], files: Path) -> None:
    """The commands run in the page's order, except `systemctl` and paths of other machines."""
    daemon = new_daemon().start()
    daemon.call("memory.add", content="The spare key hangs behind the clock")
    running = True
    for command in COMMANDS:
        newest = str(_newest_backup(daemon))
        typed = command.replace("data/backups/NEWEST.db", newest)
        words = shlex.split(typed.replace("/mnt/usb", str(files / "usb")))
        if words[0] == "systemctl":
            running = words[2] == "start"
            if running:
                daemon.start()
            else:
                daemon.stop()
            continue
        if "restore" in words:
            if running:
                daemon.stop()
            words.append("--yes")
        socket = ["--socket", str(daemon.socket)]
        done = subprocess.run(
            [*ASH, "--home", str(daemon.home), *socket, *words[1:]],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=files,
            stdin=subprocess.DEVNULL,
            env=daemon._environment,
        )
        assert done.returncode == 0, (command, done.stderr)
        if "restore" in words and running:
            daemon.start()

    contents = {one["content"] for one in daemon.call("memory.list", limit=100)["memories"]}
    assert {"The spare key hangs behind the clock", "Likes the sea", "Orion: New"} == contents
