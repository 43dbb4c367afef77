"""`ashd install --encrypted` with a `systemd-creds` of the test's own, and without systemd.

A booted systemd with its own `systemd-creds` is in tests/system/test_booted_encryption.py.
"""

import os
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result
from encrypted import needs_ciphers

from ashd.cli import install as command
from ashd.cli.ashd import main
from ashd.clock import SystemClock
from ashd.ops import database_key, encryption_setting, install
from ashd.ops.install import CannotInstall
from ashd.ops.sealed_key import SealedKey
from ashd.store import cipher_package, encryption, migrations
from ashd.store.connection import connect
from ashd.store.encryption import Key
from ashd.store.transaction import Tx

Run = Callable[..., Result]
SEALING = """#!/bin/sh
echo "$*" >>"$0.calls"
env >>"$0.calls"
case $1 in
--version) echo "systemd $(cat "$0.version") (test)" ;;
encrypt) echo sealed; rev ;;
decrypt) shift $(($# - 2)); tail -n +2 "$1" | rev ;;
esac
"""
KEY = Key(bytes(range(32)))


@pytest.fixture(autouse=True)
def _core_dumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves core dumps to what this process starts later: a test of the units makes one."""
    monkeypatch.setattr(database_key, "leave_no_dump", lambda: None)


@pytest.fixture
def creds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `systemd-creds` that only turns the key round, and notes how it was called."""
    program = tmp_path / "bin" / "systemd-creds"
    program.parent.mkdir()
    program.write_text(SEALING)
    program.chmod(0o755)
    program.with_name("systemd-creds.version").write_text("256")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "ASH_HOME", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    return program


@pytest.fixture
def run(creds: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs `ashd` for a person with a new home; a fake manager accepts every command."""
    monkeypatch.setattr(command, "_BOOTED", creds.parent)
    real = subprocess.run

    def manager(words: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        if Path(words[0]).name == "systemctl":
            return subprocess.CompletedProcess(words, int("is-active" in words), "", "")
        return real(words, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(command.subprocess, "run", manager)
    before = encryption._KEYS.own
    yield lambda *words: CliRunner().invoke(main, list(words))
    encryption.use(before)


def sealed_in(home: Path) -> Path:
    """The credential of a person's daemon."""
    return home / ".config" / "credstore.encrypted" / "ashd.key"


def test_a_key_is_sealed_and_had_back_without_showing_it(creds: Path) -> None:
    """It is in no argument and no variable of the program that seals it; the file is private."""
    sealed = SealedKey("user")
    assert sealed.load() is None

    sealed.seal(KEY)

    assert KEY == sealed.load()
    assert 0o600 == sealed.path.stat().st_mode & 0o777
    called = creds.with_name("systemd-creds.calls").read_text()
    assert "encrypt --user --name=ashd.key - -" in called
    assert KEY.secret.hex() not in called


def test_a_key_that_cannot_be_had_back_is_not_left_sealed(creds: Path) -> None:
    """A database that were encrypted with it could never be read again."""
    creds.write_text(SEALING.replace("sealed; rev", "sealed; rev | tr 0-9 1-90"))
    sealed = SealedKey("user")

    with pytest.raises(CannotInstall, match="another key"):
        sealed.seal(KEY)

    assert not sealed.path.exists()


def test_a_failing_program_is_quoted(creds: Path) -> None:
    """With what else can hold the key."""
    creds.write_text("#!/bin/sh\necho no TPM here >&2; exit 1\n")

    with pytest.raises(CannotInstall, match=r"(?s)no TPM here.*key_file"):
        SealedKey("user").seal(KEY)


@pytest.mark.parametrize(
    ("kind", "version", "is_enough"),
    [("system", 249, False), ("system", 250, True), ("user", 255, False), ("user", 256, True)],
)
def test_the_version_of_systemd_is_looked_at(
    creds: Path, kind: install.Kind, version: int, is_enough: bool
) -> None:
    """Sealed credentials for a person's services came later than those for the machine's."""
    creds.with_name("systemd-creds.version").write_text(str(version))
    sealed = SealedKey(kind)

    if is_enough:
        sealed.require_support()
    else:
        with pytest.raises(CannotInstall, match=rf"systemd {version} .*key_file"):
            sealed.require_support()


def test_only_the_service_of_the_machine_gets_a_credential() -> None:
    """A person's manager cannot unseal one before systemd 258: her service runs the command."""
    (drop_in,) = SealedKey("system").drop_ins()

    assert "\nLoadCredentialEncrypted=ashd.key:/etc/credstore.encrypted/ashd.key\n" in drop_in.text
    assert Path("/etc/systemd/system/ashd.service.d/encryption.conf") == drop_in.path
    assert [] == SealedKey("user").drop_ins()


def test_without_the_program_another_place_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has the rest."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(CannotInstall, match=r"no systemd-creds.*docs/encryption\.md"):
        SealedKey("system").require_support()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\n[log]\nlevel = 'info'  # quiet",
        "[storage] # here\ngroup = 'x'\n\n[log]\nlevel = 'info'\n",
        "[log]\nlevel = 'info'\n[ storage ]",
    ],
)
def test_encryption_is_set_in_a_configuration_and_the_rest_stays(text: str) -> None:
    """Comments too."""
    command = ["systemd-creds", 'a "b" \\ é']

    new = encryption_setting.added(text, command)

    assert new is not None
    found = tomllib.loads(new)
    storage = found["storage"]
    assert (True, command) == (storage.pop("encryption"), storage.pop("key_command"))
    before = tomllib.loads(text)
    before.setdefault("storage", {})
    assert before == found
    assert all(line in new.splitlines() for line in text.splitlines())


