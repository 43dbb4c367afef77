"""A home of an earlier schema is encrypted, and its upgrade leaves no plain text. Budget: 60 s."""

import lzma
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from daemons import Daemon
from encrypted import encrypt_at_next_start, key_file, needs_ciphers
from rounds import FaultyDaemon, starts
from scanning import left_in
from starts import ash

from ashd.store import encryption

pytestmark = needs_ciphers

Make = Callable[..., Daemon]
FROZEN = Path(__file__).parents[1] / "data" / "schemas" / "0021.db.xz"
ALICE = {"provider": "test", "user_id": "alice"}
FACT = "The spare key hangs behind the clock"
MARKERS = {FACT, "Anna Berg", "Wide ones", "tyres"}
"""Words of memories, of a conversation, and a name."""
KILLS = 5
STEPS = 250
"""Writes, syncs and renames of an upgrade, at least."""


@pytest.fixture
def earlier(new_daemon: Make, tmp_path: Path) -> Daemon:
    """A stopped daemon with an encrypted home of an earlier schema."""
    daemon = new_daemon(tmp_path / "home")
    database = daemon.home / "data" / "ash.db"
    daemon.home.mkdir(exist_ok=True)
    database.parent.mkdir(mode=0o700)
    database.write_bytes(lzma.decompress(FROZEN.read_bytes()))
    assert left_in(daemon.home, MARKERS) == MARKERS, "the scan finds nothing where it should"
    encrypt_at_next_start(daemon, '[embedding]\nprovider = "none"\n')
    ash(daemon, "db", "encrypt", "--no-phrase")
    assert set() == left_in(daemon.home, MARKERS)
    return daemon


def copied(daemon: Daemon, home: Path) -> Path:
    """A copy of a home, whose settings name the same key."""
    return Path(shutil.copytree(daemon.home, home))


def require_upgraded(daemon: Daemon) -> None:
    """Start, and see that everything is there and nothing plain."""
    daemon.start(wait_for="daemon_ready")
    known = [one["content"] for one in daemon.call("memory.list", scope=ALICE)["memories"]]
    assert FACT in known
    assert [] == daemon.call("db.check")["findings"]
    assert set() == left_in(daemon.home, MARKERS)
    daemon.stop()
    backups = list((daemon.home / "data" / "backups").glob("before-schema-21-*.db"))
    assert backups
    assert all(encryption.is_encrypted(backup) for backup in backups)
    assert set() == left_in(daemon.home, MARKERS)


def test_the_backup_before_an_upgrade_is_encrypted(earlier: Daemon) -> None:
    """It can be restored, which brings it to the present schema."""
    require_upgraded(earlier)
    (backup,) = (earlier.home / "data" / "backups").iterdir()

    ash(earlier, "db", "restore", str(backup), "--yes")

    assert set() == left_in(earlier.home, MARKERS)
    require_upgraded(earlier)


def test_a_killed_upgrade_leaves_no_plain_text(
    new_daemon: Make, earlier: Daemon, tmp_path: Path
) -> None:
    """At whichever write, sync or rename of its start; the next start ends it."""
    for step in random.Random("upgrade").sample(range(1, STEPS), KILLS):
        home = copied(earlier, tmp_path / str(step))
        faulty = FaultyDaemon(home, "kill", f"step:{step}", home / "report.txt", armed=False)
        try:
            if starts(faulty):
                faulty.kill()
            assert (home / "report.txt").exists(), step
            assert set() == left_in(home, MARKERS)
        finally:
            faulty.remove()
        require_upgraded(new_daemon(home))


@pytest.mark.parametrize("write", [2, 60, 200])
def test_a_full_disk_at_an_upgrade_leaves_no_plain_text(
    earlier: Daemon, new_daemon: Make, tmp_path: Path, write: int
) -> None:
    """The part of a failing write that reached the disk is encrypted too."""
    report = tmp_path / "report.txt"
    faulty = FaultyDaemon(earlier.home, "short", f"write:{write}", report, armed=False)
    try:
        if starts(faulty):
            faulty.kill()
        assert report.exists()
        assert set() == left_in(earlier.home, MARKERS)
    finally:
        faulty.remove()

    require_upgraded(new_daemon(earlier.home))


@pytest.mark.parametrize("change", ["rekey", "decrypt"])
def test_a_database_of_an_earlier_schema_gets_another_key_or_none(
    earlier: Daemon, change: str
) -> None:
    """Whoever goes back to an older ashd needs no newer one for it."""
    before = key_file(earlier.home).read_text()

    ash(earlier, "db", change, "--no-phrase" if change == "rekey" else "--yes")

    assert (change == "decrypt") == (before == key_file(earlier.home).read_text())
    assert left_in(earlier.home, MARKERS) == (MARKERS if change == "decrypt" else set())
    if change == "decrypt":
        earlier.config('[embedding]\nprovider = "none"\n')
    assert FACT in repr(
        earlier.start(wait_for="daemon_ready").call("memory.list", scope=ALICE)["memories"]
    )
    methods = [one["method"] for one in earlier.call("audit.list", limit=5)["entries"]]
    assert f"db.{change}" in methods
