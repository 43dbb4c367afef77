"""An encrypted home has no plain text, and changes of its key lose nothing. Budget: 90 s."""

import json
import os
import pty
import re
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import encryption_kills
import pytest
from daemons import CallFailed, Daemon
from encrypted import encrypt_at_next_start, key_file, needs_ciphers
from mounts import small_disk
from rounds import FaultyDaemon
from scanning import left_in
from starts import ash, failed_start

from ashd.ops.database_key import File, phrase
from ashd.ops.transfer import encrypted_file
from ashd.store import cipher_package, encryption

Make = Callable[..., Daemon]
ALICE = {"provider": "test", "user_id": "alice"}
MARKERS = ("wubbzolite", "flumgard", "Zyxwvutina")
FACTS = [f"The {MARKERS[0]} is in the attic", f"{MARKERS[2]} sold the {MARKERS[1]}"]
ROUNDS = 6
"""Kills of each change of key; 100 by `python tests/faults/encryption_kills.py --rounds 100`."""


def add(daemon: Daemon, *texts: str) -> None:
    """Store facts of Alice."""
    for text in texts:
        daemon.call("memory.add", scope=ALICE, content=text)


def known(daemon: Daemon) -> list[str]:
    """The facts of Alice, the oldest first."""
    listed = daemon.call("memory.list", scope=ALICE, limit=100)
    return [memory["content"] for memory in listed["memories"]][::-1]


def problems(daemon: Daemon) -> list[str]:
    """The doctor's findings that are no mere notes."""
    found = daemon.call("db.check")["findings"]
    return [one["name"] for one in found if one["severity"] != "note"]


def fill(daemon: Daemon) -> None:
    """Store texts with each marker: in facts, messages, a pinned fact and a person's name."""
    add(daemon, *FACTS)
    messages = [{"content": f"I met {MARKERS[2]} with the {MARKERS[0]}"} for _ in range(30)]
    daemon.call("conversation.ingest", scope=ALICE, conversation_id="c", messages=messages)
    daemon.call("override.add", scope=ALICE, content=f"Never sell the {MARKERS[1]}")
    daemon.call("person.create", scope=ALICE, name=MARKERS[2])


def _fill_until_full(daemon: Daemon) -> None:
    for _ in range(100):
        fill(daemon)


@pytest.fixture
def plain(new_daemon: Make, tmp_path: Path) -> Daemon:
    """A stopped daemon with a plain home, whose settings say that it is to be encrypted."""
    daemon = new_daemon(tmp_path / "home").start()
    fill(daemon)
    assert daemon.stop() == 0
    assert set(MARKERS) == left_in(daemon.home, MARKERS), "the scan finds nothing where it should"
    encrypt_at_next_start(daemon)
    return daemon


@pytest.fixture
def encrypted(plain: Daemon) -> Daemon:
    """The same home, encrypted."""
    ash(plain, "db", "encrypt", "--no-phrase")
    return plain


def contents(home: Path) -> dict[str, bytes]:
    """Every file of a home, but locks and the index of the log."""
    passing = (".lock", ".db-shm")
    files = (path for path in home.rglob("*") if path.is_file() and path.suffix not in passing)
    return {str(path): path.read_bytes() for path in files}


@needs_ciphers
def test_an_encrypted_home_has_no_plain_text(encrypted: Daemon) -> None:
    """Neither while the daemon runs, nor after a stop, nor after a kill; backups neither."""
    daemon = encrypted.start()
    assert FACTS == known(daemon)
    fill(daemon)
    assert daemon.call("memory.search", scope=ALICE, query=MARKERS[0])["results"]
    daemon.call("db.backup")

    assert set() == left_in(daemon.home, MARKERS)
    daemon.kill()
    assert set() == left_in(daemon.home, MARKERS)
    daemon.start()
    assert FACTS == known(daemon)[:2]
    assert [] == problems(daemon)
    daemon.stop()
    assert set() == left_in(daemon.home, MARKERS)
    assert 0o600 == stat.S_IMODE(key_file(daemon.home).stat().st_mode)


