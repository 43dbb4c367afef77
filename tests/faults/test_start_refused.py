"""A refused start: one line says why and what to do; nothing is damaged. Budget: 20 s."""

import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from daemons import Daemon
from encrypted import needs_plain_pages
from mounts import read_only
from rows import opened
from starts import failed_start

from ashd import config, errors
from ashd.store import migrations

Make = Callable[..., Daemon]


def _refused(daemon: Daemon) -> str:
    """Return the reason for a refused start: one line on standard error, exit status 1."""
    done = failed_start(daemon)
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("ashd cannot start: ")]
    return line.removeprefix("ashd cannot start: ")


# Another daemon -----------------------------------------------------------------------------------


def test_a_second_daemon_on_a_home_is_refused(new_daemon: Make) -> None:
    """The error has the holder's pid; the first goes on, and its end frees the home."""
    first = new_daemon().start()
    second = new_daemon(home=first.home)
    assert first.process is not None

    reason = _refused(second)

    assert f"pid {first.process.pid}" in reason
    assert str(first.home) in reason
    assert first.call("session.hello")["server"] == "ashd"
    first.stop()
    assert second.start(wait_for="daemon_ready").call("session.hello")


@pytest.mark.sqlite_file
@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_second_daemon_on_a_linked_database_is_refused(
    new_daemon: Make, link: Callable[[Path, Path], None]
) -> None:
    """The lock file of its own home says nothing; also if the first daemon made the database."""
    first, second = new_daemon().start(), new_daemon()
    link(_database(second), _database(first))

    assert f"{_database(second).resolve()} under another name" in _refused(second)
    done = second.ash("db", "restore", str(_database(first)), "--yes")
    assert "under another name" in done.stderr
    first.stop()
    assert second.start(wait_for="daemon_ready").call("session.hello")


def test_a_second_daemon_on_a_run_directory_is_refused(new_daemon: Make) -> None:
    """A daemon with another home would take the sockets away."""
    first = new_daemon().start()
    second = new_daemon()
    second.run = first.run
    assert first.process is not None

    assert f"pid {first.process.pid}" in _refused(second)
    assert first.call("session.hello")["server"] == "ashd"


def test_a_daemon_that_was_killed_holds_nothing(new_daemon: Make) -> None:
    """The stale lock file and sockets are taken over by the next start."""
    daemon = new_daemon().start()
    daemon.kill()
    assert daemon.socket.is_socket()
    assert (daemon.home / "data" / "ash.db.lock").read_text().isdigit()

    daemon.start(wait_for="daemon_ready")

    assert daemon.call("session.hello")["server"] == "ashd"


# The database -------------------------------------------------------------------------------------


def _database(daemon: Daemon) -> Path:
    path = daemon.home / "data" / "ash.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_a_newer_database_is_refused_and_left_alone(new_daemon: Make) -> None:
    """An older daemon would damage it."""
    daemon = new_daemon().start()
    daemon.stop()
    path = _database(daemon)
    with opened(daemon.home) as connection:
        connection.execute("pragma user_version = 9999")
    before = path.read_bytes()

    reason = _refused(daemon)

    assert "9999" in reason
    assert "newer" in reason
    newest = migrations.schema_files()[-1][0]
    backup = path.parent / "backups" / f"before-schema-{newest}-….db"
    assert f"`ash --home {daemon.home} db restore {backup}`" in reason
    assert path.read_bytes() == before


@needs_plain_pages
def test_another_programs_database_is_refused_and_left_alone(new_daemon: Make) -> None:
    """The file's bytes and mode are unchanged."""
    daemon = new_daemon()
    path = _database(daemon)
    connection = sqlite3.connect(path)
    connection.execute("create table photos (id integer primary key, name text)")
    connection.execute("insert into photos (name) values ('beach')")
    connection.commit()
    connection.close()
    path.chmod(0o644)
    before = path.read_bytes(), path.stat().st_mode

    reason = _refused(daemon)

    assert "another program" in reason
    assert (path.read_bytes(), path.stat().st_mode) == before
    assert {entry.name for entry in path.parent.iterdir()} <= {"ash.db", "ash.db.lock"}


