"""Encrypted exports: age files, which `db.import` takes back. Budget: 15 s."""

import io
import os
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyrage
import pytest
from daemons import CallFailed, Daemon

from ashd import errors
from ashd.ops.transfer import encrypted_file, piped

ALICE = {"provider": "test", "user_id": "alice"}
BLOCK = 64 * 1024
MARKER = "wubbzolite"
FACTS = [f"The {MARKER} {number} is in box {number * 7}" for number in range(30)]


@pytest.fixture
def daemon(new_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon with a few facts."""
    daemon = new_daemon().start()
    daemon.call("memory.add", scope=ALICE, facts=[{"content": text} for text in FACTS])
    return daemon


def ash(daemon: Daemon, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`ash` on the running daemon."""
    return daemon.ash("--socket", str(daemon.socket), *arguments)


def test_an_encrypted_export_comes_in_again_with_its_key(
    daemon: Daemon, new_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """The key file is made, for its owner alone; the file has nothing to read without it."""
    file, key = tmp_path / "all.age", tmp_path / "export.key"
    done = ash(daemon, "db", "export", str(file), "--encrypt", str(key))
    assert done.returncode == 0, done.stderr
    assert "encrypted" in done.stderr
    assert MARKER.encode() not in file.read_bytes()
    assert 0o600 == stat.S_IMODE(key.stat().st_mode)
    identity = pyrage.x25519.Identity.from_str(key.read_text().split()[-1])
    assert MARKER.encode() in pyrage.decrypt(file.read_bytes(), [identity])

    other = new_daemon(tmp_path / "other").start()
    tried = ash(other, "db", "import", str(file), "--key", str(key), "--dry-run", "--json")
    taken = ash(other, "db", "import", str(file), "--key", str(key))

    assert tried.returncode == 0, tried.stderr
    assert taken.returncode == 0, taken.stderr
    found = other.call("memory.list", scope=ALICE, limit=100)["memories"]
    assert sorted(FACTS) == sorted(one["content"] for one in found)


def test_a_second_export_uses_the_key_that_is_there(daemon: Daemon, tmp_path: Path) -> None:
    """Or another's public key, for which no secret is here."""
    key = tmp_path / "export.key"
    own = encrypted_file.recipient_of(key)
    text = key.read_text()
    assert own in text

    first = ash(daemon, "db", "export", str(tmp_path / "1"), "--encrypt", str(key))
    second = ash(daemon, "db", "export", str(tmp_path / "2"), "--encrypt", own)

    assert [0, 0] == [first.returncode, second.returncode]
    assert text == key.read_text()
    for name in "12":
        with encrypted_file.decrypted(tmp_path / name, str(key)).file as content:
            assert MARKER.encode() in content.read()


def test_a_file_without_its_key_or_changed_is_refused(daemon: Daemon, tmp_path: Path) -> None:
    """Before anything of it is stored."""
    key, other = tmp_path / "key", tmp_path / "other"
    encrypted_file.recipient_of(other)
    file = tmp_path / "all.age"
    daemon.call("db.export", path=str(file), recipient=encrypted_file.recipient_of(key))
    whole = file.read_bytes()

    def refused(**params: str) -> str:
        with pytest.raises(CallFailed) as failed:
            daemon.call("db.import", path=str(file), **params)
        assert failed.value.kind == "invalid_params"
        return f"{failed.value} {failed.value.data['hint']}"

    assert "--key" in refused()
    assert "does not open" in refused(key_file=str(other))
    assert "cannot be read" in refused(key_file=str(tmp_path / "none"))
    assert "holds no key" in refused(key_file=str(file))
    for spoilt in (whole[:-40], whole[:-9] + bytes((whole[-9] ^ 1,)) + whole[-8:]):
        file.write_bytes(spoilt)
        assert "damaged" in refused(key_file=str(key))


def test_a_wrong_recipient_is_refused_and_leaves_no_file(daemon: Daemon, tmp_path: Path) -> None:
    """Neither under the name that was asked for, nor beside it."""
    with pytest.raises(CallFailed, match="no public key"):
        daemon.call("db.export", path=str(tmp_path / "all.age"), recipient="age1nonsense")
    done = ash(daemon, "db", "export", str(tmp_path / "all.age"), "--encrypt", "/proc/none/key")

    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert [] == list(tmp_path.glob("*all.age*"))


def test_a_failure_while_lines_are_read_is_passed_on(tmp_path: Path) -> None:
    """The library would hide it."""

    def lines() -> Iterator[bytes]:
        yield b"one\n"
        raise errors.StorageError("The disk failed.")

    with (tmp_path / "file").open("wb") as file, pytest.raises(errors.StorageError):
        encrypted_file.write(file, lines(), encrypted_file.recipient_of(tmp_path / "key"))


def test_lines_longer_than_a_block_are_written_whole(tmp_path: Path) -> None:
    """Lines of any size come back as they were."""
    texts = [b"a" * 200_000 + b"\n", b"\n", b"b" * 7]
    with (tmp_path / "file").open("wb") as file:
        encrypted_file.write(file, texts, encrypted_file.recipient_of(tmp_path / "key"))

    content = encrypted_file.decrypted(tmp_path / "file", str(tmp_path / "key"))
    with content.file:
        assert b"".join(texts) == content.file.read()
        assert content.size == content.file.tell() == sum(map(len, texts))


def _encrypted(folder: Path, size: int) -> encrypted_file.Content:
    """The content of a file of so many bytes, which is not read yet."""
    with (folder / "file").open("wb") as file:
        blocks = (bytes((number % 251,)) * BLOCK for number in range(size // BLOCK))
        encrypted_file.write(file, blocks, encrypted_file.recipient_of(folder / "key"))
    return encrypted_file.decrypted(folder / "file", str(folder / "key"))


def test_a_large_file_is_decrypted_as_it_is_read() -> None:
    """A reader that stops holds it up, and ends it by closing."""
    written = 0
    ended = threading.Event()

    def write(file: BinaryIO) -> None:
        nonlocal written
        try:
            for _ in range(100):
                written += file.write(bytes(BLOCK))
        finally:
            ended.set()

    with io.BufferedReader(piped.Piped(write)) as output:
        assert bytes(BLOCK) == output.read(BLOCK)
        assert not ended.is_set()
        assert 10 * BLOCK > written

    assert ended.is_set()


def test_a_file_that_changes_between_its_two_readings_is_refused(tmp_path: Path) -> None:
    """The bytes before the change were verified; nothing comes after them."""
    content = _encrypted(tmp_path, 40 * BLOCK)
    with (tmp_path / "file").open("r+b") as file:
        file.seek(-BLOCK, os.SEEK_END)
        file.write(b"x")

    with content.file, pytest.raises(errors.InvalidParams, match="was changed while"):
        content.file.read()


def test_a_plain_export_says_so(daemon: Daemon, tmp_path: Path) -> None:
    """With the option that makes it another."""
    done = ash(daemon, "db", "export", str(tmp_path / "all"))

    assert "plain" in done.stderr
    assert "--encrypt" in done.stderr