@pytest.mark.parametrize(
    "text",
    ["[storage]\nencryption = false\n", "storage = { group = 'x' }\n", "storage.group = 'x'\n"],
)
def test_a_configuration_that_would_be_spoilt_is_left(text: str) -> None:
    """A person writes it in."""
    assert encryption_setting.added(text, ["a"]) is None


@pytest.mark.skipif(cipher_package.is_there(), reason="is about a SQLite without ciphers")
def test_the_package_is_asked_for_before_anything_is_changed(run: Run, tmp_path: Path) -> None:
    """By the command that brings it."""
    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert 1 == done.exit_code
    assert cipher_package.command() in done.output
    assert not (tmp_path / ".config").exists()


@needs_ciphers
def test_a_new_home_is_set_up_encrypted(run: Run, tmp_path: Path) -> None:
    """Key and settings; the output names both, and how to go back."""
    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert done.exit_code == 0, done.output
    key = SealedKey("user").load()
    assert key is not None
    settings = tomllib.loads((tmp_path / ".ash" / "config.toml").read_text())["storage"]
    assert {"encryption": True, "key_command": SealedKey("user").command} == settings
    for path in (sealed_in(tmp_path), tmp_path / ".ash" / "config.toml"):
        assert str(path) in done.output
    assert "ash db decrypt" in done.output
    assert key.secret.hex() not in done.output