@needs_ciphers
def test_a_linked_database_is_encrypted_where_it_is(plain: Daemon, tmp_path: Path) -> None:
    """The link stays, and so does the file's place; nothing plain is left there."""
    link, disk = plain.home / "data" / "ash.db", tmp_path / "disk"
    disk.mkdir()
    link.rename(disk / "ash.db")
    link.symlink_to(os.path.relpath(disk / "ash.db", link.parent))

    ash(plain, "db", "encrypt", "--no-phrase")

    assert disk / "ash.db" == link.resolve()
    assert ["ash.db"] == [path.name for path in disk.iterdir()]
    assert set() == left_in(disk, MARKERS) | left_in(plain.home, MARKERS)
    assert FACTS == known(plain.start())


@needs_ciphers
def test_a_full_disk_leaves_no_plain_text(encrypted: Daemon, tmp_path: Path) -> None:
    """The part of a failing write that reached the disk is encrypted too."""
    report = tmp_path / "report.txt"
    daemon = FaultyDaemon(encrypted.home, "short", "write:40", report, armed=True)
    try:
        daemon.start()
        report.with_suffix(".armed").touch()
        with pytest.raises(CallFailed):
            _fill_until_full(daemon)
        assert set() == left_in(daemon.home, MARKERS)
        daemon.kill()
        assert set() == left_in(daemon.home, MARKERS)
    finally:
        daemon.remove()


@needs_ciphers
def test_a_new_home_is_encrypted_from_its_first_page(new_daemon: Make, tmp_path: Path) -> None:
    """`ash db encrypt` makes the key where there is no database yet."""
    daemon = new_daemon(tmp_path / "home")
    encrypt_at_next_start(daemon)
    assert "There is no key" in failed_start(daemon).stderr
    ash(daemon, "db", "encrypt", "--no-phrase")

    fill(daemon.start())

    daemon.kill()
    assert set() == left_in(daemon.home, MARKERS)


@needs_ciphers
@pytest.mark.parametrize("spoil", ["wrong", "missing", "short", "open"])
def test_a_wrong_or_missing_key_is_one_line_and_changes_nothing(
    encrypted: Daemon, spoil: str
) -> None:
    """For the daemon as for the commands on its files, also with a write-ahead log from a kill."""
    daemon = encrypted.start()
    add(daemon, "The red bicycle is in the shed")
    daemon.kill()
    before = contents(daemon.home)
    file = key_file(daemon.home)
    right = file.read_text()
    if spoil == "missing":
        file.unlink()
    elif spoil == "open":
        file.chmod(0o644)
    else:
        file.write_text("5a" * (32 if spoil == "wrong" else 31))

    refused = failed_start(daemon)
    others = [
        ash(daemon, "doctor", "--offline", fails=1),
        ash(daemon, "db", "rescue", str(daemon.home.parent / "saved"), fails=1),
        ash(daemon, "db", "decrypt", "--yes", fails=1),
    ]
    if spoil == "missing":  # a new key would be of no use
        others.append(ash(daemon, "db", "encrypt", "--no-phrase", fails=1))

    assert 1 == refused.returncode
    assert file.exists() == (spoil != "missing")
    said = {
        "wrong": "does not open",
        "missing": "--phrase",
        "short": "holds no key",
        "open": "chmod",
    }
    for done in (refused, *others):
        assert said[spoil] in done.stderr
        assert "Traceback" not in done.stderr
        assert right.strip() not in done.stderr
    assert 1 == len(refused.stderr.splitlines())
    assert before == contents(daemon.home)
    file.write_text(right)
    file.chmod(0o600)
    daemon.start()
    assert "The red bicycle is in the shed" in known(daemon)


@needs_ciphers
def test_settings_that_do_not_fit_the_database_are_refused(encrypted: Daemon) -> None:
    """A plain database with encryption set, and an encrypted one without."""
    settings = (encrypted.home / "config.toml").read_text()
    encrypted.config("")
    assert "is encrypted. Set" in failed_start(encrypted).stderr
    encrypted.config(settings)
    ash(encrypted, "db", "decrypt", "--yes")

    assert "is not encrypted, but" in failed_start(encrypted).stderr