@pytest.mark.parametrize(
    "content", [b"hello world " * 1_000, b"SQLite format 3\0" + b"\xff" * 9_000]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    new_daemon: Make, content: bytes
) -> None:
    """The reason names the file."""
    daemon = new_daemon()
    path = _database(daemon)
    path.write_bytes(content)

    assert str(path) in _refused(daemon)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_database(new_daemon: Make) -> None:
    """An empty file, as `touch` or a failed copy leaves it, becomes a database."""
    daemon = new_daemon()
    _database(daemon).touch()

    daemon.start(wait_for="daemon_ready")

    assert daemon.call("memory.add", content="It works")["memories"][0]["outcome"] == "added"


def test_a_directory_in_the_place_of_the_database_is_refused(new_daemon: Make) -> None:
    """The reason names it."""
    daemon = new_daemon()
    _database(daemon).mkdir()

    assert str(daemon.home / "data" / "ash.db") in _refused(daemon)


# The configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('[embedding]\nprovider = "magic"', ["embedding.provider", "magic", "wordllama", "none"]),
        ("[embedding]\nprovider = 5", ["embedding.provider", "5", "wordllama"]),
        ("[embedding]\nbase_url = true", ["embedding.base_url", "True"]),
        ('[log]\nlevel = "loud"', ["log.level", "loud", "debug", "error"]),
        ('[log]\ncolour = "red"', ["[log]", "colour", "level"]),
        ("[storage]\npath = 7", ["storage.path", "7"]),
        ('[cellar]\nwine = "red"', ["cellar", "storage", "embedding", "log"]),
        ('storage = "here"', ["storage", "here"]),
        ("[storage\npath = 1", ["TOML", "line 1"]),
        ('[log]\nlevel = "info"\nlevel = "debug"', ["TOML"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_configuration_says_what_to_mend(
    tmp_path: Path, text: str, parts: list[str]
) -> None:
    """The error has the file, the key, the value and the allowed values."""
    file = tmp_path / "config.toml"
    file.write_text(text)

    with pytest.raises(errors.StartError) as caught:
        config.load(file, required=False)

    for part in [str(file), *parts]:
        assert part in str(caught.value)


def test_a_broken_configuration_stops_the_start(new_daemon: Make) -> None:
    """The start stops before any file is made."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "magic"')
    reason = _refused(daemon)
    assert str(daemon.home / "config.toml") in reason
    assert "magic" in reason
    assert not (daemon.home / "data").exists()

    daemon.config('[storage]\ngroup = "no-such-group-here"')
    assert "no-such-group-here" in _refused(daemon)


def test_a_configuration_that_is_no_text_is_refused(new_daemon: Make) -> None:
    """A configuration file that is not text or cannot be read is refused."""
    daemon = new_daemon()
    daemon.config("")
    file = daemon.home / "config.toml"
    file.write_bytes(b"\xff\xfe[log]")
    assert str(file) in _refused(daemon)

    file.unlink()
    file.mkdir()
    assert str(file) in _refused(daemon)


# Places -------------------------------------------------------------------------------------------


def test_a_home_that_is_a_file_is_refused(new_daemon: Make) -> None:
    """The reason names it."""
    daemon = new_daemon()
    shutil.rmtree(daemon.home, ignore_errors=True)
    daemon.home.write_text("a file")

    assert str(daemon.home) in _refused(daemon)


def test_a_home_below_a_file_is_refused(new_daemon: Make, tmp_path: Path) -> None:
    """The same one level up."""
    (tmp_path / "file").write_text("a file")

    assert str(tmp_path / "file") in _refused(new_daemon(home=tmp_path / "file" / "home"))


@pytest.mark.parametrize("exists", [False, True], ids=["new", "used before"])
def test_a_read_only_home_is_refused(new_daemon: Make, tmp_path: Path, *, exists: bool) -> None:
    """The home is refused with and without a database in it."""
    home = tmp_path / "home"
    home.mkdir()
    daemon = new_daemon(home=home)
    if exists:
        daemon.start(wait_for="daemon_ready")
        daemon.stop()

    with read_only(home):
        reason = _refused(daemon)

    assert str(home) in reason
    assert any(word in reason for word in ("Read-only", "cannot be written", "writing"))


def test_a_run_directory_with_too_long_a_path_is_refused(new_daemon: Make) -> None:
    """The system's limit of a socket's path is named; one byte less would do."""
    daemon = new_daemon()
    short = daemon.run.parent
    socket_below = len("/sandbox/g123456789/rpc.sock")
    longest = 107 - socket_below - len(str(short)) - 1

    daemon.run = short / ("r" * (longest + 1))
    assert "107" in _refused(daemon)

    daemon.run = short / ("r" * longest)
    daemon.socket = daemon.run / "ashd.sock"
    daemon.start(wait_for="daemon_ready")
    made = daemon.call("grant.create", scope={"provider": "test", "user_id": "u"})
    assert daemon.call("session.hello", at=made["socket"])["grant_id"] == made["grant_id"]


def test_a_missing_run_directory_is_made(new_daemon: Make) -> None:
    """The run directory is made with its parents, for its owner only."""
    daemon = new_daemon()
    daemon.run = daemon.run / "deep" / "down"
    daemon.socket = daemon.run / "ashd.sock"

    daemon.start(wait_for="daemon_ready")

    assert daemon.call("session.hello")["server"] == "ashd"
    assert daemon.run.stat().st_mode & 0o777 == 0o700


def test_a_run_directory_that_vanished_is_made_again(new_daemon: Make) -> None:
    """A grant needs it while the daemon runs, after somebody deleted it."""
    daemon = new_daemon().start()
    daemon.call("session.hello")
    shutil.rmtree(daemon.run)

    made = daemon.call("grant.create", scope={"provider": "test", "user_id": "u"})

    assert daemon.call("session.hello", at=made["socket"])["grant_id"] == made["grant_id"]


def test_a_stale_socket_is_replaced(new_daemon: Make) -> None:
    """A socket file that nobody listens on is what a killed daemon leaves."""
    daemon = new_daemon()
    daemon.run.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(daemon.socket))

    daemon.start(wait_for="daemon_ready")

    assert daemon.call("session.hello")["server"] == "ashd"


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_something_else_in_the_sockets_place_is_refused_and_kept(
    new_daemon: Make, kind: str
) -> None:
    """The daemon does not remove a file that is not its own."""
    daemon = new_daemon()
    daemon.run.mkdir(parents=True)
    if kind == "file":
        daemon.socket.write_text("keep me")
    else:
        daemon.socket.mkdir()

    assert str(daemon.socket) in _refused(daemon)
    assert daemon.socket.exists()


# Places -------------------------------------------------------------------------------------------


def test_a_run_directory_with_files_of_others_is_not_closed_to_them(new_daemon: Make) -> None:
    """Such as /tmp or /run, which everybody needs."""
    daemon = new_daemon()
    daemon.run.mkdir(parents=True)
    daemon.run.chmod(0o1777)
    (daemon.run / "other.pid").touch()

    reason = _refused(daemon)

    assert "--run-dir" in reason
    assert 0o1777 == daemon.run.stat().st_mode & 0o7777
    (daemon.run / "other.pid").unlink()
    daemon.start(wait_for="daemon_ready")
    assert 0o700 == daemon.run.stat().st_mode & 0o7777


def test_a_home_that_depends_on_the_working_directory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start elsewhere would begin with an empty database, as if everything were lost."""
    monkeypatch.setenv("ASH_HOME", "~nobody-of-this-name/ash")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.StartError, match="HOME"):
        config.home(None)

    storage = config.Settings(storage=config.Storage(path="data/ash.db"))
    with pytest.raises(errors.StartError, match=r"storage\.path"):
        config.places(storage, *([tmp_path] * 4))


def test_a_home_that_sqlite_cannot_name_is_refused(tmp_path: Path) -> None:
    """A path of Linux is bytes, and one of SQLite is UTF-8."""
    with pytest.raises(errors.StartError, match="UTF-8"):
        config.home(tmp_path / "h\udcff")


def test_the_working_directory_may_be_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole path does not depend on it."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert tmp_path / "home" == config.home(tmp_path / "home")


def test_sockets_are_made_in_no_runtime_directory_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `su`, root would make there what the user's own daemon cannot enter."""
    for name in ("ASH_RUN_DIR", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert tmp_path / "ash" == config.run_dir(None, tmp_path / "home")

    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert tmp_path / "home" / "run" == config.run_dir(None, tmp_path / "home")
    monkeypatch.undo()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "gone"))
    assert tmp_path / "home" / "run" == config.run_dir(None, tmp_path / "home")
