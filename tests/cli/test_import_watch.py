"""`ash import` recognises a format, follows files with --watch, and can be ended. Budget: 60 s."""

import itertools
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from daemons import Daemon
from scripted_daemon import ScriptedDaemon, error
from waiting import until

from ashd.cli.db import _FORMATS
from ashd.cli.watching import state
from ashd.ops.transfer.recognise import Format

PROGRAM = [sys.executable, "-u", "-c", "from ashd.cli.ash import main; main()"]


def names(args: object) -> set[str]:
    """The names in a union of literals."""
    return {
        name
        for part in get_args(args)
        for name in ([part] if isinstance(part, str) else names(part))
    }


def test_every_format_can_be_named() -> None:
    """The choice of --format has the formats of the method."""
    assert names(Format) == set(_FORMATS)


def test_watching_says_what_was_left_out(daemon: Daemon, tmp_path: Path) -> None:
    """The end of an import tells what it did not take, and why, each with its place."""
    (tmp_path / "a.md").write_text("Keeps bees")
    (tmp_path / "b.md").write_bytes(b"\0")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")

    dry = daemon.ash("--as", "test:left-out", "import", str(tmp_path), "--dry-run")
    done = daemon.ash("--as", "test:left-out", "import", str(tmp_path))
    again = daemon.ash("--as", "test:left-out", "import", str(tmp_path), "--dry-run")

    assert (0, "1 imported, 0 known already.\n") == (done.returncode, done.stdout)
    assert "1 would be imported. Nothing was stored.\n" == dry.stdout
    assert "0 would be imported. Nothing was stored.\n1 known already.\n" == again.stdout
    assert "b.md: This is binary data, no text." in done.stderr
    assert "Left out: files that are no Markdown (.png): 1." in done.stderr


def test_nothing_imported_is_a_failure(daemon: Daemon, tmp_path: Path) -> None:
    """Neither an unknown format nor a file all of which is refused is a success."""
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    (tmp_path / "b.md").write_bytes(b"\0")
    (tmp_path / "empty.jsonl").write_bytes(b"\n")

    unknown = daemon.ash("import", str(tmp_path / "x.bin"))
    empty = daemon.ash("import", str(tmp_path / "empty.jsonl"))
    refused = daemon.ash("import", str(tmp_path / "b.md"))

    assert (True, 1) == (unknown.returncode > 0, refused.returncode)
    assert "no format that is recognised" in unknown.stderr
    assert "--format" in unknown.stderr
    assert "empty.jsonl is empty." in empty.stderr


def test_the_watch_sees_what_an_import_reads(tmp_path: Path) -> None:
    """Folders of agents are watched although hidden; folders of packages are not."""
    names = (".github", "notes", "node_modules", ".git")
    for name in names:
        (tmp_path / name).mkdir()
    states = [state(tmp_path)]
    for name in names:
        (tmp_path / name / "a.md").write_text("x")
        states.append(state(tmp_path))

    assert [True, True, False, False] == [one != two for one, two in itertools.pairwise(states)]


def test_watch_imports_what_changes(daemon: Daemon, tmp_path: Path) -> None:
    """A changed note is imported soon, remarks are not repeated, and Ctrl-C ends the watching."""
    (tmp_path / "a.md").write_text("Keeps bees")
    (tmp_path / "b.md").write_bytes(b"\0")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    me = {"provider": "test", "user_id": "watching"}

    def contents() -> set[str]:
        found = daemon.call("memory.list", scope=me)["memories"]
        return {one["content"] for one in found}

    def wait_for(text: str) -> None:
        until(lambda: contents() == {text})

    said = ""

    watching = subprocess.Popen(
        daemon.ash_command(*["--as", "test:watching", "import", "--watch"], str(tmp_path)),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=daemon._environment,
    )
    try:
        wait_for("a: Keeps bees")
        (tmp_path / "a.md").write_text("Keeps goats")
        wait_for("a: Keeps goats")
        (tmp_path / "d.png").write_bytes(b"\x89PNG")
        (tmp_path / "a.md").write_text("Keeps sheep")
        assert watching.stderr is not None
        while "(.png): 2." not in (said := said + watching.stderr.readline()):
            assert watching.poll() is None
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=30)

    assert [1, 1, 1] == [said.count(one) for one in ("Watching for", "b.md:", "(.png): 1.")]
    assert 130 == watching.returncode


def test_watching_outlives_a_failure(new_daemon: type[Daemon], tmp_path: Path) -> None:
    """Neither a folder that is empty for a moment nor a daemon that restarts ends it."""
    daemon = new_daemon().start()
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Keeps bees")

    def contents() -> list[str]:
        return [one["content"] for one in daemon.call("memory.list")["memories"]]

    watching = subprocess.Popen(
        daemon.ash_command("import", "--watch", str(notes)),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env=daemon._environment,
    )
    try:
        until(lambda: contents() == ["a: Keeps bees"])
        assert watching.stderr is not None
        (notes / "a.md").rename(tmp_path / "a.md")
        while "holds no note" not in watching.stderr.readline():
            assert watching.poll() is None
        assert contents() == ["a: Keeps bees"]
        daemon.stop()
        (notes / "a.md").write_text("Keeps goats")
        while "daemon" not in watching.stderr.readline():
            assert watching.poll() is None
        daemon.start()
        until(lambda: contents() == ["a: Keeps goats"])
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=30)


