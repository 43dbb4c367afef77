"""Random faults of the disk: nothing acknowledged is lost, nothing doubled. Budget: 4 min.

ASH_FAULT_ROUNDS is the number of rounds (50), ASH_FAULT_SEED where the random choices begin.
`make faults` runs 1,000.
"""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from daemons import Daemon
from rounds import FaultyDaemon, Witness, round_of, starts, work

ROUNDS = int(os.environ.get("ASH_FAULT_ROUNDS", "50"))
SEED = int(os.environ.get("ASH_FAULT_SEED", "14"))
ROUNDS_A_HOME = 25
STRIDES = {"write": 1, "sync": 1} if ROUNDS >= 1_000 else {"write": 41, "sync": 3}
"""Step between two kills of a run, for writes and for syncs."""
_NO_EMBEDDER = '[embedding]\nprovider = "none"\n'


@pytest.fixture
def hold() -> Iterator[Callable[[Daemon], Daemon]]:
    """Remove the daemons of a test at its end, whatever they logged."""
    held: list[Daemon] = []

    def keep(daemon: Daemon) -> Daemon:
        held.append(daemon)
        return daemon

    yield keep
    for daemon in held:
        daemon.remove()


@pytest.mark.parametrize("start", range(0, ROUNDS, ROUNDS_A_HOME))
def test_random_faults_lose_and_double_nothing(
    tmp_path: Path, hold: Callable[[Daemon], Daemon], start: int
) -> None:
    """Kills during writes, full and failing disks, short writes, during the start as well.

    After each round a daemon on a sound disk has exactly what was acknowledged; after all rounds of
    a home no page is damaged and the index is consistent. Every kind of fault did happen.
    """
    witness = Witness(random.Random(f"{SEED} {start}"))
    home = tmp_path / "home"
    faults: Counter[str] = Counter()
    rounds = min(ROUNDS_A_HOME, ROUNDS - start)
    for _ in range(rounds):
        sound = hold(Daemon(home))
        sound.config(_NO_EMBEDDER)
        what, count = round_of(home, witness, tmp_path, hold)
        faults[what] += bool(count)
        sound.start(wait_for="daemon_ready")
        assert "writes_lost" not in "".join(sound.log)
        witness.compare(sound)
        sound.kill() if witness.chance.random() < 0.5 else sound.stop()

    last = hold(Daemon(home)).start(wait_for="daemon_ready")
    findings = last.call("db.check")["findings"]
    assert not [one for one in findings if one["severity"] == "error"], findings
    assert sum(faults.values()) >= rounds * 3 // 4, "the faults did not happen"
    assert witness.acknowledged >= rounds * 2, "hardly anything was acknowledged"
    counts = f"{rounds} rounds, {sum(faults.values())} faults, {witness.acknowledged} calls"
    print(f"{counts} acknowledged, {len(witness.stored)} memories compared")  # noqa: T201  figures


@pytest.mark.parametrize("operation", ["write", "sync"])
def test_a_kill_at_every_write_and_sync_loses_nothing(
    tmp_path: Path, hold: Callable[[Daemon], Daemon], operation: str
) -> None:
    """The kills cover the first page of a new database, its migrations and its stop."""
    kills = 0
    for place in range(1, 5_000, STRIDES[operation]):
        folder = tmp_path / str(place)
        folder.mkdir()
        daemon = FaultyDaemon(
            folder / "home", "kill", f"{operation}:{place}", folder / "fault.txt", armed=False
        )
        hold(daemon).config(_NO_EMBEDDER)
        witness = Witness(random.Random(place))
        if starts(daemon):
            work(daemon, witness, folder / "fault.txt", kills=True, calls=5)
            if daemon.process is not None:
                daemon.stop()
        sound = hold(Daemon(folder / "home")).start(wait_for="daemon_ready")
        assert "writes_lost" not in "".join(sound.log)
        witness.compare(sound)
        sound.stop()
        if not (folder / "fault.txt").exists():
            break  # there is no later one
        kills += 1
    assert kills >= 5, "hardly anything was killed"
    print(f"{kills} kills at a {operation}")  # noqa: T201  figures
