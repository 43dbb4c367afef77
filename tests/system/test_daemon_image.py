"""The daemon's image, built and run as docs/install.md and the compose file say. Budget: 150 s."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from containers import PYTHON, Podman
from daemon_image import (
    HOME,
    IMAGE,
    INSTALL,
    PIP,
    RUN,
    USER,
    build,
    documented,
    options,
    own_services,
)
from postgres_server import needed
from waiting import until

ASK = """
import sys, urllib.request
key, body = sys.argv[1:]
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
request = urllib.request.Request("http://127.0.0.1:1337/rpc", body.encode(), headers)
print(urllib.request.urlopen(request).read().decode())
"""


class Container:
    """A container that runs."""

    def __init__(self, podman: Podman, name: str) -> None:
        self._podman = podman
        self.name = name

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program in it."""
        return subprocess.run(
            self._podman.command(["exec", self.name, *command]),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def output(self, *command: str) -> str:
        """The output of a program in it, which succeeds."""
        done = self.run(*command)
        assert done.returncode == 0, done.stderr + self.log()
        return done.stdout

    def log(self) -> str:
        """The errors of its first process."""
        command = self._podman.command(["logs", self.name])
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr

    def inspect(self) -> dict[str, Any]:
        """Its description."""
        command = self._podman.command(["inspect", self.name])
        [found] = json.loads(subprocess.check_output(command, text=True))
        return dict(found)

    def ready(self, check: list[str]) -> "Container":
        """Wait until its health check succeeds."""

        def is_ready() -> bool:
            assert self.inspect()["State"]["Running"], self.log()
            return self.run(*check).returncode == 0

        until(is_ready)
        return self


@pytest.fixture(scope="module")
def image(
    podman: Podman, need: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> Podman:
    """podman with the daemon's image."""
    need(INSTALL, f"/usr/bin/{PYTHON.name}")
    if not any(PIP.glob("pip-*.whl")):
        reason = "not installed: Debian's python3-venv"
        pytest.fail(reason) if os.environ.get("ASH_CI") == "1" else pytest.skip(reason)
    build(podman, tmp_path_factory.mktemp("daemon"))
    return podman


@pytest.fixture
def start(image: Podman) -> Iterator[Callable[..., Container]]:
    """Starts containers, which go with the test, as do their volumes."""
    names: list[str] = []

    def run(name: str, *arguments: str) -> Container:
        names.append(name)
        given = ["run", "--detach", "--name", name, *arguments]
        problem = image.call(*given)
        assert problem is None, problem
        return Container(image, name)

    yield run
    for name in reversed(names):
        image.call("rm", "--force", "--volumes", name)
    image.call("volume", "rm", "--all", "--force")


def test_the_container_of_the_page_remembers_over_a_restart(
    image: Podman, start: Callable[..., Container]
) -> None:
    """Its daemon has no network and no privilege; the memory is in the volume."""
    run = documented("run")
    name = run[run.index("--name") + 1]
    arguments = [word for word in run[1:] if word not in {"--detach", "--name", name}]
    without_groups = set_limits(arguments)
    daemon = start(name, *without_groups).ready(["ash", "status"])
    said = documented("exec")[2:]
    assert "My bike is in the cellar" in daemon.output(*said)

    process = daemon.output("python3", "-c", "print(open('/proc/self/status').read())")
    assert f"\nUid:\t{USER}\t{USER}\t{USER}\t{USER}\n" in process
    assert "\nCapEff:\t0000000000000000\n" in process
    interfaces = "import os; print(os.listdir('/sys/class/net'))"
    assert daemon.output("python3", "-c", interfaces) == "['lo']\n"
    assert daemon.run("python3", "-c", "open('/opt/ashd/new', 'w')").returncode != 0

    assert image.call("stop", name) is None
    assert daemon.inspect()["State"]["ExitCode"] == 0, daemon.log()
    assert image.call("rm", name) is None
    again = start(name, *without_groups).ready(["ash", "status"])
    assert "My bike is in the cellar" in again.output("ash", "memory", "search", "bike")


def set_limits(arguments: list[str]) -> list[str]:
    """The options without those that need a control group, which a test machine may not give."""
    kept = list(arguments)
    for name in ("--memory", "--pids-limit"):
        place = kept.index(name)
        del kept[place : place + 2]
    return kept


def test_the_image_has_no_variable_but_its_own_places(image: Podman) -> None:
    """No key or password is in its configuration, and its user is not root."""
    command = image.command(["inspect", IMAGE])
    [found] = json.loads(subprocess.check_output(command, text=True))
    made = found["Config"]
    assert {one.partition("=")[0] for one in made["Env"]} == {"PATH", "ASH_HOME", "ASH_RUN_DIR"}
    assert made["User"] == "ashd"
    assert set(made["Volumes"]) == {HOME, RUN}
    assert found["Healthcheck"]["Test"] == ["CMD", "ash", "status"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to the image's user")
def test_the_services_of_the_compose_file_share_a_database(
    start: Callable[..., Container], tmp_path: Path
) -> None:
    """Each gateway finds what the other stores, through daemons that share the database alone."""
    secret = tmp_path / "database-password"
    secret.touch(0o600)
    os.chown(secret, USER, USER)
    services = own_services()
    with needed() as server:
        server.folder.chmod(0o755)
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("create database ash")
        url = server.url_of("ash").replace(str(server.folder), "/run/postgresql")
        started = {}
        for name, service in services.items():
            volumes = [
                one.replace("database-socket:", f"{server.folder}:", 1)
                for one in service["volumes"]
            ]
            given = options({**service, "volumes": volumes}, tmp_path)
            given.append(f"--env=ASH_STORAGE_URL={url}")
            started[name] = start(name, *given, IMAGE, *service["command"])
        for name, container in started.items():
            container.ready(services[name]["healthcheck"]["test"][1:])
        made = started["gateway-one"].output("ash", "key", "create", "--agent", "notes", "--json")
        key = json.loads(made)["key"]

        stored = ask(started["gateway-one"], key, "memory.add", content="I drink green tea.")
        assert stored["memories"][0]["outcome"] == "added"
        found = ask(started["gateway-two"], key, "memory.search", query="green tea")
        assert [hit["memory"]["content"] for hit in found["results"]] == ["I drink green tea."]
        grants = json.loads(started["daemon-two"].output("ash", "grant", "list", "--json"))
        assert [one["expires_at"] is None for one in grants["grants"]] == [False, False]


def ask(gateway: Container, key: str, method: str, **params: Any) -> Any:
    """A call through the gateway."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.loads(gateway.output("python3", "-c", ASK, key, json.dumps(body)))["result"]
