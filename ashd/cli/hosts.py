"""Agent hosts: where each keeps its configuration, and the form of our entry in it. Pure."""

from dataclasses import dataclass
from typing import Any, Final

from ashd.cli.host_entries import File, json_servers, toml_servers
from ashd.cli.host_hooks import json_hooks

_RECALL_SECONDS: Final = 5
_CAPTURE_SECONDS: Final = 15
"""A host waits for it, as some end with the turn and would end it too."""


@dataclass(frozen=True, slots=True)
class Host:
    """A program that runs agents: its file of MCP servers, and its file of hooks, if any."""

    title: str
    servers: File
    hooks: File | None = None


def _stdio(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def _typed_stdio(command: list[str]) -> dict[str, Any]:
    return {"type": "stdio", **_stdio(command)}


def _opencode(command: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": command, "enabled": True}


def _command(seconds: int, **fields: Any) -> dict[str, Any]:
    return {"type": "command", "timeout": seconds, **fields}


HOSTS: Final[dict[str, Host]] = {
    "claude-code": Host(
        "Claude Code",
        json_servers(".claude.json", "mcpServers", _typed_stdio),
        json_hooks(
            ".claude/settings.json",
            {
                "UserPromptSubmit": _command(_RECALL_SECONDS),
                "Stop": _command(_CAPTURE_SECONDS),
            },
        ),
    ),
    "claude-desktop": Host(
        "Claude Desktop",
        json_servers(".config/Claude/claude_desktop_config.json", "mcpServers", _stdio),
    ),
    "codex": Host(
        "Codex",
        toml_servers(".codex/config.toml", "mcp_servers"),
        json_hooks(
            ".codex/hooks.json",
            {
                "UserPromptSubmit": _command(_RECALL_SECONDS),
                "Stop": _command(_CAPTURE_SECONDS),
            },
        ),
    ),
    "cursor": Host(
        "Cursor",
        json_servers(".cursor/mcp.json", "mcpServers", _stdio),
        json_hooks(
            ".cursor/hooks.json",
            {"beforeSubmitPrompt": {}, "afterAgentResponse": {}},
            grouped=False,
            head={"version": 1},
        ),
    ),
    "vscode": Host("VS Code", json_servers(".config/Code/User/mcp.json", "servers", _typed_stdio)),
    "gemini": Host(
        "Gemini CLI",
        json_servers(".gemini/settings.json", "mcpServers", _stdio),
        json_hooks(
            ".gemini/settings.json",
            {
                "BeforeAgent": _command(_RECALL_SECONDS * 1_000),
                "AfterAgent": _command(_CAPTURE_SECONDS * 1_000),
            },
        ),
    ),
    "zed": Host("Zed", json_servers(".config/zed/settings.json", "context_servers", _stdio)),
    "opencode": Host("OpenCode", json_servers(".config/opencode/opencode.json", "mcp", _opencode)),
}
