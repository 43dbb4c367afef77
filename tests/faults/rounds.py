"""Rounds of work on a failing disk, with a client that records what was acknowledged."""

import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from daemons import CallFailed, Client, Daemon

MINE: Final = {"provider": "test", "user_id": "the witness"}
KILLS: Final = ("kill", "torn")
ERRORS: Final = ("full", "failing", "short")
_CALLS_AFTER: Final = 3
"""Number of calls that meet a failing disk before it works again."""
_CALLS_AGAIN: Final = 10
_MOST_CALLS: Final = 60


class FaultyDaemon(Daemon):
    """A daemon whose writes or syncs fail at some moment."""

    program = (str(Path(__file__).with_name("faulty_daemon.py")),)

    def __init__(self, home: Path, kind: str, at: str, report: Path, *, armed: bool) -> None:
        super().__init__(
            home,
            environment={
                "ASH_FAULT": kind,
                "ASH_FAULT_AT": at,
                "ASH_FAULT_FILE": str(report),
                "ASH_FAULT_ARMED": str(int(armed)),
            },
        )


class Witness:
    """A client that records what was acknowledged, and what may or may not have been done."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.stored: dict[str, str] = {}
        """Text to id, of what was acknowledged and not deleted."""
        self.uncertain: set[str] = set()
        """Texts of calls that got no answer, or an error that may hide a success."""
        self.deleted: set[str] = set()
        self.said: set[str] = set()
        self.maybe_said: set[str] = set()
        self.acknowledged = 0
        self._number = 0

    def call(self, client: Client) -> None:
        """Make one call of some kind; record its outcome."""
        kind = self.chance.choices(["add", "delete", "ingest", "check"], [6, 2, 2, 1])[0]
        if kind == "delete" and self.stored:
            self._delete(client)
        elif kind == "ingest":
            self._ingest(client)
        elif kind == "check":
            client.call("db.reindex")
        else:
            self._add(client)
        self.acknowledged += 1

    def _text(self) -> str:
        self._number += 1
        return f"Parcel {self._number} is in locker {self.chance.randrange(10**9)}"

    def _add(self, client: Client) -> None:
        texts = [self._text() for _ in range(self.chance.randint(1, 3))]
        self.uncertain.update(texts)
        facts = [{"content": text} for text in texts]
        key = texts[0]
        answer = client.call("memory.add", scope=MINE, facts=facts, idempotency_key=key)
        for text, entry in zip(texts, answer["memories"], strict=True):
            self.stored[text] = entry["memory"]["id"]
            self.uncertain.discard(text)

    def _delete(self, client: Client) -> None:
        text = self.chance.choice(sorted(self.stored))
        number = self.stored.pop(text)
        self.uncertain.add(text)
        client.call("memory.delete", scope=MINE, id=number)
        self.uncertain.discard(text)
        self.deleted.add(text)

    def _ingest(self, client: Client) -> None:
        texts = [self._text() for _ in range(2)]
        self.maybe_said.update(texts)
        messages = [{"content": text, "external_id": text} for text in texts]
        client.call("conversation.ingest", scope=MINE, conversation_id="c", messages=messages)
        self.maybe_said.difference_update(texts)
        self.said.update(texts)

    def compare(self, daemon: Daemon) -> None:
        """Assert that nothing acknowledged is lost or doubled, and settle what was uncertain."""
        found = Counter(memory["content"] for memory in _pages(daemon, "memory.list", "memories"))
        assert not [text for text in self.stored if text not in found], "lost"
        assert not [text for text, count in found.items() if count > 1], "doubled"
        assert not self.deleted & found.keys(), "back again"
        assert found.keys() <= self.stored.keys() | self.uncertain, "never sent"
        for memory in _pages(daemon, "memory.list", "memories"):
            self.stored[memory["content"]] = memory["id"]
        self.deleted |= self.uncertain - found.keys()
        self.uncertain.clear()
        said = Counter(_said(daemon))
        assert not self.said - said.keys(), "lost messages"
        assert not [text for text, count in said.items() if count > 1], "doubled messages"
        assert said.keys() <= self.said | self.maybe_said
        self.said = set(said)
        self.maybe_said.clear()


def _pages(daemon: Daemon, method: str, key: str) -> Iterator[dict[str, Any]]:
    cursor: dict[str, Any] = {}
    while True:
        page = daemon.call(method, scope=MINE, limit=100, **cursor)
        yield from page[key]
        if page["next_cursor"] is None:
            return
        cursor = {"cursor": page["next_cursor"]}


def _said(daemon: Daemon) -> Iterator[str]:
    before: dict[str, Any] = {}
    while True:
        try:
            page = daemon.call(
                "conversation.get", scope=MINE, conversation_id="c", limit=100, **before
            )
        except CallFailed as error:
            if error.kind != "not_found":
                raise
            return
        yield from (message["content"] for message in page["messages"])
        if page["before"] is None:
            return
        before = {"before": page["before"]}


def round_of(
    home: Path, witness: Witness, folder: Path, hold: Callable[[Daemon], Daemon]
) -> tuple[str, int]:
    """Work on a disk that fails once, or for a while; return (what failed, number of faults).

    `hold` takes each daemon for the test to clean up after.
    """
    chance = witness.chance
    kind = chance.choice([*KILLS, *KILLS, *ERRORS])
    operation = chance.choice(["write", "write", "sync"])
    armed = chance.random() < 0.8
    most = (120 if operation == "write" else 20) if armed else 6
    at = chance.randint(1, most)
    report = folder / f"fault-{chance.randrange(10**12)}.txt"
    daemon = hold(FaultyDaemon(home, kind, f"{operation}:{at}", report, armed=armed))
    assert isinstance(daemon, FaultyDaemon)
    if starts(daemon):
        report.with_suffix(".armed").touch()
        work(daemon, witness, report, kills=kind in KILLS)
        assert daemon.process is not None
        daemon.kill()
    faults = len(report.read_text().splitlines()) if report.exists() else 0
    return f"{kind} at {operation}", faults


def starts(daemon: FaultyDaemon) -> bool:
    """Start; false where a fault ended it before it was ready."""
    try:
        daemon.start(wait_for="daemon_ready")
    except AssertionError:
        process = daemon.process
        assert process is not None
        with suppress(subprocess.TimeoutExpired):
            process.wait(120)
        assert process.returncode is not None, daemon.log
        daemon.process = None
        assert not any("Traceback" in line for line in daemon.log), daemon.log
        return False
    return True


def work(
    daemon: FaultyDaemon, witness: Witness, report: Path, *, kills: bool, calls: int = _MOST_CALLS
) -> None:
    """Call until the daemon is gone, or has met its faults and works again."""
    failed = after = 0
    with daemon.client() as client:
        for _ in range(calls):
            try:
                witness.call(client)
            except CallFailed as error:
                if error.kind != "storage_error":
                    raise
                failed += 1
            except (OSError, AssertionError):
                assert kills, daemon.log
                return  # killed
            else:
                after += report.with_suffix(".over").exists()
                if after == _CALLS_AGAIN:
                    return  # it works again, without a restart
            if report.exists() and failed >= _CALLS_AFTER:
                report.with_suffix(".over").touch()
