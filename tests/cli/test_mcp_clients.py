"""MCP through a client that others wrote, over `ash-sb mcp` and `ash mcp`. Budget: 20 s."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from daemons import Daemon
from mcp import Client, MCPError, StdioServerParameters

BIN = Path(sys.executable).parent
Era = Literal["auto", "legacy", "2026-07-28"]
SPOKEN = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
Scope = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start servers in a folder of their own: one in a repository keeps the project's id in it."""
    monkeypatch.chdir(tmp_path)


def in_sandbox(socket: str) -> StdioServerParameters:
    """The server that an agent's host starts inside a sandbox."""
    return StdioServerParameters(
        command=str(BIN / "ash-sb"), args=["mcp"], env={"ASH_RPC_SOCKET": socket}
    )


@pytest.mark.parametrize("era", ["auto", "legacy", "2026-07-28"])
def test_a_client_lists_and_calls_the_tools(daemon: Daemon, scope: Scope, era: Era) -> None:
    """The client chooses its revision; a remembered fact is recalled with its short id."""
    grant = daemon.call("grant.create", scope=scope())

    async def talk() -> None:
        async with Client(in_sandbox(grant["socket"]), mode=era) as client:
            assert client.protocol_version == SPOKEN[era]
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert listed["recall"].annotations.read_only_hint
            assert not listed["remember"].annotations.destructive_hint

            stored = await client.call_tool("remember", {"content": "I am allergic to peanuts"})
            assert not stored.is_error
            found = await client.call_tool("recall", {"query": "allergic to peanuts"})
            assert "I am allergic to peanuts" in found.content[0].text
            assert found.structured_content is None
            short = stored.content[0].text.split("Remembered ")[1][:6]
            assert f"[Memory {short}, " in found.content[0].text

            wrong = await client.call_tool("recall", {})
            assert wrong.is_error
            assert "query" in wrong.content[0].text

    anyio.run(talk)


@pytest.mark.parametrize("era", ["auto", "legacy", "2026-07-28"])
def test_a_client_reads_resources_and_gets_prompts(daemon: Daemon, scope: Scope, era: Era) -> None:
    """Each is listed with a title, and has what is known now."""
    mine = scope()
    grant = daemon.call("grant.create", scope=mine)

    async def talk() -> None:
        async with Client(in_sandbox(grant["socket"]), mode=era) as client:
            resources = (await client.list_resources()).resources
            assert [str(one.uri) for one in resources] == [
                *("ash://pinned", "ash://profile", "ash://conflicts"),
            ]
            assert all(one.title and one.description for one in resources)
            assert (await client.list_resource_templates()).resource_templates == []
            for words in ("Nothing is pinned.", "I am allergic to peanuts"):
                [contents] = (await client.read_resource("ash://pinned")).contents
                assert words in contents.text
                daemon.call("override.add", scope=mine, content="I am allergic to peanuts")

            prompts = (await client.list_prompts()).prompts
            assert [one.name for one in prompts] == ["about_me", "settle_conflicts"]
            assert all(one.title and one.description for one in prompts)
            [message] = (await client.get_prompt("about_me")).messages
            assert message.role == "user"
            assert "I am allergic to peanuts" in message.content.text
            with pytest.raises(MCPError):
                await client.read_resource("ash://none")
            with pytest.raises(MCPError):
                await client.get_prompt("none")

    anyio.run(talk)


@pytest.mark.parametrize("as_option", ["of ash", "of mcp"])
def test_the_person_on_the_host_says_on_whose_behalf(
    daemon: Daemon, scope: Scope, as_option: str
) -> None:
    """`ash --as USER mcp` and `ash mcp --as USER` act as that account, on no other's memories."""
    mine = scope()
    account = ["--as", f"{mine['provider']}:{mine['user_id']}"]
    words = [*account, "mcp"] if as_option == "of ash" else ["mcp", *account]
    server = StdioServerParameters(
        command=str(BIN / "ash"), args=["--socket", str(daemon.socket), *words]
    )

    async def talk() -> None:
        async with Client(server) as client:
            await client.call_tool("remember", {"content": "My bicycle is red"})

    anyio.run(talk)
    [memory] = daemon.call("memory.list", scope=mine)["memories"]

    assert memory["content"] == "My bicycle is red"


