"""Files that are deleted under a running daemon are made again, or it ends with a reason."""

import fcntl
import shutil
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Client, Daemon
from starts import ash, failed_start
from waiting import until

from ashd.store.witness import witness_path

Make = Callable[..., Daemon]
Scope = Callable[..., dict[str, Any]]


def test_a_run_directory_that_is_deleted_comes_back(new_daemon: Make, scope: Scope) -> None:
    """The sockets answer again, for their owner only; existing connections go on."""
    daemon, mine = new_daemon().start(), scope()
    with_socket = daemon.call("grant.create", scope=mine)
    with_token = daemon.call("grant.create", scope=mine, token=True)
    connected = daemon.client()
    shutil.rmtree(daemon.run)

    until(lambda: daemon.socket.is_socket() and daemon.socket.stat().st_mode & 0o777 == 0o600)
    until(lambda: [*(daemon.run / "sandbox").glob("*/rpc.sock")])

    assert daemon.run.stat().st_mode & 0o777 == 0o700
    with daemon.client() as client:
        client.call("memory.add", scope=mine, content="The globe is on the shelf")
    found = daemon.call("memory.search", at=with_socket["socket"], query="globe")["results"]
    assert len(found) == 1
    until((daemon.run / "token" / "rpc.sock").is_socket)
    assert connected.call("memory.list", scope=mine)["total"] == 1
    assert until(lambda: any("socket_missing" in line for line in daemon.log))
    until(lambda: any("lock_taken_again" in line for line in daemon.log))
    assert with_token["grant_id"]
    connected.close()
    assert daemon.stop() == 0


def test_a_lock_that_another_took_ends_the_daemon(new_daemon: Make) -> None:
    """The daemon ends before two of them write to one database; the reason is in the log."""
    daemon = new_daemon().start()
    daemon.expect_error("lock_lost")
    lock = daemon.home / "data" / "ash.db.lock"
    lock.unlink()
    with lock.open("a+b") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert daemon.process is not None

        assert daemon.process.wait(120) == 0

    assert until(lambda: any("lock_lost" in line for line in daemon.log))
    daemon.process = None


def _delete(data: Path) -> None:
    (data / "ash.db").unlink()


def _replace(data: Path) -> None:
    (data / "other.db").write_bytes(b"SQLite format 3")
    (data / "other.db").rename(data / "ash.db")


def _move_folder(data: Path) -> None:
    data.rename(data.with_name("moved"))


def _warnings(daemon: Daemon) -> set[str]:
    return {one["name"] for one in daemon.call("system.status")["warnings"]}


def _refused_write(daemon: Daemon, mine: dict[str, Any]) -> CallFailed:
    with pytest.raises(CallFailed) as failed:
        daemon.call("memory.add", scope=mine, content="Gone with the file")
    assert failed.value.kind == "storage_error"
    return failed.value