@pytest.mark.parametrize("kind", ["starting", "shutting_down", "storage_error"])
def test_watching_repeats_what_a_daemon_refuses_for_a_moment(tmp_path: Path, kind: str) -> None:
    """It says so once, and needs no further change of a file."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Keeps bees")
    counts = {"imported": 1, "duplicates": 0, "archived": 0, "to_be_read": 0, "refused_count": 0}
    done = {**counts, "format": "notes", "refused": [], "left_out": []}
    refused = error(kind, message="In a moment", retryable=True)
    answers = [done, refused, refused, done]

    def answer(call: dict[str, Any]) -> Any:
        return answers.pop(0) if call["method"] == "db.import" else {}

    with ScriptedDaemon(tmp_path / "ashd.sock", answer) as daemon:
        watching = subprocess.Popen(
            [*PROGRAM, "--socket", daemon.path, "import", "--watch", notes],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert watching.stdout is not None
            assert "1 imported" in watching.stdout.readline()
            (notes / "a.md").write_text("Keeps goats")
            until(lambda: not answers)
            assert "1 imported" in watching.stdout.readline()
        finally:
            watching.send_signal(signal.SIGINT)
            _, said = watching.communicate(timeout=30)

    assert 1 == said.count("In a moment")


def test_ctrl_c_ends_the_import_and_a_repeat_goes_on(
    new_daemon: type[Daemon], tmp_path: Path
) -> None:
    """Progress counts what is stored; nothing is stored after the end, and nothing twice."""
    daemon = new_daemon().start()
    path = tmp_path / "mem0.json"
    facts = [{"id": str(n), "memory": f"Note {n} is about boat {n * 7}"} for n in range(3_000)]
    path.write_text(json.dumps(facts))
    importing = subprocess.Popen(
        daemon.ash_command("import", str(path)),
        stderr=subprocess.PIPE,
        text=True,
        env=daemon._environment,
    )

    def running() -> dict[str, Any]:
        (one,) = daemon.call("system.status")["running"]
        return dict(one)

    until(lambda: daemon.call("memory.list", limit=1)["total"] >= 20)
    until(lambda: running()["done"] > 0)  # counted once the facts are committed
    assert ("import", 3_000) == (running()["name"], running()["total"])
    assert running()["done"] < 3_000

    importing.send_signal(signal.SIGINT)
    _, said = importing.communicate(timeout=60)

    assert "The same command continues" in said
    until(lambda: not daemon.call("system.status")["running"])
    stored = daemon.call("memory.list", limit=1)["total"]
    assert stored < 3_000
    path.write_text(json.dumps(facts[: stored + 20]))
    again = daemon.call("db.import", path=str(path))
    assert (20, stored) == (again["imported"], again["duplicates"])


def test_agents_files_belong_to_their_project(daemon: Daemon, tmp_path: Path) -> None:
    """A rule of one repository is not read in another; notes belong to no project."""
    repository = tmp_path / "boat"
    (repository / ".git").mkdir(parents=True)
    (repository / "CLAUDE.md").write_text("- The hull is checked with calipers")
    (tmp_path / "facts.txt").write_text("Keeps bees")
    me = {"provider": "test", "user_id": "rules"}

    for path in (repository, tmp_path / "facts.txt"):
        assert 0 == daemon.ash("--as", "test:rules", "import", str(path)).returncode

    memories = daemon.call("memory.list", scope={**me, "project": "*"})["memories"]
    projects = {one["content"]: one["project"] for one in memories}
    assert projects["Keeps bees"] is None
    assert "boat" == projects["The hull is checked with calipers"]["name"]
    elsewhere = daemon.call("memory.list", scope={**me, "project": {"id": "other"}})["memories"]
    assert ["Keeps bees"] == [one["content"] for one in elsewhere]
    again = daemon.ash("--as", "test:rules", "import", str(repository))
    assert "0 imported, 1 known already." in again.stdout


def test_ctrl_c_ends_an_import_that_waits_for_another(
    new_daemon: type[Daemon], tmp_path: Path
) -> None:
    """It stores nothing, and the import that it waited for goes on."""
    daemon = new_daemon().start()
    path = tmp_path / "mem0.json"
    facts = [{"id": str(n), "memory": f"Note {n} is about boat {n * 7}"} for n in range(3_000)]
    path.write_text(json.dumps(facts))

    def importing(user: str) -> subprocess.Popen[str]:
        command = daemon.ash_command("--as", f"test:{user}", "import", str(path))
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=daemon._environment,
        )

    def running() -> list[str]:
        return [one["name"] for one in daemon.call("system.status")["running"]]

    first = importing("first")
    until(lambda: running() == ["import"])
    second = importing("second")
    until(lambda: running() == ["import", "waiting import"])
    second.send_signal(signal.SIGINT)
    _, said = second.communicate(timeout=60)

    assert "It ends" in said
    until(lambda: running() == ["import"])
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    until(lambda: not running())
    me = {"provider": "test", "user_id": "second"}
    assert 0 == daemon.call("memory.list", limit=1, scope=me)["total"]
