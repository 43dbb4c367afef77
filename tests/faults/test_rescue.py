"""Rescue saves all that a damaged database still gives, and lists the rest. Budget: 30 s."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from damage_pages import flip, overwrite, pages
from starts import ash, failed_start

Make = Callable[..., Daemon]
MINE = {"provider": "test", "user_id": "whose disk fails"}
NO_EMBEDDER = '[embedding]\nprovider = "none"\n'


class Home:
    """A home with memories, and a backup that lacks the newest of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.memories: dict[str, str] = {}
        """Text by id."""
        daemon = Daemon(path)
        daemon.config(NO_EMBEDDER)
        try:
            daemon.start(wait_for="daemon_ready")
            for start in range(0, 300, 100):
                texts = [f"Crate {n} holds {n * 7} blue bottles" for n in range(start, start + 100)]
                facts = [{"content": text, "subjects": ["my sister"]} for text in texts]
                added = daemon.call("memory.add", scope=MINE, facts=facts)["memories"]
                ids = [entry["memory"]["id"] for entry in added]
                self.memories |= dict(zip(ids, texts, strict=True))
                if start == 100:
                    self.backup = Path(daemon.call("db.backup")["path"]).name
            assert daemon.stop() == 0
        finally:
            daemon.remove()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home, made once."""
    return Home(tmp_path_factory.mktemp("filled") / "home")


def spoilt(new_daemon: Make, filled: Home, tmp_path: Path, table: str, number: int) -> Daemon:
    """A daemon, not started, on a copy of the home with a page of a table spoilt."""
    home = shutil.copytree(filled.path, tmp_path / "home")
    overwrite(home, pages(home)[table][number], random.Random(table))
    daemon: Daemon = new_daemon(home)
    return daemon


def saved(path: Path) -> dict[str, str]:
    """The memories in an export, text by id."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert records[-1] == {"kind": "end", "records": len(records) - 2}
    return {one["id"]: one["content"] for one in records if one["kind"] == "memory"}


@pytest.mark.parametrize("number", [0, 5, -1])
def test_every_memory_is_saved_or_listed(
    new_daemon: Make, filled: Home, tmp_path: Path, number: int
) -> None:
    """The doctor names the command; together with the backup, only what both lack is lost."""
    daemon = spoilt(new_daemon, filled, tmp_path, "memories", number)
    found = ash(daemon, "doctor", "--offline", fails=1).stdout
    assert f"`ash --home {daemon.home} db rescue FILE`" in found
    assert filled.backup in found

    done: dict[str, Any] = json.loads(
        ash(daemon, "db", "rescue", str(tmp_path / "saved.jsonl"), "--json").stdout
    )

    known = saved(tmp_path / "saved.jsonl")
    (lost,) = done["lost"]
    assert ("memory", len(lost["ids"])) == (lost["kind"], lost["rows"])
    assert 0 < lost["rows"] < 40, "a page has no more rows"
    assert not known.keys() & set(lost["ids"])
    assert filled.memories.keys() == known.keys() | set(lost["ids"])
    assert all(filled.memories[number] == text for number, text in known.items())

    backup = daemon.home / "data" / "backups" / filled.backup
    ash(daemon, "db", "restore", str(backup), "--yes")
    daemon.start(wait_for="daemon_ready")
    result = daemon.call("db.import", path=str(tmp_path / "saved.jsonl"))
    assert [] == result["refused"]
    newest = list(filled.memories)[200:]
    gone = set(lost["ids"]) & set(newest)
    total = daemon.call("memory.list", scope=MINE)["total"]
    assert len(filled.memories) - len(gone) == total


@pytest.mark.parametrize("table", ["accounts", "chats", "people", "memory_subjects"])
def test_memories_outlive_what_they_refer_to(
    new_daemon: Make, filled: Home, tmp_path: Path, table: str
) -> None:
    """A damaged page of accounts, chats or people loses no memory, and is listed."""
    daemon = spoilt(new_daemon, filled, tmp_path, table, 0)

    ash(daemon, "db", "rescue", str(tmp_path / "saved.jsonl"))

    assert filled.memories == saved(tmp_path / "saved.jsonl")


def test_a_database_that_cannot_be_started_is_saved(
    new_daemon: Make, filled: Home, tmp_path: Path
) -> None:
    """The daemon refuses it, and every memory is still to be had."""
    daemon = spoilt(new_daemon, filled, tmp_path, "meta", 0)
    assert f"`ash --home {daemon.home} doctor --offline`" in failed_start(daemon).stderr

    done = ash(daemon, "db", "rescue", str(tmp_path / "saved.jsonl"))

    assert "Everything could be read" in done.stderr
    assert filled.memories == saved(tmp_path / "saved.jsonl")


def test_a_sound_database_is_not_rescued_under_a_daemon(new_daemon: Make, tmp_path: Path) -> None:
    """The daemon's lock stops the rescue and names the holder's pid; nothing is written."""
    daemon = new_daemon()
    daemon.config(NO_EMBEDDER)
    daemon.start(wait_for="daemon_ready")
    assert daemon.process is not None

    done = ash(daemon, "db", "rescue", str(tmp_path / "saved.jsonl"), fails=1)

    assert f"pid {daemon.process.pid}" in done.stderr
    assert not (tmp_path / "saved.jsonl").exists()


def test_a_fixable_finding_says_so_before_it_is_fixed(
    new_daemon: Make, filled: Home, tmp_path: Path
) -> None:
    """The preview names a remedy only for problems that can be fixed."""
    home = shutil.copytree(filled.path, tmp_path / "home")
    found = pages(home)
    flip(home, found["memories_by_content"][0], random.Random(1))
    daemon = new_daemon(home)

    preview = ash(daemon, "doctor", "--offline", "--fix", "--dry-run", fails=1).stdout
    assert "error (fixable): damaged_index" in preview
    assert "fixed: damaged_index" in ash(daemon, "doctor", "--offline", "--fix").stdout

    flip(home, pages(home)["memories"][0], random.Random(1))
    assert (
        "error: damaged_tables"
        in ash(daemon, "doctor", "--offline", "--fix", "--dry-run", fails=1).stdout
    )
