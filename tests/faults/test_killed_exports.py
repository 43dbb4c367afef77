"""A killed export or rescue leaves nothing to read beside its file. Budget: 20 s."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from daemons import CallFailed, Daemon
from rounds import FaultyDaemon, starts
from starts import ash

MINE = {"provider": "test", "user_id": "the witness"}
FACTS = [f"Crate {number} holds {number * 7} blue bottles" for number in range(200)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with memories."""
    daemon = Daemon(tmp_path / "home")
    daemon.config('[embedding]\nprovider = "none"\n')
    try:
        daemon.start(wait_for="daemon_ready")
        for start in (0, 100):
            facts = [{"content": text} for text in FACTS[start : start + 100]]
            daemon.call("memory.add", scope=MINE, facts=facts)
        assert daemon.stop() == 0
    finally:
        daemon.remove()
    return daemon.home


@pytest.fixture
def faulty(home: Path, tmp_path: Path) -> Iterator[Callable[[int, bool], FaultyDaemon]]:
    """Makes daemons on the home that are killed at a read, counted once armed or from the start."""
    made: list[FaultyDaemon] = []

    def make(read: int, armed: bool) -> FaultyDaemon:
        report = tmp_path / f"{read}.txt"
        made.append(FaultyDaemon(home, "kill", f"read:{read}", report, armed=armed))
        return made[-1]

    yield make
    for daemon in made:
        daemon.remove()


@pytest.mark.parametrize("read", [3, 12])
def test_a_killed_export_leaves_no_file(
    faulty: Callable[[int, bool], FaultyDaemon], tmp_path: Path, read: int
) -> None:
    """Nobody would look for a hidden one, which is plain also where the database is encrypted."""
    target = tmp_path / "target"
    target.mkdir()
    daemon = faulty(read, True)
    assert starts(daemon)
    (tmp_path / f"{read}.armed").touch()

    with pytest.raises((OSError, AssertionError)) as failed:
        daemon.call("db.export", path=str(target / "all.jsonl"))

    assert not isinstance(failed.value, CallFailed)
    assert (tmp_path / f"{read}.txt").exists()
    assert [] == list(target.iterdir())
    daemon.kill()


@pytest.mark.parametrize("read", [220, 235])
def test_a_killed_rescue_leaves_no_file(
    faulty: Callable[[int, bool], FaultyDaemon], tmp_path: Path, read: int
) -> None:
    """It is killed at a read of the database while it writes; the next one is whole."""
    target = tmp_path / "target"
    target.mkdir()
    daemon = faulty(read, False)
    words = ("db", "rescue", str(target / "saved.jsonl"))

    killed = subprocess.run(
        [*daemon.command()[:2], "--home", str(daemon.home), *words],
        env={**daemon._environment, "ASH_FAULT_PROGRAM": "ash"},
        check=False,
        capture_output=True,
        timeout=120,
    )

    assert -9 == killed.returncode
    assert [] == list(target.iterdir())
    ash(daemon, *words)
    assert ["saved.jsonl"] == [path.name for path in target.iterdir()]
    saved = (target / "saved.jsonl").read_text()
    assert [] == [text for text in FACTS if text not in saved]