@pytest.mark.parametrize("harm", [_delete, _replace, _move_folder])
def test_what_a_deleted_database_holds_is_saved(
    new_daemon: Make, scope: Scope, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """Writes are refused, reads go on, and a backup of what is open brings everything back."""
    mine, data = scope(), tmp_path / "home" / "data"
    daemon = new_daemon(home=tmp_path / "home").start()
    texts = {f"Kept in drawer {number}" for number in range(20)}
    for text in texts:
        daemon.call("memory.add", scope=mine, content=text, subjects=["Nora"])
    harm(data)

    error = _refused_write(daemon, mine)

    assert "ash db backup" in error.data["hint"]
    assert daemon.call("memory.search", scope=mine, query="drawer 7")["results"]
    assert daemon.call("memory.list", scope=scope("a stranger to it"))["total"] == 0
    assert until(lambda: "database_missing" in _warnings(daemon))
    found = ash(daemon, *_at(daemon), "doctor", fails=1)
    assert "database_missing" in found.stdout
    assert "Do not stop the daemon before" in found.stdout
    ash(daemon, *_at(daemon), "db", "export", str(daemon.run.parent / "saved.jsonl"))
    ash(daemon, *_at(daemon), "db", "backup", str(daemon.run.parent / "saved.db"))
    assert daemon.stop() == 0
    if harm is _replace:
        (data / "ash.db").unlink()
    data.mkdir(exist_ok=True)
    ash(daemon, "db", "restore", str(daemon.run.parent / "saved.db"), "--yes")
    daemon.start()
    assert texts == {
        one["content"] for one in daemon.call("memory.list", scope=mine, limit=100)["memories"]
    }
    assert not _warnings(daemon) & {"database_missing", "writes_lost"}
    daemon.call("memory.add", scope=mine, content="Stored again")


def test_an_export_of_a_deleted_database_is_imported_into_a_new_one(
    new_daemon: Make, scope: Scope
) -> None:
    """The start says how to begin with an empty database; the import brings everything back."""
    mine = scope()
    daemon = new_daemon().start()
    for number in range(20):
        daemon.call("memory.add", scope=mine, content=f"Kept in drawer {number}")
    _delete(daemon.home / "data")
    daemon.call("db.export", path=str(daemon.run.parent / "saved.jsonl"))
    daemon.stop()
    commits = witness_path(daemon.home / "data" / "ash.db")
    assert str(commits) in failed_start(daemon).stderr
    commits.unlink()

    daemon.start()
    daemon.call("db.import", path=str(daemon.run.parent / "saved.jsonl"))

    assert daemon.call("memory.list", scope=mine)["total"] == 20


def test_a_database_that_comes_back_is_written_again(
    new_daemon: Make, scope: Scope, tmp_path: Path
) -> None:
    """A folder that was moved away and back has lost nothing, and the warning ends."""
    mine = scope()
    daemon = new_daemon(home=tmp_path / "home").start()
    data = daemon.home / "data"
    daemon.call("memory.add", scope=mine, content="Stored before")
    data.rename(data.with_name("moved"))
    _refused_write(daemon, mine)
    until(lambda: "database_missing" in _warnings(daemon))

    data.with_name("moved").rename(data)

    daemon.call("memory.add", scope=mine, content="Stored after")
    assert until(lambda: "database_missing" not in _warnings(daemon))
    daemon.kill()
    daemon.start()
    assert daemon.call("memory.list", scope=mine)["total"] == 2


def test_a_log_that_is_deleted_under_the_daemon_loses_nothing(
    new_daemon: Make, scope: Scope
) -> None:
    """The log's content goes into the database's file, and nothing is acknowledged after it."""
    mine = scope()
    daemon = new_daemon().start()
    for number in range(20):
        daemon.call("memory.add", scope=mine, content=f"Kept in drawer {number}")
    (daemon.home / "data" / "ash.db-wal").unlink()

    assert "Restart" in _refused_write(daemon, mine).data["hint"]

    until(lambda: "log_missing" in _warnings(daemon))
    until(lambda: "log_missing" in {f["name"] for f in daemon.call("db.check")["findings"]})
    daemon.kill()
    daemon.start()
    assert daemon.call("memory.list", scope=mine)["total"] == 20
    assert not _warnings(daemon) & {"log_missing", "writes_lost"}
    daemon.call("memory.add", scope=mine, content="Stored again")


def _at(daemon: Daemon) -> list[str]:
    return ["--socket", str(daemon.socket)]


def test_a_hangup_signal_reloads_the_configuration(new_daemon: Make, scope: Scope) -> None:
    """Limits and the log level change at once; sections that need a restart are named."""
    daemon, mine = new_daemon(), scope()
    daemon.config('[limits]\nwrites_per_minute = 1\n[log]\nlevel = "info"\n')
    daemon.start()
    socket = daemon.call("grant.create", scope=mine)["socket"]
    daemon.call("memory.add", at=socket, content="The first fact of the day")
    daemon.config("[limits]\nwrites_per_minute = 500\n[memory]\nenabled = false\n")
    assert daemon.process is not None

    daemon.process.send_signal(signal.SIGHUP)

    until(lambda: any("settings_reloaded sections=limits" in line for line in daemon.log))
    assert until(lambda: any("restart=memory" in line for line in daemon.log))
    until(lambda: _is_added(daemon, socket, "The second fact of the day"))
    daemon.config("[limits\n")
    daemon.process.send_signal(signal.SIGHUP)
    until(lambda: any("settings_not_reloaded" in line for line in daemon.log))
    assert daemon.call("memory.list", scope=mine)["total"] == 2


def _refused(daemon: Daemon, path: Path, most: int) -> dict[str, Any]:
    """The error of one connection more than there may be; the others answer that number."""
    with ExitStack() as stack:
        for _ in range(most):  # earlier connections may just be closing
            client = stack.enter_context(until(lambda: _connected(daemon, path)))
        assert most == client.call("session.hello")["limits"]["connections"]
        with daemon.client(path) as late, pytest.raises(CallFailed) as refused:
            late.call("session.hello")
        return refused.value.error


def _connected(daemon: Daemon, path: Path) -> Client | None:
    client = daemon.client(path)
    try:
        client.call("session.hello")
    except CallFailed:
        client.close()
        return None
    return client


def test_connections_are_limited_by_settings(new_daemon: Make, scope: Scope) -> None:
    """Those to the control socket and those of a grant; the error names the setting."""
    daemon = new_daemon()
    daemon.config("[limits]\ncontrol_connections = 3\nconnections = 2\n")
    daemon.start()
    grant = Path(daemon.call("grant.create", scope=scope())["socket"])
    daemon.close()

    error = _refused(daemon, daemon.socket, 3)
    assert error["data"]["kind"] == "rate_limited"
    assert "[limits] control_connections" in error["data"]["hint"]
    assert "[limits] connections" in _refused(daemon, grant, 2)["data"]["hint"]

    daemon.config("[limits]\ncontrol_connections = 4\nconnections = 5\n")
    assert until(lambda: _reloaded(daemon)) == ["limits"]
    daemon.close()
    _refused(daemon, daemon.socket, 4)
    _refused(daemon, grant, 5)


def _reloaded(daemon: Daemon) -> Any:
    """The sections that were read again; the places of closed connections become free at once."""
    with suppress(CallFailed):
        return daemon.call("system.reload")["reloaded"]
    return None


def _is_added(daemon: Daemon, socket: str, content: str) -> bool:
    try:
        daemon.call("memory.add", at=socket, content=content)
    except CallFailed:
        return False  # the bucket refills by the new limit: in a second, not in a minute
    return True
