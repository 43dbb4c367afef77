"""The command line that puts bubblewrap around an agent.

Inside, the agent has the system's programs read-only, an empty ``/tmp``, `ash-sb` and its grant's
socket; it has no network, no other process, no file of the daemon and no way to more privileges.
What must hold whoever starts it:

- The grant's *directory* is mounted, read-only: a mounted socket file would be dead after the
  daemon's restart, and in a read-only directory the socket cannot be replaced.
- ``/proc`` is read-only. A process whose user is the host's root may write ``/proc/sys`` without
  any capability, the kernel's core pattern among it: a way out of the sandbox.
- bubblewrap itself starts with an empty environment. It stays as process 1 of the sandbox, whose
  ``/proc/1/environ`` would show the launcher's keys whatever the agent's own environment is.

The caller starts the command without passing further file descriptors (subprocess' default), and
adds what a command line cannot say: the system call filter, the session keyring and the limits of
`confinement`.
"""

import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ashd.launcher.confinement import DEFAULT_LIMITS, Limits

GRANT_DIRECTORY: Final = "/run/ash"
CLIENT: Final = "/opt/ash/bin/ash-sb"
WORKSPACE: Final = "/workspace"

# First, so that nothing that is shown to the agent stands in for `ash-sb`.
_CLIENT_PATH: Final = "/opt/ash/bin"
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_HOSTNAME: Final = "sandbox"
_INSIDE_ID: Final = "1000"
_PROBE_TIMEOUT_S: Final = 10

# Directories of their own in the old layout, links into /usr in the merged one.
_SYSTEM_DIRECTORIES: Final = ("bin", "sbin", "lib", "lib32", "lib64")
# Parts of /etc that Debian's programs need: alternatives such as awk, and the library paths.
_SYSTEM_FILES: Final = ("/etc/alternatives", "/etc/ld.so.cache")

_OLD_PYTHON: Final = "the python3 under /usr is too old for ash-sb: 3.11 or newer is needed"
_TRY_PYTHON: Final = f"import sys; sys.version_info >= (3, 11) or sys.exit({_OLD_PYTHON!r})"

_BUBBLEWRAP: Final = ("env", "-i", "bwrap")
_WALLS: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns"),
    *("--uid", _INSIDE_ID, "--gid", _INSIDE_ID, "--hostname", _HOSTNAME),
    *("--cap-drop", "ALL", "--new-session", "--die-with-parent"),
    *("--clearenv", "--setenv", "LANG", "C.UTF-8"),
    *("--setenv", "HOME", "/tmp"),  # noqa: S108 - the sandbox's own /tmp, empty at its start
)
# The root is a file system in memory without a bound, and so is /dev.
_READ_ONLY: Final = ("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/")
# The kernel lists keys of the host's user there.
_HIDDEN_FILES: Final = ("/proc/keys", "/proc/key-users")
_OWN_PATHS: Final = tuple(
    Path(name)
    for name in ("/proc", "/dev", "/tmp", "/opt/ash", GRANT_DIRECTORY, WORKSPACE)  # noqa: S108 - inside
)
_OPEN_PATHS: Final = (Path("/tmp"),)  # noqa: S108 - the same
# Parts of /etc that are needed to resolve names and to trust certificates. The host's private keys
# lie in /etc/ssl and /etc/pki too, and an agent that root starts could read them.
_NETWORK_FILES: Final = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf"),
    *("/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates"),
    *("/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem"),
    "/etc/pki/tls/openssl.cnf",
)