@needs_ciphers
def test_a_database_is_decrypted(encrypted: Daemon) -> None:
    """Its pages have checksums again."""
    ash(encrypted, "db", "decrypt", "--yes")
    encrypted.config("")

    daemon = encrypted.start()

    assert FACTS == known(daemon)
    assert [] == problems(daemon)
    assert not [line for line in daemon.log if "checksums_added" in line]


@needs_ciphers
def test_an_erasure_leaves_nothing_in_the_decrypted_pages(encrypted: Daemon) -> None:
    """A thief with the key finds nothing either; gaps: tests/unit/store/test_page_gaps.py."""
    daemon = encrypted.start()
    texts = [f"The quixotrope {number} is in box {number * 7}" for number in range(90)]
    for start in range(0, 90, 30):
        facts = [{"content": text} for text in texts[start : start + 30]]
        daemon.call("memory.add", scope=ALICE, facts=facts)
    for memory in daemon.call("memory.list", scope=ALICE, limit=100)["memories"]:
        if memory["content"] in texts:
            daemon.call("memory.erase", scope=ALICE, id=memory["id"])
    assert [] == problems(daemon)
    daemon.stop()

    ash(encrypted, "db", "decrypt", "--yes")  # which copies page by page

    assert {MARKERS[0]} == left_in(encrypted.home, [MARKERS[0], "quixotrope"])


@needs_ciphers
def test_a_database_gets_a_new_key(encrypted: Daemon) -> None:
    """The old one no longer opens it; the audit has each change."""
    old = key_file(encrypted.home).read_text()
    ash(encrypted, "db", "rekey", "--no-phrase")
    new = key_file(encrypted.home).read_text()
    key_file(encrypted.home).write_text(old)
    assert "does not open" in failed_start(encrypted).stderr
    key_file(encrypted.home).write_text(new)

    daemon = encrypted.start()

    assert FACTS == known(daemon)
    methods = [entry["method"] for entry in daemon.call("audit.list", limit=5)["entries"]]
    assert {"db.encrypt", "db.rekey"} <= set(methods)


class OnTerminal:
    """`ash` on the daemon's home, on a terminal of its own."""

    def __init__(self, daemon: Daemon, *arguments: str) -> None:
        self._terminal, inside = pty.openpty()
        self._process = subprocess.Popen(
            daemon.ash_command(*arguments),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=daemon._environment,
        )
        os.close(inside)

    def read(self, pattern: str) -> str:
        """Read until a pattern, or to the end; return all that is new."""
        seen = ""
        with suppress(OSError):  # the end of a terminal
            while not re.search(pattern, seen):
                seen += os.read(self._terminal, 4096).decode()
        return seen

    def is_dumped(self) -> bool:
        """Whether a crash would leave its memory in a file."""
        limits = Path(f"/proc/{self._process.pid}/limits").read_text()
        return not re.search(r"Max core file size +0 +0 ", limits)

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._terminal, f"{text}\n".encode())

    def status(self) -> int:
        """Wait for the end."""
        self.read("never")
        os.close(self._terminal)
        return self._process.wait(60)


def words_in(shown: str) -> list[str]:
    """The words of a recovery phrase that is shown."""
    found = re.findall(r"\b\d+ ([a-z]+)", shown)
    assert 24 == len(found), shown
    return found


