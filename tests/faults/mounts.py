"""File systems of a test's own: small ones that fill up, and ones that nobody can write to."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: str) -> None:
    try:
        done = subprocess.run(
            ["mount", *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if done.returncode:
        pytest.skip(f"this machine lets the test mount nothing: {done.stderr.strip()}")


@contextmanager
def small_disk(place: Path, size: str, *, files: int = 0) -> Iterator[Path]:
    """A file system of that size at `place`, for so many files at most if it is said."""
    place.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size},nr_inodes={files}", "tmpfs", str(place))
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def read_only(place: Path) -> Iterator[Path]:
    """The directory `place` as a disk that cannot be written."""
    _mount("--bind", str(place), str(place))
    try:
        _mount("-o", "remount,bind,ro", str(place))
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Write until nothing more fits; the file that took the space."""
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (65_536, 4_096):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return filler


@contextmanager
def loop_disk(image: Path, place: Path) -> Iterator[Callable[[], None]]:
    """An ext4 file system of its own at `place`; call what it gives to mount it anew."""
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("there is no mkfs.ext4 here")
    place.mkdir()
    image.write_bytes(b"")
    os.truncate(image, 48 * 1024 * 1024)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
    _mount("-o", "loop", str(image), str(place))

    def again() -> None:
        subprocess.run(["umount", str(place)], check=True)
        _mount("-o", "loop", str(image), str(place))

    try:
        yield again
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def abort(place: Path) -> None:
    """Let a file system become read-only as after an error of its disk, with files open on it."""
    _mount("-o", "remount,abort", str(place))
