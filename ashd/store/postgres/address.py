"""The address of the server: what an operator configures, as libpq reads it."""

import ipaddress
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo

from ashd import errors

_DEFAULTS: Final = {
    "application_name": "ashd",
    "connect_timeout": "10",
    # A server that is gone without a word is noticed in half a minute.
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}

_TAKES_WRITES: Final = frozenset({"read-write", "primary"})
"""The values of `target_session_attrs` that a standby does not meet."""


def conninfo(url: str, password_file: Path | None) -> str:
    """Return the parameters of a connection; over a network it is encrypted and verified.

    Raises:
        errors.StartError: the URL is wrong, or the file cannot be read.
    """
    try:
        given: dict[str, Any] = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise errors.StartError(
            "[storage] url cannot be read. It is like postgresql://USER@HOST:5432/DATABASE."
        ) from None
    if "password" in given:
        raise errors.StartError(
            "[storage] url holds a password, which others could see. Take it out, and name a file"
            " of mode 0600 that holds it in password_file, or use PGPASSFILE."
        )
    if password_file is not None:
        given["password"] = _password(password_file)
    # A standby is behind: what was revoked is still in force there.
    if given.setdefault("target_session_attrs", "read-write") not in _TAKES_WRITES:
        raise errors.StartError(
            "[storage] url asks for a server that need not take writes. Take target_session_attrs"
            " out of it: ashd finds the one that does among the hosts."
        )
    over_network = _is_over_network(given)
    if over_network and "sslmode" not in given:
        given["sslmode"] = "verify-full"
        given.setdefault("sslrootcert", "system")
    return make_conninfo("", **{**_DEFAULTS, **given})


def _is_over_network(given: dict[str, Any]) -> bool:
    """Return whether any of the hosts is another machine; libpq takes some from the environment."""
    environment = {one.keyword.decode(): one.val for one in Conninfo.get_defaults()}
    if given.get("service") or environment.get("service"):
        return True  # a file says where it is
    for name in ("hostaddr", "host"):
        hosts = given.get(name) or (environment.get(name) or b"").decode()
        if hosts:
            return any(not _is_local(host) for host in str(hosts).split(","))
    return False


def _is_local(host: str) -> bool:
    """Return whether a host is a socket's folder or this machine."""
    if host in {"", "localhost"} or host.startswith(("/", "@")):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _password(path: Path) -> str:
    try:
        if path.stat().st_mode & 0o077:
            raise errors.StartError(
                f"{path} may be read by others. Run `chmod 600 {path}` and start again."
            )
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise errors.StartError(
            f"{path}, the password's file, cannot be read ({error.strerror})."
        ) from error
