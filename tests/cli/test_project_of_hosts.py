"""The project of an agent's host: by MCP and by its hooks. Budget: 20 s."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from scripted_daemon import ash_sb

BIN = Path(sys.executable).parent
Scope = Callable[..., dict[str, Any]]
SHOP = {"id": "example.org/team/shop", "name": "shop"}


def repository(folder: Path, name: str) -> Path:
    """Make a copy of a repository."""
    (folder / ".git").mkdir(parents=True)
    config = f'[remote "origin"]\n\turl = git@example.org:team/{name}.git\n'
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(config)
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository, without a folder of the person's home."""
    return repository(tmp_path / "shop", "shop")


def host(daemon: Daemon, scope: dict[str, Any], *words: str) -> list[str]:
    """The command that a host starts, on behalf of somebody."""
    account = f"{scope['provider']}:{scope['user_id']}"
    return [str(BIN / "ash"), "--socket", str(daemon.socket), "--as", account, *words]


class Relay:
    """An MCP server that a host started in a folder."""

    def __init__(self, command: list[str], folder: Path, **environment: str) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, message: dict[str, Any]) -> None:
        """Send a message of the host."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self._process.stdout is not None
        received: dict[str, Any] = json.loads(self._process.stdout.readline())
        return received

    def remember(self, content: str) -> None:
        """Send a call of `remember`."""
        arguments = {"content": content}
        params = {"name": "remember", "arguments": arguments}
        self.send({"id": 7, "method": "tools/call", "params": params})

    def end(self) -> None:
        """Close its input, and wait until it ends."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(20) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()


def told_in(daemon: Daemon, scope: dict[str, Any]) -> list[Any]:
    """The projects of the memories in a scope, the last first."""
    listed = daemon.call("memory.list", scope=scope)["memories"]
    return [memory["project"] for memory in listed]


def test_the_folder_of_the_host_is_the_project(daemon: Daemon, scope: Scope, shop: Path) -> None:
    """A host without roots works in the folder that it started the server in."""
    mine = scope()
    relay = Relay(host(daemon, mine, "mcp"), shop)
    relay.remember("The tests run with make check")
    assert not relay.receive()["result"]["isError"]
    relay.remember("I prefer tabs")
    assert not relay.receive()["result"]["isError"]
    relay.end()

    assert told_in(daemon, mine) == [None, SHOP]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", {"uri": "ash://pinned"}),
        ("prompts/get", {"name": "about_me"}),
    ],
)
def test_resources_and_prompts_are_of_the_project(
    daemon: Daemon, scope: Scope, shop: Path, tmp_path: Path, method: str, params: dict[str, Any]
) -> None:
    """A fact that is pinned in one project is in no text of another."""
    mine = scope()
    pinned = {"content": "The kraken service listens on port 9999"}
    daemon.call("override.add", scope={**mine, "project": SHOP}, **pinned)
    for folder, knows in ((shop, True), (repository(tmp_path / "blog", "blog"), False)):
        relay = Relay(host(daemon, mine, "mcp"), folder)
        relay.send({"id": 7, "method": method, "params": params})
        received = json.dumps(relay.receive()["result"])
        relay.end()
        assert ("9999" in received) is knows


def test_the_first_root_of_the_host_comes_before_the_folder(
    daemon: Daemon, scope: Scope, shop: Path, tmp_path: Path
) -> None:
    """The host is asked once it is ready; a call that came before its answer waits for that."""
    mine, other = scope(), repository(tmp_path / "a b", "blog")
    relay = Relay(host(daemon, mine, "mcp"), shop)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}
    relay.send({"id": 1, "method": "initialize", "params": opening})
    assert relay.receive()["id"] == 1
    relay.send({"method": "notifications/initialized"})
    asked = relay.receive()
    assert asked["method"] == "roots/list"

    relay.remember("The tests run with make check")
    relay.send({"id": 8, "method": "ping"})
    roots = [{"uri": f"file://{str(other).replace(' ', '%20')}"}]
    relay.send({"id": asked["id"], "result": {"roots": roots}})

    assert [relay.receive()["id"], relay.receive()["id"]] == [7, 8]
    relay.end()
    assert told_in(daemon, mine) == [{"id": "example.org/team/blog", "name": "blog"}]


@pytest.mark.parametrize(
    ("uri", "project"),
    [
        ("file://localhost{blog}", "blog"),
        ("file://{blog}/%00", None),
        ("file://other{blog}", "shop"),
    ],
)
def test_roots_are_read_as_they_are_written(
    daemon: Daemon, scope: Scope, shop: Path, tmp_path: Path, uri: str, project: str | None
) -> None:
    """A root that is no folder ends nothing; one of another machine is passed over."""
    mine, blog = scope(), repository(tmp_path / "blog", "blog")
    relay = Relay(host(daemon, mine, "mcp"), shop)
    opening = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}}
    relay.send({"id": 1, "method": "initialize", "params": opening})
    relay.receive()
    relay.send({"method": "notifications/initialized"})
    asked = relay.receive()
    relay.send({"id": asked["id"], "result": {"roots": [{"uri": uri.format(blog=blog)}]}})
    relay.remember("The tests run with make check")
    assert not relay.receive()["result"]["isError"]
    relay.end()
    assert [one and one["name"] for one in told_in(daemon, mine)] == [project]


