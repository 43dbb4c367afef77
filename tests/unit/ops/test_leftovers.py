"""Leftovers of a killed or failed change of the key are overwritten, if that loses nothing."""

from pathlib import Path
from typing import BinaryIO

import pytest

from ashd import errors
from ashd.config import Places, Settings
from ashd.ops import encrypting, files

PLAIN = b"SQLite format 3\0" + b"wubbzolite" * 9


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A home with a plain database."""
    database = tmp_path / "ash.db"
    database.write_bytes(PLAIN)
    return Places(tmp_path, tmp_path / "config.toml", database, tmp_path, tmp_path)


def test_a_copy_that_fails_is_overwritten_before_it_is_removed(tmp_path: Path) -> None:
    """With what SQLite has beside it."""
    opened: list[BinaryIO] = []

    def fail() -> None:
        with files.part_of(tmp_path / "ash.db", wiped=True) as part:
            for file in (part, part.with_name(f"{part.name}-wal")):
                file.write_bytes(PLAIN)
                opened.append(file.open("rb"))
            raise errors.StorageError("The disk failed.")

    with pytest.raises(errors.StorageError, match="The disk failed"):
        fail()

    for file in opened:
        with file:
            assert bytes(len(PLAIN)) == file.read()
    assert [] == list(tmp_path.iterdir())


def test_a_start_without_encryption_removes_the_second_name_of_the_database(
    places: Places,
) -> None:
    """A later restore would leave the old file under it."""
    original = places.database.with_name("ash.db.plain")
    original.hardlink_to(places.database)

    encrypting.unlock(Settings(), places)

    assert not original.exists()
    assert PLAIN == places.database.read_bytes()


def test_a_start_without_encryption_overwrites_the_same_and_leaves_another(places: Places) -> None:
    """A file system without links has a copy; another file may be all that is left of something."""
    original = places.database.with_name("ash.db.plain")
    original.write_bytes(PLAIN + b"and more")
    encrypting.unlock(Settings(), places)
    assert original.exists()

    original.write_bytes(PLAIN)
    with original.open("rb") as file:
        encrypting.unlock(Settings(), places)
        assert bytes(len(PLAIN)) == file.read()
    assert not original.exists()


def test_a_file_is_kept_whole_where_there_are_no_links(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a copy would never be recognised as one of the database."""

    def refused(_self: Path, _target: Path) -> None:
        raise OSError

    monkeypatch.setattr(Path, "hardlink_to", refused)
    kept, part = places.database.with_name("kept"), places.database.with_name("part")
    part.write_bytes(b"new")

    files.replace(part, places.database, kept)

    assert (PLAIN, b"new") == (kept.read_bytes(), places.database.read_bytes())
    assert {"ash.db", "kept"} == {path.name for path in places.home.iterdir()}
