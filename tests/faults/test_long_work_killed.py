"""Long work that is killed can be repeated with the same result. Budget: 60 s.

ASH_FAULT_ROUNDS of 1,000 and more kills each at many more writes (`make faults`).
"""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from daemons import CallFailed, Daemon
from encrypted import readable
from rounds import FaultyDaemon, starts
from scanning import left_in
from starts import ash
from waiting import until

MINE = {"provider": "test", "user_id": "the witness"}
OTHER = {"provider": "test", "user_id": "another"}
KILLS = 1 if int(os.environ.get("ASH_FAULT_ROUNDS", "50")) < 1_000 else 25
"""Kills of each kind of work."""
ERASED = ("wubbzolite", "flumgard")

State = list[tuple[str, str | None]]
Work = Callable[[Daemon], Any]


def _facts(daemon: Daemon, texts: list[str], scope: dict[str, Any] = MINE, **call: Any) -> None:
    for start in range(0, len(texts), 100):
        facts = [{"content": text} for text in texts[start : start + 100]]
        daemon.call("memory.add", scope=scope, facts=facts, **call)


def _state(daemon: Daemon) -> State:
    """Every memory of everybody with why it was archived, and every message."""
    found: State = []
    for scope in (MINE, OTHER):
        cursor: dict[str, Any] = {}
        while cursor is not None:
            page = daemon.call(
                "memory.list", scope=scope, limit=100, include_archived=True, **cursor
            )
            found += [(one["content"], one["archive_reason"]) for one in page["memories"]]
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        for name in ("talk", "mem0:talk"):
            with suppress(CallFailed):  # there is no such conversation
                talk = daemon.call("conversation.get", scope=scope, conversation_id=name, limit=100)
                found += [(message["content"], name) for message in talk["messages"]]
    return sorted(found, key=str)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with work to do for everything, a backup of it, and files to import beside it."""
    folder = tmp_path_factory.mktemp("filled")
    daemon = Daemon(folder / "home")
    daemon.config('[embedding]\nprovider = "none"\n[memory]\nauto_gc = false\n')
    try:
        daemon.start(wait_for="daemon_ready")
        _facts(daemon, [f"Crate {n} holds {n * 7} blue bottles" for n in range(200)])
        _facts(daemon, [f"Parcel {n} weighs {n * 3} pounds" for n in range(100)], OTHER)
        for text in ("Ticket 1 was lost", "Ticket 2 was found"):
            (entry,) = daemon.call("memory.add", scope=MINE, content=text)["memories"]
            daemon.call("memory.delete", scope=MINE, id=entry["memory"]["id"])
        messages = [{"content": f"The {ERASED[0]} costs {n} coins"} for n in range(60)]
        daemon.call("conversation.ingest", scope=MINE, conversation_id="talk", messages=messages)
        daemon.call("db.backup", path=str(folder / "backup.db"))
        grant = daemon.call("grant.create", scope=MINE, rights=["read", "write"])
        (folder / "grant").write_text(grant["grant_id"])
        with daemon.client(grant["socket"]) as client:
            for start in (0, 50):
                facts = [{"content": f"Claim {n} is {n * n}"} for n in range(start, start + 50)]
                client.call("memory.add", facts=facts)
        _facts(daemon, [f"The {ERASED[1]} {n} is {n} old" for n in range(80)], OTHER)
        fading = [f"Bus {n} is {n} minutes late" for n in range(60)]
        _facts(daemon, fading, type="context", observed_at="2020-01-01")
        assert daemon.stop() == 0
    finally:
        daemon.remove()
    more = [{"id": str(n), "memory": f"Shelf {n} has {n * 5} jars"} for n in range(150)]
    (folder / "mem0.json").write_text(json.dumps(more))
    return folder


def _import(daemon: Daemon) -> Any:
    path = str(daemon.home.parent / "mem0.json")
    return daemon.call("db.import", scope=MINE, path=path, format="mem0")


def _compact(daemon: Daemon) -> Any:
    return daemon.call("db.compact", older_than_days=0, force=True)


def _withdraw(daemon: Daemon) -> Any:
    grant = (daemon.home.parent / "grant").read_text()
    return daemon.call("memory.withdraw", grant_id=grant)


def _erase_owner(daemon: Daemon) -> Any:
    return daemon.call("memory.erase", owner=OTHER)


def _erase_conversation(daemon: Daemon) -> Any:
    return daemon.call("memory.erase", scope=MINE, conversation_id="talk")


def _gc(daemon: Daemon) -> Any:
    return daemon.call("db.gc")


def _backup(daemon: Daemon) -> Any:
    return daemon.call("db.backup")


WORK: dict[str, tuple[Work, int]] = {
    "import": (_import, 300),
    "gc": (_gc, 60),
    "compact": (_compact, 40),
    "withdraw": (_withdraw, 60),
    "erase_owner": (_erase_owner, 200),
    "erase_conversation": (_erase_conversation, 120),
    "backup": (_backup, 150),
}
"""The work, and about how many pages it writes."""


@pytest.fixture
def made() -> Iterator[list[Daemon]]:
    """Removes the daemons of a test at its end."""
    held: list[Daemon] = []
    yield held
    for daemon in held:
        daemon.remove()


def _start(held: list[Daemon], daemon: Daemon) -> Daemon:
    held.append(daemon)
    return daemon.start(wait_for="daemon_ready")


def _home(filled: Path, place: Path) -> Path:
    return Path(shutil.copytree(filled, place)) / "home"


def _undisturbed(held: list[Daemon], home: Path, work: Work) -> State:
    daemon = _start(held, Daemon(home))
    work(daemon)
    state = _state(daemon)
    daemon.stop()
    return state


def _sound(daemon: Daemon) -> None:
    found = daemon.call("db.check")["findings"]
    assert not [one for one in found if one["severity"] == "error"], found
    assert "writes_lost" not in "".join(daemon.log)


@pytest.fixture(scope="module")
def before(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> State:
    """The state of the home before any work."""
    held: list[Daemon] = []
    try:
        place = tmp_path_factory.mktemp("idle") / "home"
        return _undisturbed(held, _home(filled, place), lambda _: None)
    finally:
        for daemon in held:
            daemon.remove()


@pytest.mark.parametrize("name", WORK)
def test_work_that_is_killed_ends_as_if_it_had_not_been(
    filled: Path, before: State, tmp_path: Path, made: list[Daemon], name: str
) -> None:
    """The repeated call does the rest: the same memories, none lost, doubled or back again."""
    work, writes = WORK[name]
    expected = _undisturbed(made, _home(filled, tmp_path / "calm"), work)
    chance = random.Random(name)
    kills = 0
    for number in range(KILLS):
        place = tmp_path / str(number)
        home = _home(filled, place)
        report = place / "fault.txt"
        at = f"write:{chance.randint(1, writes)}"
        faulty = FaultyDaemon(home, "kill", at, report, armed=True)
        made.append(faulty)
        assert starts(faulty)
        report.with_suffix(".armed").touch()
        try:
            work(faulty)
        except (OSError, AssertionError):
            assert report.exists(), faulty.log
        kills += report.exists()
        faulty.kill()

        sound = _start(made, Daemon(home))
        _sound(sound)
        state = _state(sound)
        untouched = [entry for entry in before if entry in expected]
        assert not [entry for entry in untouched if entry not in state], "lost"
        allowed = {content for content, _ in (*before, *expected)}
        assert {content for content, _ in state} <= allowed, "never sent"
        with suppress(CallFailed):  # there is nothing left of it
            work(sound)
        assert expected == _state(sound)
        assert not list((home / "data" / "backups").glob(".*")), "leftovers"
        if name.startswith("erase"):
            _no_word_left(sound, ERASED[0] if "conversation" in name else ERASED[1])
        sound.stop()
        shutil.rmtree(place)
    assert kills >= (KILLS + 1) // 2, f"killed {kills} of {KILLS}: fewer writes"
    print(f"{name}: {kills} kills")  # noqa: T201  figures


def _no_word_left(daemon: Daemon, word: str) -> None:
    def is_gone() -> bool:
        with suppress(apsw.Error):  # copied while the daemon wrote
            return not _left(daemon.home, [word])
        return False

    until(is_gone)


def _left(home: Path, words: Iterable[str]) -> set[str]:
    """The words that can be read in a database and its log, by who has the key if there is one."""
    return left_in(readable(home / "data", home.parent / "scanned"), words)


def test_an_erasure_that_was_killed_is_finished_by_the_next_start(
    filled: Path, tmp_path: Path, made: list[Daemon]
) -> None:
    """No trace of an erased row is left, in stored replies either; nobody can ask for it again."""
    home = _home(filled, tmp_path / "spoilt")
    # The commits of the call's record and of the row are written, and no more.
    faulty = FaultyDaemon(home, "kill", "sync:2", tmp_path / "fault.txt", armed=True)
    made.append(faulty)
    assert starts(faulty)
    word = "quixotrine"
    (entry,) = faulty.call("memory.add", scope=OTHER, content=f"The {word} sleeps")["memories"]
    memory = entry["memory"]["id"]
    # The reply is stored, for a call that is repeated.
    changes = {"tags": ["pets"]}
    faulty.call("memory.update", scope=OTHER, id=memory, changes=changes, idempotency_key="once")
    (tmp_path / "fault.armed").touch()
    with pytest.raises((OSError, AssertionError)):
        faulty.call("memory.erase", scope=OTHER, id=memory)
    faulty.kill()
    assert _left(home, [word]), "it was killed too late"

    sound = _start(made, Daemon(home))

    with pytest.raises(CallFailed, match="not_found"):
        sound.call("memory.get", scope=OTHER, id=memory)
    _no_word_left(sound, word)
    sound.stop()


def test_a_restore_that_is_killed_leaves_one_of_the_two(
    filled: Path, before: State, tmp_path: Path, made: list[Daemon]
) -> None:
    """The database as it was, or the restored one; the same restore again does it."""
    expected: State | None = None
    chance = random.Random("restore")
    kills = 0
    for number in range(KILLS + 1):
        place = tmp_path / str(number)
        home = _home(filled, place)
        faulty = FaultyDaemon(
            home, "kill", f"write:{chance.randint(1, 120)}", place / "fault.txt", armed=False
        )
        made.append(faulty)
        restore = ["--home", str(home), "db", "restore", str(place / "backup.db"), "--yes"]
        if number:
            program = faulty.command()[:2]
            done = subprocess.run(
                [*program, *restore],
                env={**faulty._environment, "ASH_FAULT_PROGRAM": "ash"},
                check=False,
                capture_output=True,
                timeout=120,
            )
            kills += done.returncode < 0
            sound = _start(made, Daemon(home))
            _sound(sound)
            assert _state(sound) in (before, expected)
            sound.stop()
        ash(faulty, "db", "restore", str(place / "backup.db"), "--yes")
        sound = _start(made, Daemon(home))
        expected = expected or _state(sound)
        assert expected == _state(sound) != before
        sound.stop()
        assert not list((home / "data").glob(".*.part*")), "leftovers"
    assert kills >= (KILLS + 1) // 2, "hardly anything was killed"