def talk(lines: list[Any], **environment: str) -> list[dict[str, Any]]:
    """Return the answers of `ash-sb mcp` to lines, after which its input ends."""
    done = subprocess.run(
        [BIN / "ash-sb", "mcp"],
        input="".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_standard_output_holds_answers_alone(daemon: Daemon, scope: Scope) -> None:
    """One line a request, in order; notifications and blank lines get none."""
    grant = daemon.call("grant.create", scope=scope())
    answers = talk(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            "",
            "this is no JSON",
            {"jsonrpc": "2.0", "id": "b", "method": "no/such"},
        ],
        ASH_RPC_SOCKET=grant["socket"],
    )

    assert [answer["id"] for answer in answers] == [1, None, "b"]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32700, -32601]


def test_a_restart_of_the_daemon_is_not_noticed(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """The next request goes to the new one, over a new connection."""
    daemon = new_daemon()
    daemon.start()
    grant = daemon.call("grant.create", scope=scope())
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with subprocess.Popen(
        [BIN / "ash-sb", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"ASH_RPC_SOCKET": grant["socket"]},
    ) as pump:
        answers = []
        for restarts in (False, True):
            if restarts:
                daemon.stop()
                daemon.start()
            pump.stdin.write(json.dumps(call) + "\n")
            pump.stdin.flush()
            answers.append(json.loads(pump.stdout.readline()))
        pump.stdin.close()
        status = pump.wait(120)

    assert status == 0
    assert [len(answer["result"]["tools"]) > 1 for answer in answers] == [True, True]


def test_without_a_daemon_the_model_reads_what_to_do(tmp_path: Path) -> None:
    """A tool call gets a result that says so; the host stays connected."""
    answers = talk(
        [
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"protocolVersion": "2025-06-18", "capabilities": {}},
            },
            {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "recall", "arguments": {"query": "tea"}},
            },
        ],
        ASH_RPC_SOCKET=str(tmp_path / "rpc.sock"),
    )

    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[1]["result"]["isError"]
    assert "start ashd" in answers[1]["result"]["content"][0]["text"]


def test_all_is_listed_without_a_daemon(daemon: Daemon, tmp_path: Path) -> None:
    """A host that starts before the daemon has the same lists and instructions as one after it."""
    version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    asked = [
        *(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            for params in (
                {"protocolVersion": asked, "capabilities": {}, "clientInfo": {}}
                for asked in ("2024-11-05", "2026-07-28", "x")
            )
        ),
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": version}},
        {"jsonrpc": "2.0", "id": 4, "method": "server/discover", "params": {"_meta": version}},
        *(
            {"jsonrpc": "2.0", "id": 5, "method": method, "params": params}
            for method in ("resources/list", "resources/templates/list", "prompts/list")
            for params in ({}, {"_meta": version})
        ),
    ]
    absent = talk(asked, ASH_RPC_SOCKET=str(tmp_path / "rpc.sock"))
    present = talk(asked, ASH_RPC_SOCKET=str(daemon.socket))

    assert [answer["result"] for answer in absent] == [answer["result"] for answer in present]


def test_a_last_line_without_its_end_is_answered(daemon: Daemon) -> None:
    """A script may write a request and close its end."""
    done = subprocess.run(
        [BIN / "ash-sb", "mcp"],
        input='{"jsonrpc": "2.0", "id": 1, "method": "ping"}',
        capture_output=True,
        text=True,
        timeout=120,
        env={"ASH_RPC_SOCKET": str(daemon.socket)},
        check=True,
    )

    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_host_is_told_to_start_the_daemon(tmp_path: Path) -> None:
    """`ash mcp` runs on the host, so it speaks of no sandbox."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall"}}
    done = subprocess.run(
        [BIN / "ash", "--home", tmp_path, "mcp"],
        input=json.dumps(call) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        env={"ASH_RPC_SOCKET": "/run/ash/rpc.sock"},
        check=True,
    )
    text = json.loads(done.stdout)["result"]["content"][0]["text"]

    assert "ashd is not running" in text
    assert "systemctl --user start ashd" in text
    assert "sandbox" not in text
