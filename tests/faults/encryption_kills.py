"""Kill `ash db encrypt`, `decrypt` and `rekey` at their steps, and repeat them.

``python tests/faults/encryption_kills.py --rounds 100`` prints the figures; the suite runs fewer
rounds. A step is a write, a sync, or a change of a name. After each kill either the old or the new
state opens with what the settings name; repeated, the command ends the change, and every memory is
there once. The next command on an encrypted database leaves no plain text of the change, nor in
the bytes of the files that it removes.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Final

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from daemons import Daemon
from encrypted import encrypt_at_next_start
from scanning import left_in
from starts import ash

from ashd.store import encryption

ALICE: Final = {"provider": "test", "user_id": "alice"}
MARKER: Final = "wubbzolite"
FACTS: Final = [f"The {MARKER} {number} is in box {number * 7}" for number in range(40)]
CHANGES: Final = {
    "encrypt": ["db", "encrypt", "--no-phrase"],
    "decrypt": ["db", "decrypt", "--yes"],
    "rekey": ["db", "rekey", "--no-phrase"],
}


def run(
    folder: Path,
    change: str,
    *,
    rounds: int,
    seed: int,
    say: Callable[[str], None] = lambda _text: None,
) -> dict[str, Any]:
    """Kill a change so many times, each in a copy of one home; return what was found."""
    first = _home(folder, change)
    steps = int(_killed(_copy(first, folder / "count"), change, 10**9, folder / "count.txt")[1])
    say(f"{change}: {steps} steps")
    chance = random.Random(f"{seed} {change}")
    tally: dict[str, Any] = {"kills": 0, "left": 0, "wrong": []}
    for number in range(rounds):
        home = _copy(first, folder / "home")
        # Every second one among the last steps, where the files take each other's place.
        lowest = 1 if number % 2 else max(1, steps - 40)
        step = chance.randint(lowest, steps)
        was_killed, _ = _killed(home, change, step, folder / "report.txt")
        tally["kills"] += was_killed
        tally["left"] += bool(_plain_leftovers(home))
        tally["wrong"] += [f"{change} killed at {step}: {one}" for one in _after(home, change)]
        shutil.rmtree(home.parent)
    return tally


def _home(folder: Path, change: str) -> Path:
    """A home of a stopped daemon, before the change."""
    daemon = Daemon(folder / "first" / "home")
    try:
        daemon.config('[embedding]\nprovider = "none"\n')
        daemon.start(wait_for="daemon_ready")
        daemon.call("memory.add", scope=ALICE, facts=[{"content": text} for text in FACTS])
        daemon.kill()  # so that there is a write-ahead log
        _configure(daemon)
        if change != "encrypt":
            ash(daemon, *CHANGES["encrypt"])
    finally:
        if daemon.process is not None:
            daemon.kill()
        daemon.remove()
    return daemon.home


def _configure(daemon: Daemon, more: str = "") -> None:
    encrypt_at_next_start(daemon, f'[embedding]\nprovider = "none"\n{more}')


def _copy(first: Path, to: Path) -> Path:
    """Copy a home with its key; its configuration names the copy's."""
    shutil.copytree(first.parent, to)
    daemon = Daemon(to / "home")
    _configure(daemon)
    daemon.remove()
    return to / "home"


def _killed(home: Path, change: str, step: int, report: Path) -> tuple[bool, str]:
    """Run the command until a step; return whether it was killed, and the report."""
    report.unlink(missing_ok=True)
    daemon = Daemon(home)
    environment = {
        **daemon._environment,
        "ASH_FAULT": "kill",
        "ASH_FAULT_AT": f"step:{step}",
        "ASH_FAULT_FILE": str(report),
        "ASH_FAULT_PROGRAM": "ash",
    }
    program = [sys.executable, str(Path(__file__).with_name("faulty_daemon.py"))]
    done = subprocess.run(
        [*program, "--home", str(home), *CHANGES[change]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    daemon.remove()
    assert done.returncode in {0, -9}, done.stderr
    return done.returncode == -9, report.read_text() if report.exists() else ""


def _after(home: Path, change: str) -> list[str]:
    """Return what is wrong after a kill, and after the command was repeated."""
    database = home / "data" / "ash.db"
    is_changed = encryption.is_plain(database) == (change == "decrypt")
    wrong = []
    daemon = Daemon(home)
    with ExitStack() as held:
        left = [held.enter_context(path.open("rb")) for path in _plain_leftovers(home)]
        try:
            wrong += _next_command(daemon, left)
            _end(daemon, change, wrong, is_changed=is_changed)
        except AssertionError as error:
            wrong.append(str(error))
        finally:
            daemon.remove()
    return wrong


def _plain_leftovers(home: Path) -> list[Path]:
    """Return the files beside a database that is encrypted in which the marker can be read."""
    database = home / "data" / "ash.db"
    if not encryption.is_encrypted(database):
        return []
    return [path for path in database.parent.iterdir() if _is_marked(path)]


def _is_marked(path: Path) -> bool:
    return path.is_file() and MARKER.encode() in path.read_bytes()


def _next_command(daemon: Daemon, left: list[BinaryIO]) -> list[str]:
    """Look at a home without a daemon; return which of the plain files are still to be read."""
    if not encryption.is_encrypted(daemon.home / "data" / "ash.db"):
        return []
    ash(daemon, "doctor", "--offline")
    wrong = ["plain text is left by name"] if left_in(daemon.home, [MARKER]) else []
    wrong += [f"{file.name} was not overwritten" for file in left if MARKER.encode() in file.read()]
    return wrong


def _end(daemon: Daemon, change: str, wrong: list[str], *, is_changed: bool) -> None:
    """Repeat the change, and add what is wrong then."""
    if not (change == "decrypt" and is_changed):
        ash(daemon, *CHANGES[change])
    if change == "decrypt":
        daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start(wait_for="daemon_ready")
    found = daemon.call("memory.list", scope=ALICE, limit=100)["memories"]
    if sorted(one["content"] for one in found) != sorted(FACTS):
        wrong.append(f"{len(found)} memories instead of {len(FACTS)}")
    if findings := daemon.call("db.check")["findings"]:
        wrong.append(str([one["name"] for one in findings]))
    if change != "decrypt" and left_in(daemon.home, [MARKER]):
        wrong.append("plain text is left")
    daemon.stop()
    if lines := daemon.unexpected():
        wrong.append(str(lines))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Run each change's rounds and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failed = False
    for change in CHANGES:
        with tempfile.TemporaryDirectory(prefix="ash-kills-") as folder:
            tally = run(Path(folder), change, rounds=given.rounds, seed=given.seed, say=_say)
        _say(
            f"{change}: {tally['kills']} kills, {tally['left']} left a plain file beside an "
            f"encrypted database, wrong: {tally['wrong'] or 'nothing'}"
        )
        failed = failed or bool(tally["wrong"])
    sys.exit(failed)


if __name__ == "__main__":
    main()
