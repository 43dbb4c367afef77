"""Shared parts of the system tests: available tools, and a host with files to hide."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from booted import Machine, NoBoot, booted
from containers import PYTHON, Podman, build, podman_with_base
from sandboxed_host import Host, sandboxed_host

from ashd.launcher import launch

NOBODY = 65534
AS_ROOT = os.geteuid() == 0
REPOSITORY = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs a real system."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.system)


@pytest.fixture(scope="session")
def need() -> Callable[..., None]:
    """Stops a test without its programs: a skip on somebody's machine, a failure in CI."""

    def check(*programs: str) -> None:
        missing = [program for program in programs if shutil.which(program) is None]
        if not missing:
            return
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("ASH_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)

    return check


@pytest.fixture
def sandboxes(need: Callable[..., None]) -> None:
    """Stops a test where the kernel allows no sandbox."""
    need("bwrap", "/usr/bin/python3")
    reason = launch.unsupported()
    if reason is None:
        return
    # The least that the kernel must allow; where that works, the reason is a fault of ours.
    least = ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]
    if subprocess.run(least, capture_output=True, check=False).returncode == 0:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(
    params=[
        pytest.param(None, id="own-user"),
        pytest.param(
            NOBODY,
            id="unprivileged",
            marks=pytest.mark.skipif(not AS_ROOT, reason="the own user is unprivileged already"),
        ),
    ]
)
def launcher(request: pytest.FixtureRequest) -> int | None:
    """The user who starts the sandbox: whoever runs the tests and, under root, nobody too."""
    user: int | None = request.param
    return user


@pytest.fixture
def host() -> Iterator[Host]:
    """A run directory and a home, with a server behind each socket."""
    with sandboxed_host() as host:
        yield host


@pytest.fixture
def client(host: Host) -> Path:
    """`ash-sb` as one file, where a sandbox's user may read it."""
    path = host.top / "ash-sb.pyz"
    subprocess.run([sys.executable, REPOSITORY / "sandbox" / "build_pyz.py", path], check=True)
    return path


@pytest.fixture(scope="session")
def podman(need: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Podman]:
    """podman with the image of the README; a skip where the kernel runs no container."""
    need("podman", "runc", "ldd", str(PYTHON))
    with podman_with_base() as podman:
        # The least that the kernel must allow: a container without any option of ours.
        refused = podman.call("run", "--rm", "--network", "none", "base", "python3", "-c", "")
        if refused is not None:
            pytest.skip(f"this machine runs no container: {refused.strip()}")
        build(podman, tmp_path_factory.mktemp("image"))
        yield podman


@pytest.fixture(scope="session")
def machine(need: Callable[..., None]) -> Iterator[Machine]:
    """A machine that systemd booted, with ashd in /opt/ashd, one for the whole run."""
    need("unshare", "nsenter", "setpriv", "/lib/systemd/systemd", "systemctl", "journalctl")
    if not AS_ROOT:
        pytest.skip("only root can boot a machine of its own")
    named = os.environ.get("ASH_MODELS")
    models = Path(named) if named else REPOSITORY / ".venv" / "models"
    try:
        with booted(models) as machine:
            yield machine
    except NoBoot as refused:
        pytest.skip(f"this machine boots no systemd: {refused}")


@pytest.fixture(scope="session")
def installed(machine: Machine) -> Machine:
    """The machine, on which the system service is installed."""
    machine.run("ashd", "install", "--system")
    return machine


@pytest.fixture
def service(installed: Machine) -> Machine:
    """The machine with the system service, running."""
    installed.systemctl("reset-failed")  # starts of the tests before do not count
    installed.systemctl("start", "ashd.socket", "ashd.service")
    return installed
