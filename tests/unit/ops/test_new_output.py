"""Files that have no name until they are whole."""

import os
import stat
from pathlib import Path

import pytest

from ashd import errors
from ashd.ops import files

LINE = b"the wubbzolite is in the attic\n"


def _without_unnamed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the file system refuse a file without a name, as FAT does."""
    open_file = os.open

    def refuse(path: str, flags: int, *mode: int) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return open_file(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse)


def test_a_file_has_no_name_until_it_is_whole(tmp_path: Path) -> None:
    """Then it is private, and has every byte."""
    path = tmp_path / "all.jsonl"
    with files.new_output(path) as file:
        file.write(LINE * 9_999)
        file.flush()
        assert [] == list(tmp_path.iterdir())

    assert LINE * 9_999 == path.read_bytes()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_a_failure_leaves_no_file(tmp_path: Path) -> None:
    """A full disk is said to be one."""

    def write(error: BaseException) -> None:
        with files.new_output(tmp_path / "all.jsonl") as file:
            file.write(LINE)
            raise error

    with pytest.raises(errors.StorageError, match="No space left"):
        write(OSError(28, "No space left on device"))
    with pytest.raises(KeyboardInterrupt):
        write(KeyboardInterrupt())

    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("unnamed", [True, False])
def test_a_file_that_was_made_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed: bool
) -> None:
    """It is another's; nothing is left of the new one."""
    if not unnamed:
        _without_unnamed_files(monkeypatch)
    path = tmp_path / "all.jsonl"

    def write() -> None:
        with files.new_output(path) as file:
            file.write(LINE)
            path.write_bytes(b"another's")

    with pytest.raises(errors.InvalidParams, match="exists already"):
        write()

    assert [path] == list(tmp_path.iterdir())
    assert b"another's" == path.read_bytes()


def test_a_file_system_without_unnamed_files_has_a_hidden_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets its name at the end all the same."""
    _without_unnamed_files(monkeypatch)
    path = tmp_path / "all.jsonl"
    with files.new_output(path) as file:
        file.write(LINE)
        assert [files.part_name(path)] == list(tmp_path.iterdir())

    assert [path] == list(tmp_path.iterdir())
    assert LINE == path.read_bytes()


def test_a_folder_that_is_missing_is_said_to_be(tmp_path: Path) -> None:
    """Before anything is written."""
    with (
        pytest.raises(errors.InvalidParams, match="cannot be written"),
        files.new_output(tmp_path / "none" / "all.jsonl"),
    ):
        pytest.fail("a file was made")


def test_a_folder_that_may_not_be_looked_into_hides_no_copy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A receipt names a backup that may still hold what was erased; only a missing one is left out.

    A new file cannot be made there, which is the caller's error.
    """
    path = tmp_path / "all.jsonl"
    assert not files.is_there(path)

    def refuse(_path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    assert files.is_there(path)
    with (
        pytest.raises(errors.InvalidParams, match="Permission denied"),
        files.new_output(path),
    ):
        pass