@needs_ciphers
def test_the_recovery_phrase_brings_back_a_lost_key(encrypted: Daemon) -> None:
    """It is shown on a terminal, where two of its words have to be typed."""
    backup = encrypted.start().call("db.backup")["path"]
    add(encrypted, "The red bicycle is in the shed")
    encrypted.stop()
    assert "on a terminal only" in ash(encrypted, "db", "rekey", fails=2).stderr
    rekeying = OnTerminal(encrypted, "db", "rekey")
    shown = rekeying.read(r"Type word \d+: ")
    words = words_in(shown)
    rekeying.type("wrong")
    shown = rekeying.read(r"another word\.\s+Type word \d+: ")
    for _ in range(2):
        place = int(re.findall(r"Type word (\d+)", shown)[-1])
        rekeying.type(words[place - 1])
        shown = rekeying.read(rf"Type word (?!{place}:)\d+: |Encrypted anew")
    assert 0 == rekeying.status()
    showing = OnTerminal(encrypted, "db", "key", "show-phrase")
    assert words == words_in(showing.read("never"))
    assert 0 == showing.status()
    key_file(encrypted.home).unlink()

    refused = encrypted.ash("db", "restore", "--phrase", text="one two three")
    other = encrypted.ash("db", "restore", "--phrase", text="abandon " * 23 + "art")
    restoring = OnTerminal(encrypted, "db", "restore", "--phrase")
    restoring.read("Recovery phrase: ")
    assert not restoring.is_dumped()
    restoring.type(" ".join(words))

    assert "no recovery phrase" in refused.stderr
    assert "not of the key" in other.stderr
    shown = restoring.read("in its place again")
    assert words[0] not in shown
    assert 0 == restoring.status()
    assert "The red bicycle is in the shed" in known(encrypted.start())
    methods = [entry["method"] for entry in encrypted.call("audit.list", limit=5)["entries"]]
    assert "db.key.show_phrase" in methods
    encrypted.stop()
    assert "another key" in ash(encrypted, "db", "restore", backup, "--yes", fails=2).stderr


@needs_ciphers
def test_a_backup_of_another_key_is_restored_with_its_phrase(encrypted: Daemon) -> None:
    """The database has the key of now."""
    key = File(key_file(encrypted.home)).load()
    assert key is not None
    backup = encrypted.start().call("db.backup")["path"]
    add(encrypted, "The red bicycle is in the shed")
    encrypted.stop()
    ash(encrypted, "db", "rekey", "--no-phrase")

    text = " ".join(phrase(key))
    done = encrypted.ash("db", "restore", backup, "--phrase", "--yes", text=text)

    assert 0 == done.returncode, done.stderr
    assert FACTS == known(encrypted.start())


@needs_ciphers
def test_a_backup_replaces_a_database_whose_first_page_is_damaged(encrypted: Daemon) -> None:
    """The damage looks as if the database had another key."""
    backup = encrypted.start().call("db.backup")["path"]
    encrypted.stop()
    database = encrypted.home / "data" / "ash.db"
    spoilt = bytearray(database.read_bytes())
    spoilt[300] ^= 1
    database.write_bytes(spoilt)
    original = database.with_name("ash.db.plain")
    original.write_bytes(b"SQLite format 3\0 all that can be read")
    refused = (failed_start(encrypted), ash(encrypted, "db", "encrypt", "--no-phrase", fails=1))
    assert all("its first page is damaged" in one.stderr for one in refused)

    ash(encrypted, "db", "restore", backup, "--yes")

    assert original.read_bytes().endswith(b"all that can be read")
    assert FACTS == known(encrypted.start())


@needs_ciphers
def test_a_command_gives_the_key(encrypted: Daemon) -> None:
    """A new one goes into a file, from which the person puts it where the command reads it."""
    old = key_file(encrypted.home)
    new = old.with_name("new.key")
    command = f'[storage]\nencryption = true\nkey_command = ["cat", "{old}"]\n'
    encrypted.config(command.replace(str(old), str(new)))
    assert "printed no key" in failed_start(encrypted).stderr
    encrypted.config(command)
    showing = OnTerminal(encrypted, "db", "key", "show-phrase")
    words = phrase(encryption.Key(bytes.fromhex(old.read_text())))
    assert words == words_in(showing.read("never"))
    assert 0 == showing.status()
    assert "--no-phrase" not in ash(encrypted, "db", "key", "show-phrase", fails=2).stderr
    assert "--key-file" in ash(encrypted, "db", "rekey", "--no-phrase", fails=2).stderr

    ash(encrypted, "db", "rekey", "--no-phrase", "--key-file", str(new))

    assert "does not open" in failed_start(encrypted).stderr
    new.replace(old)
    assert FACTS == known(encrypted.start())


