"""The count of commits beside a database, by which lost ones are noticed."""

from pathlib import Path

import pytest
from services import FixedClock

from ashd import errors
from ashd.store import opening, witness
from ashd.store.database import Database

pytestmark = pytest.mark.sqlite_file
CODE = "writes_lost"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that a daemon had."""
    found = tmp_path / "ash.db"
    Database.open(found, FixedClock()).close()
    return found


def counted(path: Path) -> tuple[bytes, int]:
    identity, count = witness._FORM.unpack(witness.witness_path(path).read_bytes())
    return identity, count


def count(path: Path, identity: bytes, number: int) -> None:
    witness.witness_path(path).write_bytes(witness._FORM.pack(identity, number))


def warnings(path: Path) -> list[str]:
    """The warnings about lost commits of a daemon that starts."""
    db = Database.open(path, FixedClock())
    try:
        return [one.detail for one in db.health.warnings() if one.name == CODE]
    finally:
        db.close()


async def test_each_commit_is_counted_beside_the_database(path: Path) -> None:
    """The one of the start, too."""
    before = counted(path)
    db = Database.open(path, FixedClock())
    try:
        started = counted(path)
        assert started == (before[0], before[1] + 1)
        assert opening.last_commit(path) == started
        await db.write(lambda tx: tx.run("insert into meta (key, value) values ('x', 1)"))
    finally:
        db.close()
    assert counted(path) == opening.last_commit(path) == (before[0], before[1] + 2)
    assert warnings(path) == []


def test_commits_that_the_database_lacks_are_lost_until_the_warning_is_ended(path: Path) -> None:
    """Starts add to them."""
    identity, number = counted(path)

    count(path, identity, number + 3)
    assert [one.split()[0] for one in warnings(path)] == ["3"]
    assert [one.split()[0] for one in warnings(path)] == ["3"]
    identity, number = counted(path)
    count(path, identity, number + 2)
    assert [one.split()[0] for one in warnings(path)] == ["5"]


@pytest.mark.parametrize("harm", ["of another database", "older", "cut", "gone"])
def test_a_count_that_says_nothing_of_the_database_is_replaced(path: Path, harm: str) -> None:
    identity, number = counted(path)
    file = witness.witness_path(path)
    if harm == "of another database":
        count(path, bytes(len(identity)), number + 9)
    elif harm == "older":
        count(path, identity, number - 1)
    elif harm == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    else:
        file.unlink()

    assert warnings(path) == []
    assert counted(path) == (identity, number + 1)


def test_a_database_that_has_become_empty_is_refused(path: Path) -> None:
    """Unless there is no count beside it."""
    path.unlink()

    with pytest.raises(errors.StartError, match="is empty"):
        Database.open(path, FixedClock())
    witness.witness_path(path).unlink()
    assert warnings(path) == []