def test_a_project_that_the_person_named_comes_first(
    daemon: Daemon, scope: Scope, shop: Path
) -> None:
    """`--project` binds the connection, to none as well."""
    for named, expected in (("other", {"id": "other", "name": None}), ("none", None)):
        mine = scope()
        relay = Relay(host(daemon, mine, "--project", named, "mcp"), shop)
        relay.remember("The tests run with make check")
        assert not relay.receive()["result"]["isError"]
        relay.end()
        (project,) = told_in(daemon, mine)
        assert (project and {"name": None, **project}) == expected


def test_a_sandbox_works_on_the_project_of_its_folder(
    daemon: Daemon, scope: Scope, shop: Path
) -> None:
    """A grant that is bound to a project is not asked for another one."""
    for bound in (None, {"id": "bound"}):
        mine = scope()
        named = {"project": bound} if bound else {}
        granted = daemon.call("grant.create", scope={**mine, **named})
        relay = Relay([str(BIN / "ash-sb"), "mcp"], shop, ASH_RPC_SOCKET=granted["socket"])
        relay.remember("The tests run with make check")
        assert not relay.receive()["result"]["isError"]
        relay.end()
        assert told_in(daemon, mine) == [bound or SHOP]


def test_hooks_recall_and_capture_in_the_project(
    daemon: Daemon, scope: Scope, shop: Path, tmp_path: Path
) -> None:
    """The prompt gets what the project knows, and the turn belongs to it."""
    mine = scope()
    blog = repository(tmp_path / "blog", "blog")
    within = {**mine, "project": SHOP}
    daemon.call("memory.add", scope=within, content="The kraken service listens on port 9999")

    def prompted(folder: Path) -> str:
        for _ in range(20):  # on a busy machine a recall may not be answered in time
            (tmp_path / "hooks" / "last_failure.json").unlink(missing_ok=True)
            text = prompted_once(folder)
            if not (tmp_path / "hooks" / "last_failure.json").exists():
                return text
        return text

    def prompted_once(folder: Path) -> str:
        given = {
            "cwd": str(folder),
            "prompt": "Which port does the kraken service listen on?",
            "session_id": "s",
            "prompt_id": f"p{folder.name}",
        }
        done = subprocess.run(
            host(daemon, mine, "--home", str(tmp_path), "hook", "UserPromptSubmit"),
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout

    assert "9999" in prompted(shop)
    assert "9999" not in prompted(blog)
    found = daemon.call("conversation.search", scope=within, query="kraken port")["results"]
    assert len(found) == 1
    elsewhere = {**mine, "project": {"id": "example.org/team/blog"}}
    assert len(daemon.call("conversation.search", scope=elsewhere, query="kraken")["results"]) == 1
    assert daemon.call("conversation.search", scope=mine, query="kraken")["results"] == []


def test_a_command_of_a_sandbox_works_on_the_project_of_its_folder(
    daemon: Daemon, scope: Scope, shop: Path, tmp_path: Path
) -> None:
    """`--project` names another or none; a grant that is bound is asked for nothing else."""
    mine = scope()

    def add(*options: str, bound: object = "not bound") -> tuple[Any, str]:
        named = {} if bound == "not bound" else {"project": bound}
        granted = daemon.call("grant.create", scope={**mine, **named})
        content = f"Shard {len(told_in(daemon, mine))} is down"
        done = ash_sb(
            *("memory", "add", content, *options), socket_path=granted["socket"], folder=shop
        )
        assert done.returncode == 0, done.stderr
        return told_in(daemon, mine)[0], done.stdout

    told, shown = add()
    assert told == SHOP
    assert "\nproject: shop\n" in shown
    assert add("--project", "none")[0] is None
    assert add("--project", "other")[0]["id"] == "other"
    blog = repository(tmp_path / "blog", "blog")
    assert add("--project", str(blog))[0]["name"] == "blog"
    assert add(bound={"id": "bound"})[0]["id"] == "bound"
    told, shown = add(bound=None)
    assert told is None
    assert "project:" not in shown


def test_a_folder_that_is_no_repository_is_no_project_of_a_sandbox(tmp_path: Path) -> None:
    """It is said before anything is asked."""
    for folder, reason in ((tmp_path, "is in no repository"), (tmp_path / "x", "no folder")):
        done = ash_sb("memory", "list", "--project", str(folder), socket_path=tmp_path / "none")
        assert done.returncode == 2
        assert reason in done.stderr