@needs_ciphers
def test_the_phrase_of_a_given_key_is_shown_at_the_set_up(plain: Daemon) -> None:
    """Also where the person made the key, or systemd keeps it."""
    key_file(plain.home).write_text("5a" * 32)
    key_file(plain.home).chmod(0o600)
    assert "on a terminal only" in ash(plain, "db", "encrypt", fails=2).stderr
    assert encryption.is_plain(plain.home / "data" / "ash.db")
    encrypting = OnTerminal(plain, "db", "encrypt")

    shown = encrypting.read(r"Type word \d+: ")

    assert not encrypting.is_dumped()
    words = words_in(shown)
    assert phrase(encryption.Key(b"\x5a" * 32)) == words
    for _ in range(2):
        place = int(re.findall(r"Type word (\d+)", shown)[-1])
        encrypting.type(words[place - 1])
        shown = encrypting.read(rf"Type word (?!{place}:)\d+: |The key is in")
    assert 0 == encrypting.status()
    assert FACTS == known(plain.start())


@needs_ciphers
def test_the_keyring_keeps_the_key(new_daemon: Make, tmp_path: Path) -> None:
    """Made, changed and put back there; through the real package, with a backend of a file."""
    entries = tmp_path / "keyring.json"
    environment = {
        "PYTHON_KEYRING_BACKEND": "keyring_of_a_file.OfFile",
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "ASH_TEST_KEYRING": str(entries),
    }
    daemon = new_daemon(tmp_path / "home", environment=environment)
    daemon.config("[storage]\nencryption = true\n")
    assert "There is no key" in failed_start(daemon).stderr
    assert "the keyring" in ash(daemon, "db", "encrypt", "--no-phrase").stderr
    add(daemon.start(), *FACTS)
    daemon.stop()
    [first] = json.loads(entries.read_text()).values()

    ash(daemon, "db", "rekey", "--no-phrase")

    [second] = json.loads(entries.read_text()).values()
    assert first != second
    assert FACTS == known(daemon.start())
    daemon.stop()
    entries.unlink()
    assert "no key in the keyring" in failed_start(daemon).stderr
    words = " ".join(phrase(encryption.Key(bytes.fromhex(second))))
    done = daemon.ash("db", "restore", "--phrase", text=words)
    assert 0 == done.returncode, done.stderr
    assert [second] == list(json.loads(entries.read_text()).values())
    assert FACTS == known(daemon.start())