def command(
    *,
    directory: Path,
    client: Path | int,
    argv: Sequence[str],
    workspace: Path | int | None = None,
    read_only: Mapping[Path, Path | int] = MappingProxyType({}),
    network: bool = False,
    proxy: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    seccomp: int | None = None,
    gate: Sequence[str] = (),
) -> list[str]:
    """The arguments that run ``argv`` in a sandbox with the grant of ``directory``.

    Args:
        directory: the grant's directory on the host, mounted read-only at ``/run/ash``.
        client: `ash-sb` as one executable file (``ash-sb.pyz``), on the sandbox's ``PATH``; a
            number is a descriptor to read it from.
        argv: the command to run, looked up in the sandbox.
        workspace: a directory of the host that the agent may change, mounted at ``/workspace``,
            where the command then starts; a number is a descriptor of it, for a bubblewrap that
            has ``--bind-fd``. The caller keeps the daemon's own directories out (`exposure`).
        read_only: files and directories of the host to show, by where; the same holds of them.
        network: whether the host's network is shared, its loopback and abstract sockets included.
        proxy: the port of an HTTP proxy on the sandbox's own loopback.
        limits: of these, what ``/tmp`` and ``/dev/shm`` may hold.
        seccomp: a descriptor to read the system call filter from.
        gate: options that hold the command back (`file_bound`).
    """
    start = "/tmp" if workspace is None else WORKSPACE  # noqa: S108 - the sandbox's own
    return [
        *_BUBBLEWRAP,
        *_WALLS,
        *(("--seccomp", str(seccomp)) if seccomp is not None else ()),
        *gate,
        *(("--share-net",) if network else ()),
        *("--setenv", "PATH", ":".join([_CLIENT_PATH, *_programs(read_only), _PATH])),
        *_system_mounts(limits),
        *(_network_files() if network or proxy else ()),
        *(_proxy_variables(proxy) if proxy else ()),
        *_client_mount(client),
        *("--ro-bind", str(directory), GRANT_DIRECTORY),
        *(word for path, source in read_only.items() for word in _mount("--ro-bind", source, path)),
        *(_mount("--bind", workspace, Path(WORKSPACE)) if workspace is not None else ()),
        *_READ_ONLY,
        *("--chdir", start, "--", *argv),
    ]


def probe() -> str | None:
    """Return why no sandbox can be opened on this machine, with the remedy; None if one can."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed: install the package bubblewrap (0.8 or later)"
    test = ("python3", "-I", "-S", "-c", _TRY_PYTHON)
    mounts = (*_system_mounts(DEFAULT_LIMITS), *_READ_ONLY)
    try:
        done = subprocess.run(
            [*_BUBBLEWRAP, *_WALLS, *mounts, "--", *test],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not run here: {error}"
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()
    return _explain(said[-1] if said else f"exit status {done.returncode}")


def _explain(said: str) -> str:
    """Return a remedy for bubblewrap's error."""
    if "Unknown option" in said:
        return f"bubblewrap is too old, 0.8 is needed ({said})"
    if said == _OLD_PYTHON:
        return said
    if "execvp python3" in said:
        return "no python3 under /usr, and the sandbox has nothing else: install python3"
    if "namespace" in said or "Operation not permitted" in said or "Permission denied" in said:
        return f"the kernel refuses a sandbox: allow user namespaces on this machine ({said})"
    return f"bubblewrap does not run here: {said}"


def hides(path: Path) -> bool:
    """Return whether a path, mounted in place, would cover a part of the sandbox or be covered."""
    return any(own.is_relative_to(path) for own in _OWN_PATHS) or any(
        path.is_relative_to(own) for own in _OWN_PATHS if own not in _OPEN_PATHS
    )


def _programs(read_only: Iterable[Path]) -> list[str]:
    """Return the directories of programs among those that are shown, for the sandbox's ``PATH``."""
    folders = (path if path.name == "bin" else path / "bin" for path in read_only)
    return [str(folder) for folder in folders if folder.is_dir()]


def _client_mount(client: Path | int) -> list[str]:
    if isinstance(client, int):
        return ["--perms", "0555", "--ro-bind-data", str(client), CLIENT]
    return ["--ro-bind", str(client), CLIENT]


def _mount(option: str, source: Path | int, target: Path) -> list[str]:
    return [f"{option}-fd" if isinstance(source, int) else option, str(source), str(target)]


def _proxy_variables(port: int) -> list[str]:
    """Return the environment variables that name the proxy; node needs one more to use it."""
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    url = f"http://127.0.0.1:{port}"
    words = [word for name in names for word in ("--setenv", name, url)]
    return [*words, "--setenv", "NODE_USE_ENV_PROXY", "1"]


def _network_files() -> list[str]:
    return [word for name in _NETWORK_FILES for word in ("--ro-bind-try", name, name)]


def _system_mounts(limits: Limits) -> list[str]:
    """Return the mounts of the root: the system's programs, fresh /proc, /dev and /tmp."""
    mounts = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM_DIRECTORIES:
        path = Path("/", name)
        if path.is_symlink():
            mounts += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            mounts += ["--ro-bind", str(path), str(path)]
    for name in _SYSTEM_FILES:
        mounts += ["--ro-bind-try", name, name]
    mounts += ["--proc", "/proc"]
    for name in _HIDDEN_FILES:
        if Path(name).exists():
            mounts += ["--ro-bind", "/dev/null", name]
    return [
        *mounts,
        *("--dev", "/dev", "--size", str(limits.shm_bytes), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
        *("--size", str(limits.tmp_bytes), "--tmpfs", "/tmp"),  # noqa: S108 - inside
    ]
