"""`ash connect` and `ash disconnect`, on the files that hosts read. Budget: 15 s."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ashd.cli.hosts import HOSTS

BIN = Path(sys.executable).parent
SERVERS = {
    "claude-code": (".claude.json", ["mcpServers", "ash"]),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", ["mcpServers", "ash"]),
    "codex": (".codex/config.toml", ["mcp_servers", "ash"]),
    "cursor": (".cursor/mcp.json", ["mcpServers", "ash"]),
    "vscode": (".config/Code/User/mcp.json", ["servers", "ash"]),
    "gemini": (".gemini/settings.json", ["mcpServers", "ash"]),
    "zed": (".config/zed/settings.json", ["context_servers", "ash"]),
    "opencode": (".config/opencode/opencode.json", ["mcp", "ash"]),
}
HOOKED = {
    "claude-code": (".claude/settings.json", ["UserPromptSubmit", "Stop"]),
    "codex": (".codex/hooks.json", ["UserPromptSubmit", "Stop"]),
    "cursor": (".cursor/hooks.json", ["beforeSubmitPrompt", "afterAgentResponse"]),
    "gemini": (".gemini/settings.json", ["BeforeAgent", "AfterAgent"]),
}


def ash(home: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """`ash` of a person with that home."""
    return subprocess.run(
        [BIN / "ash", *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "HOME": str(home)},
    )


def read(path: Path) -> Any:
    """A file of a host, as the host reads it."""
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def at(value: Any, keys: list[str]) -> Any:
    """Return the value under nested keys, None if one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def test_the_hosts_are_those_of_the_documentation() -> None:
    """Each has its file here, and those with hooks theirs."""
    assert HOSTS.keys() == SERVERS.keys()
    assert {name for name, host in HOSTS.items() if host.hooks} == HOOKED.keys()
    page = (Path(__file__).parents[2] / "docs" / "connect.md").read_text()
    for host, (path, _) in [*SERVERS.items(), *HOOKED.items()]:
        assert f"`{host}`" in page
        assert f"`~/{path}`" in page


@pytest.mark.parametrize("host", SERVERS)
def test_a_host_finds_the_server_and_keeps_its_own(tmp_path: Path, host: str) -> None:
    """Ours is added beside the others, and removed without touching them."""
    name, keys = SERVERS[host]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = (
        'model = "m" # mine\n[mcp_servers.other]\ncommand = "x"\n'
        if path.suffix == ".toml"
        else json.dumps({"theme": "dark", keys[0]: {"other": {"command": "x"}}})
    )
    path.write_text(before)
    assert ash(tmp_path, "connect", host, "--yes").returncode == 0
    entry = at(read(path), keys)
    words = [*entry["command"]] if host == "opencode" else [entry["command"], *entry["args"]]

    assert Path(words[0]).is_absolute()
    assert words[-1] == "mcp"
    assert at(read(path), [keys[0], "other"]) == {"command": "x"}
    assert path.with_name(f"{path.name}.before-ash").read_text() == before

    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    assert read(path) == (tomllib if path.suffix == ".toml" else json).loads(before)


@pytest.mark.parametrize("host", HOOKED)
def test_hooks_stand_beside_those_of_others(tmp_path: Path, host: str) -> None:
    """Hooks are added once, however often the command runs, and later edits stay."""
    name, events = HOOKED[host]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    other = {"command": "other"} if host == "cursor" else {"hooks": [{"command": "other"}]}
    path.write_text(json.dumps({"hooks": {events[0]: [other]}}))
    for _ in range(2):
        assert ash(tmp_path, "connect", host, "--hooks", "--yes").returncode == 0
    hooks = read(path)["hooks"]

    for event in events:
        ours = [one for one in hooks[event] if one != other]
        [hook] = ours if host == "cursor" else ours[0]["hooks"]
        assert len(ours) == 1
        assert hook["command"].endswith(f" hook {event}")
    assert hooks[events[0]][0] == other

    value = read(path)
    path.write_text(json.dumps({**value, "later": True}))
    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    left = read(path)
    assert left["hooks"] == {events[0]: [other]}
    assert left["later"]


def test_a_file_is_for_those_for_whom_it_was(tmp_path: Path) -> None:
    """File and copy keep their permissions, as a key may be in them; a new file is its owner's."""
    path = tmp_path / ".cursor" / "mcp.json"
    assert ash(tmp_path, "connect", "cursor", "--yes").returncode == 0
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("{}")
    path.chmod(0o640)
    assert ash(tmp_path, "connect", "cursor", "--yes").returncode == 0

    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o640}
    assert len(list(path.parent.iterdir())) == 2


def test_nothing_is_changed_without_a_yes(tmp_path: Path) -> None:
    """The change is shown first; --print shows it alone."""
    shown = ash(tmp_path, "connect", "cursor", "--print")
    refused = ash(tmp_path, "connect", "cursor", given="n\n")

    assert shown.returncode == 0
    assert '+    "ash": {' in shown.stderr
    assert refused.returncode != 0
    assert not (tmp_path / ".cursor").exists()


@pytest.mark.parametrize("text", ['{\n  // mine\n  "a": 1\n}', "[1]", "{"])
def test_an_unreadable_settings_file_is_left_unchanged(tmp_path: Path, text: str) -> None:
    """The message has the text to add by hand."""
    path = tmp_path / ".config" / "zed" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    done = ash(tmp_path, "connect", "zed", "--yes")

    assert done.returncode != 0
    assert "context_servers" in done.stderr
    assert path.read_text() == text


def test_the_server_is_of_whom_it_was_connected_for(tmp_path: Path) -> None:
    """--as and --home are part of the entry."""
    ash(tmp_path, "--as", "telegram:7", "--home", str(tmp_path / "h"), "connect", "cursor", "--yes")
    entry = read(tmp_path / ".cursor" / "mcp.json")["mcpServers"]["ash"]

    assert entry["args"] == ["--home", str(tmp_path / "h"), "--as", "telegram:7", "mcp"]


def test_hooks_that_look_like_ours_stay(tmp_path: Path) -> None:
    """Only entries written by `ash connect` are removed, even from a shared group."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    others = {
        "Stop": [{"hooks": [{"type": "command", "command": "/opt/team/audit hook Stop"}]}],
        "UserPromptSubmit": [
            {"hooks": [{"type": "command", "command": "/opt/bash hook UserPromptSubmit"}]}
        ],
    }
    path.write_text(json.dumps({"hooks": others}))
    ash(tmp_path, "connect", "claude-code", "--hooks", "--yes")
    shared = read(path)
    mine = shared["hooks"]["Stop"].pop()["hooks"]
    shared["hooks"]["Stop"][0]["hooks"] += mine
    path.write_text(json.dumps(shared))
    ash(tmp_path, "disconnect", "claude-code", "--yes")

    assert read(path) == {"hooks": others}


@pytest.mark.parametrize("host", ["cursor", "codex"])
def test_a_server_of_another_hand_is_left_alone(tmp_path: Path, host: str) -> None:
    """An entry with our name, in any form, blocks connecting; disconnecting leaves it alone."""
    path = tmp_path / SERVERS[host][0]
    path.parent.mkdir(parents=True)
    text = (
        'mcp_servers = { ash = { command = "x" } }\n'
        if host == "codex"
        else '{"mcpServers": {"ash": {"command": "x"}}}'
    )
    path.write_text(text)

    assert ash(tmp_path, "connect", host, "--yes").returncode != 0
    assert ash(tmp_path, "disconnect", host, "--yes").returncode == 0
    assert path.read_text() == text