@needs_ciphers
def test_a_keyring_that_fails_is_one_line(encrypted: Daemon, new_daemon: Make) -> None:
    """As on a machine without a desktop."""
    daemon = new_daemon(
        encrypted.home, environment={"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    )
    daemon.config("[storage]\nencryption = true\n")

    refused = failed_start(daemon).stderr

    assert "keyring cannot be used (NoKeyringError)" in refused
    assert 1 == len(refused.splitlines())


@needs_ciphers
def test_a_credential_of_systemd_goes_before_the_settings(
    encrypted: Daemon, new_daemon: Make, tmp_path: Path
) -> None:
    """It is a file of the name `ashd.key`, as 32 bytes or as digits."""
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    key = bytes.fromhex(key_file(encrypted.home).read_text())
    (credentials / "ashd.key").write_bytes(key)
    key_file(encrypted.home).write_text("5a" * 32)

    daemon = new_daemon(
        encrypted.home, environment={"CREDENTIALS_DIRECTORY": str(credentials)}
    ).start()

    assert FACTS == known(daemon)
    process = Path(f"/proc/{daemon.process.pid}")
    shown = "".join(daemon.log) + repr(daemon.call("system.status"))
    shown += repr(daemon.call("audit.list", limit=100))
    shown += (process / "environ").read_text() + (process / "cmdline").read_text()
    assert key.hex() not in shown
    limits = Path(f"/proc/{daemon.process.pid}/limits").read_text()
    assert re.search(r"Max core file size +0 +0 ", limits)


@needs_ciphers
def test_plain_files_of_before_are_named_and_can_be_restored(
    new_daemon: Make, tmp_path: Path
) -> None:
    """A plain backup becomes an encrypted database."""
    daemon = new_daemon(tmp_path / "home").start()
    fill(daemon)
    backup = daemon.call("db.backup")["path"]
    daemon.stop()
    encrypt_at_next_start(daemon)

    done = ash(daemon, "db", "encrypt", "--no-phrase")

    assert backup in done.stdout + done.stderr
    add(daemon.start(), "The red bicycle is in the shed")
    daemon.stop()
    ash(daemon, "db", "restore", backup, "--yes")
    assert FACTS == known(daemon.start())
    daemon.stop()
    assert encryption.is_encrypted(daemon.home / "data" / "ash.db")
    os.unlink(backup)  # noqa: PTH108  a text
    assert set() == left_in(daemon.home, MARKERS)


@needs_ciphers
def test_plain_exports_and_backups_elsewhere_are_named(new_daemon: Make, tmp_path: Path) -> None:
    """As long as they are there, and not encrypted."""
    daemon = new_daemon(tmp_path / "home").start()
    recipient = encrypted_file.recipient_of(tmp_path / "export.key")
    plain, encrypted, gone = (str(tmp_path / name) for name in ("plain", "encrypted", "gone"))
    daemon.call("db.export", path=plain)
    daemon.call("db.export", path=gone)
    daemon.call("db.export", path=encrypted, recipient=recipient)
    backup = daemon.call("db.backup", path=str(tmp_path / "backup.db"))["path"]
    daemon.stop()
    Path(gone).unlink()
    encrypt_at_next_start(daemon)

    done = ash(daemon, "db", "encrypt", "--no-phrase", "--json")

    assert sorted([backup, plain]) == json.loads(done.stdout)["plain_copies"]


@needs_ciphers
def test_a_database_that_another_program_reads_is_left_alone(plain: Daemon) -> None:
    """Its log would be taken for that of the new file, or stay as a plain one."""
    database = plain.home / "data" / "ash.db"
    before = database.read_bytes()
    with closing(sqlite3.connect(database)) as other:
        other.execute("pragma journal_mode = wal")
        other.execute("begin")
        other.execute("select count(*) from sqlite_schema").fetchall()
        refused = ash(plain, "db", "encrypt", "--no-phrase", fails=7)

    assert "Another program" in refused.stderr
    assert encryption.is_plain(database)
    assert before[100:] == database.read_bytes()[100:]
    ash(plain, "db", "encrypt", "--no-phrase")
    assert FACTS == known(plain.start())
    assert set() == left_in(plain.home, MARKERS)


@needs_ciphers
def test_a_disk_without_room_for_the_copy_is_said_before_it_begins(
    new_daemon: Make, tmp_path: Path
) -> None:
    """With what it needs, and what there is."""
    with small_disk(tmp_path / "disk", "12m") as disk:
        daemon = new_daemon(disk / "home").start()
        fill(daemon)
        daemon.stop()
        encrypt_at_next_start(daemon)
        refused = ash(daemon, "db", "encrypt", "--no-phrase", fails=7)

        assert "needs" in refused.stderr
        assert "nothing was changed" in refused.stderr
        assert encryption.is_plain(daemon.home / "data" / "ash.db")
        assert not list((daemon.home / "data").glob(".*"))


@needs_ciphers
def test_next_command_overwrites_plain_files_of_a_killed_change(
    encrypted: Daemon,
) -> None:
    """Not only removed: its bytes would stay on the disk."""
    data = encrypted.home / "data"
    left = [data / name for name in ("ash.db.plain", ".ash.db.part", ".ash.db.part-wal")]
    for path in left:
        path.write_bytes(b"SQLite format 3\0" + MARKERS[0].encode() * 9)

    with ExitStack() as held:
        files = [held.enter_context(path.open("rb")) for path in left]
        ash(encrypted, "doctor", "--offline")

        assert {0} == {byte for file in files for byte in file.read()}
    assert not any(path.exists() for path in left)


@needs_ciphers
def test_a_database_that_is_gone_leaves_its_plain_original(encrypted: Daemon) -> None:
    """It may be the only copy."""
    original = encrypted.home / "data" / "ash.db.plain"
    original.write_bytes(b"SQLite format 3\0 all of it")
    (encrypted.home / "data" / "ash.db").unlink()

    failed_start(encrypted)

    assert original.exists()


@needs_ciphers
def test_a_folder_in_the_place_of_the_key_is_said_to_be_one(encrypted: Daemon) -> None:
    """Its mode is nobody's business."""
    key_file(encrypted.home).unlink()
    key_file(encrypted.home).mkdir()

    assert "is no file" in failed_start(encrypted).stderr


@needs_ciphers
def test_rescued_records_can_be_encrypted(encrypted: Daemon, tmp_path: Path) -> None:
    """As an export can; without that it says that the file is plain."""
    key = tmp_path / "export.key"
    saved = tmp_path / "saved.age"

    done = ash(encrypted, "db", "rescue", str(saved), "--encrypt", str(key))
    plain = ash(encrypted, "db", "rescue", str(tmp_path / "plain"))

    assert "plain" not in done.stderr
    assert "The file is plain" in plain.stderr
    assert MARKERS[0].encode() not in saved.read_bytes()
    with encrypted_file.decrypted(saved, str(key)).file as content:
        assert MARKERS[0].encode() in content.read()


@needs_ciphers
@pytest.mark.parametrize("change", encryption_kills.CHANGES)
def test_a_killed_change_of_the_key_loses_nothing(tmp_path: Path, change: str) -> None:
    """Repeated after a kill at any step, it ends as it should."""
    tally: dict[str, Any] = encryption_kills.run(tmp_path, change, rounds=ROUNDS, seed=1)

    assert [] == tally["wrong"]
    assert ROUNDS == tally["kills"]


@pytest.mark.skipif(cipher_package.is_there(), reason="is about a SQLite without ciphers")
def test_without_ciphers_the_command_that_brings_them_is_named(
    new_daemon: Make, tmp_path: Path
) -> None:
    """By the daemon and by `ash db encrypt`, which changes nothing."""
    daemon = new_daemon(tmp_path / "home").start()
    add(daemon, "I like tea")
    daemon.stop()
    encrypt_at_next_start(daemon)
    before = contents(daemon.home)

    done = ash(daemon, "db", "encrypt", "--no-phrase", fails=1)

    assert cipher_package.command() in done.stderr
    assert before == contents(daemon.home)
    assert not key_file(daemon.home).exists()
    key_file(daemon.home).write_text("5a" * 32)
    key_file(daemon.home).chmod(0o600)
    assert cipher_package.command() in failed_start(daemon).stderr


@needs_ciphers
def test_a_mixture_of_the_packages_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whichever of the two was installed last, files of both are in the folder."""
    both = tmp_path / "apsw-3.54.0.0.dist-info"
    both.mkdir()
    (both / "METADATA").write_text("Metadata-Version: 2.1\nName: apsw\nVersion: 3.54.0.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(Exception, match="Both apsw and apsw-sqlite3mc"):
        cipher_package.require()


def test_a_header_says_whether_a_file_is_plain(tmp_path: Path) -> None:
    """An empty file, or none, is neither plain nor encrypted."""
    file = tmp_path / "a.db"
    assert not encryption.is_plain(file)
    file.touch()
    assert not encryption.is_plain(file)
    assert not encryption.is_encrypted(file)
    file.write_bytes(b"SQLite format 3\0" + bytes(84))
    assert encryption.is_plain(file)
    file.write_bytes(bytes(range(20)) + bytes((64, 64, 32, 32)) + bytes(76))
    assert encryption.is_encrypted(file)


def test_a_key_does_not_show_itself() -> None:
    """In no text of it, and so in no traceback."""
    key = encryption.Key(b"k" * 32)

    assert "6b6b" not in f"{key!r} {key}"
    assert "kkk" not in f"{key!r} {key}"
