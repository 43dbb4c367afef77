"""File systems of a test's own: small ones that fill up, and ones that nobody can write to."""

import subprocess
from collections.abc import Iterator
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
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system of that size at `place`."""
    place.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place))
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