@needs_ciphers
def test_a_second_time_nothing_changes(run: Run, tmp_path: Path) -> None:
    """Nor without the option: an upgrade keeps the key where the service finds it."""
    run("install", "--user", "--encrypted", "--no-phrase")
    files = [sealed_in(tmp_path), tmp_path / ".ash" / "config.toml"]
    before = [path.read_bytes() for path in files]

    again = run("install", "--user", "--encrypted")
    upgraded = run("install", "--user")

    for done in (again, upgraded):
        assert done.exit_code == 0, done.output
        assert "wrote" not in done.output
        assert " stop " not in done.output
    assert before == [path.read_bytes() for path in files]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A plain database in the home, without a memory."""
    path = tmp_path / ".ash" / "data" / "ash.db"
    path.parent.mkdir(parents=True)
    clock = SystemClock()
    with closing(connect(path, read_only=False)) as connection:
        migrations.migrate(Tx(connection, clock.now(), clock.new_id))
    return path


@needs_ciphers
def test_the_database_that_is_there_is_encrypted(run: Run, database: Path) -> None:
    """While the daemon is stopped; it starts again afterwards."""
    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert done.exit_code == 0, done.output
    assert encryption.is_encrypted(database)
    steps = [done.output.index(word) for word in ("sealed", " stop ", "The key is in", " enable ")]
    assert sorted(steps) == steps


@needs_ciphers
def test_a_disk_without_room_leaves_a_plain_home_that_starts(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its settings are as they were, and its socket is opened again."""
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=0))

    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert 1 == done.exit_code
    assert "nothing was changed" in done.output
    assert encryption.is_plain(database)
    assert not (database.parents[1] / "config.toml").exists()
    assert "start ashd.socket" in done.output.rpartition(" stop ")[2]


@needs_ciphers
def test_a_dry_run_makes_no_key(run: Run, tmp_path: Path) -> None:
    """It says what it would do."""
    done = run("install", "--user", "--encrypted", "--dry-run")

    assert done.exit_code == 0, done.output
    assert f"would make a key, show its recovery phrase, and write {sealed_in(tmp_path)}" in (
        done.output
    )
    assert not (tmp_path / ".config").exists()
    assert not (tmp_path / ".ash").exists()


@needs_ciphers
def test_a_phrase_that_nobody_sees_is_not_shown(run: Run, tmp_path: Path) -> None:
    """Without a terminal, before anything is changed."""
    done = run("install", "--user", "--encrypted")

    assert 2 == done.exit_code
    assert "on a terminal only" in done.output
    assert not (tmp_path / ".config").exists()


@needs_ciphers
def test_a_home_with_a_key_elsewhere_is_left(run: Run, tmp_path: Path) -> None:
    """Its settings say where; a second key would open nothing."""
    (tmp_path / ".ash").mkdir()
    config = tmp_path / ".ash" / "config.toml"
    config.write_text('[storage]\nencryption = true\nkey_file = "/media/stick/key"\n')

    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert 1 == done.exit_code
    assert "a key that is elsewhere" in done.output
    assert not (tmp_path / ".config").exists()


@needs_ciphers
def test_a_database_on_a_server_is_not_for_this(run: Run, tmp_path: Path) -> None:
    """The server's disk is what to encrypt."""
    (tmp_path / ".ash").mkdir()
    config = tmp_path / ".ash" / "config.toml"
    config.write_text('[storage]\nurl = "postgresql://ash@localhost/ash"\n')

    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert 1 == done.exit_code
    assert "encrypt its disk" in done.output
    assert not (tmp_path / ".config").exists()


@needs_ciphers
def test_an_encrypted_database_gets_no_new_key(run: Run, tmp_path: Path) -> None:
    """If the sealed key was lost, its phrase brings the key back."""
    run("install", "--user", "--encrypted", "--no-phrase")
    database = tmp_path / ".ash" / "data" / "ash.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(bytes(range(20)) + bytes((64, 64, 32, 32)) + bytes(4096))
    sealed_in(tmp_path).unlink()

    done = run("install", "--user", "--encrypted", "--no-phrase")

    assert 1 == done.exit_code
    assert "--phrase" in done.output
    assert not sealed_in(tmp_path).exists()


@needs_ciphers
def test_uninstall_leaves_the_key(run: Run, tmp_path: Path) -> None:
    """It is all that opens the memories; the output says where it is."""
    run("install", "--user", "--encrypted", "--no-phrase")
    key = sealed_in(tmp_path).read_bytes()

    done = run("uninstall", "--user")

    assert done.exit_code == 0, done.output
    assert key == sealed_in(tmp_path).read_bytes()
    assert f"key is in {sealed_in(tmp_path)}" in done.output
