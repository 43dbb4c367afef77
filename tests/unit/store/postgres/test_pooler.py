"""PgBouncer between a daemon and its server: sessions may be pooled, transactions may not."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from server_databases import opened, put, stored_names
from waiting import until

from ashd import errors
from ashd.store.postgres.engine import Postgres

PROGRAM = Path("/usr/sbin/pgbouncer")

Pooled = Callable[[str], str]
"""Starts PgBouncer in a mode; returns the address of the database through it."""


@pytest.fixture
def pooled(url: str) -> Iterator[Pooled]:
    """PgBouncer on a socket in a folder of its own."""
    if not PROGRAM.exists() and os.environ.get("ASH_CI") != "1":
        pytest.skip("There is no PgBouncer: install Debian's `pgbouncer`.")
    server = conninfo_to_dict(url)
    with ExitStack() as held:

        def start(mode: str) -> str:
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="ashpgb-")))
            (folder / "users").write_text(f'"{server["user"]}" ""\n')
            (folder / "settings").write_text(
                f"[databases]\n* = host={server['host']}\n[pgbouncer]\nlisten_addr =\n"
                f"unix_socket_dir = {folder}\nauth_type = trust\nauth_file = {folder}/users\n"
                f"pool_mode = {mode}\n"
            )
            owner = Path(str(server["host"])).stat()  # as root it does not run
            for path in (folder, *folder.iterdir()):
                os.chown(path, owner.st_uid, owner.st_gid)
            user = {"user": owner.st_uid, "group": owner.st_gid} if os.getuid() == 0 else {}
            command = [PROGRAM, "--quiet", folder / "settings"]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **user)
            held.callback(process.wait, 60)
            held.callback(process.terminate)
            until(lambda: any(folder.glob(".s.PGSQL.*")))
            [socket] = (path for path in folder.glob(".s.PGSQL.*") if path.is_socket())
            port = socket.name.rpartition(".")[2]
            return make_conninfo(url, host=str(folder), port=port)

        yield start


async def test_pooled_sessions_serve_a_daemon(pooled: Pooled, tmp_path: Path) -> None:
    """Each connection of the daemon has one of the server for as long as it lasts."""
    with opened(pooled("session"), tmp_path) as db:
        await db.write(put("a"))
        assert await db.read(stored_names) == ["a"]


def test_pooled_transactions_are_refused_at_the_start(pooled: Pooled, tmp_path: Path) -> None:
    """A lock that another transaction holds, or nobody, would be no lock; nothing is changed."""
    address = pooled("transaction")

    with pytest.raises(errors.StartError, match="pool_mode = session"), opened(address, tmp_path):
        pass
    with (
        pytest.raises(errors.StartError, match="pool_mode = session"),
        Postgres(address, None, tmp_path / "ash.db").alone(),
    ):
        pass
    with psycopg.connect(address) as connection:
        assert connection.execute("select to_regnamespace('ashd')").fetchone() == (None,)
