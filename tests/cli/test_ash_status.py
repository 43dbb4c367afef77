"""`ash status` for a person: words instead of the names on the wire. Budget: 4 s."""

from typing import Any

import pytest
from daemons import Daemon

from ashd.cli.status_view import show

STATUS: dict[str, Any] = {
    "version": "1.2.3",
    "state": "ready",
    "started_at": "2026-02-09T10:00:00Z",
    "embedder": "ready",
    "model": "small/1",
    "waiting_for_vectors": 1,
    "building": {"model": "large/1", "done": 1_000, "total": 20_000},
    "language_model": {
        "state": "ready",
        "model": "chatty",
        "tokens_today": 1_200,
        "max_tokens_per_day": 500_000,
        "today": [{"task": "extract_facts", "calls": 1, "sent": 1_000, "received": 200}],
    },
    "memory_on": False,
    "warnings": [
        {"name": "disk_full", "detail": "The disk is full.", "remedy": "Free some space."}
    ],
    "running": [
        {"name": "import", "done": 20, "total": 3_000},
        {"name": "backup", "done": 0, "total": 0},
    ],
}
COUNTS = {
    "memories": 5,
    "memories_archived": 2,
    "memories_superseded": 0,
    "people": 1,
    "accounts": 1,
    "chats": 2,
    "grants": 0,
    "database_bytes": 692_224,
}


def lines(capsys: pytest.CaptureFixture[str], result: dict[str, Any]) -> list[str]:
    """The lines of a status, with one blank between its columns."""
    show(result)
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_everything_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """The counts with their nouns, each warning with its remedy."""
    failure = {"event": "Stop", "kind": "shutting_down", "at": None}
    shown = lines(
        capsys,
        {"status": STATUS, "database": {"counts": COUNTS}, "hooks": {"last_failure": failure}},
    )

    assert "ashd 1.2.3, ready" == shown[0]
    assert shown[1].startswith("Running since 2026-02-09")
    assert [
        "Memory off: nothing is stored, nothing goes into a prompt",
        "Embedder ready: small/1",
        "Without vectors 1 text, found by words",
        "New vectors large/1: 1,000 of 20,000 texts",
        "Language model ready: chatty",
        "Tokens today 1,200 of 500,000",
        "extract facts 1 call, 1,200 tokens",
        "Under way import: 20 of 3,000",
        "Under way backup",
        "Hooks Stop failed: shutting down",
        "Stored 5 memories, of which 2 archived",
        "Known 1 person, 1 account, 2 chats, 0 open grants",
        "Database 0.7 MB",
        "Warning: The disk is full. (disk_full)",
        "Free some space.",
    ] == shown[2:]


def test_an_unreadable_database_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """In the place of the counts."""
    shown = lines(capsys, {"status": STATUS, "database": {"error": "The disk failed."}})
    assert "Database The disk failed." in shown


def test_the_status_of_a_daemon_has_every_part_that_is_shown(daemon: Daemon) -> None:
    """A daemon's own answer, not one that a test made up."""
    done = daemon.ash("status")
    assert 0 == done.returncode, done.stderr
    assert "Language model  not configured" in done.stdout


def test_the_commands_of_a_remedy_are_for_the_daemon_that_was_asked(new_daemon: Any) -> None:
    """Another home's embedder, or database, would be changed without its address."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "wordllama"\n')
    daemon.start()
    typed = f"ash --socket {daemon.socket} --home {daemon.home}"
    assert f"{typed} model install minilm --use." in daemon.ash("status").stdout
