"""Agent hosts: where each keeps its configuration, and the form of our entry in it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from ashd.cli.host_entries import File, json_servers, toml_servers
from ashd.cli.host_hooks import json_hooks
from ashd.cli.opencode_plugin import opencode_plugin

_RECALL_SECONDS: Final = 5
_CAPTURE_SECONDS: Final = 15
"""A host waits for it, as some end with the turn and would end it too."""
_COPILOT_HOOKS: Final = ".copilot/hooks/ash.json"
"""Both Copilot CLI and VS Code run the hooks of all files in this folder."""


@dataclass(frozen=True, slots=True)
class Host:
    """A program that runs agents: its file of MCP servers, and its file of hooks, if any.

    `advice` says what the person has to know beside that, `of_hooks` what to know of hooks.
    `hooks_of` is the host whose name its hooks have, if it shares the file.
    """

    title: str
    servers: File
    hooks: File | None = None
    advice: str = ""
    of_hooks: str = ""
    hooks_of: str | None = None


def _stdio(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def _typed_stdio(command: list[str]) -> dict[str, Any]:
    return {"type": "stdio", **_stdio(command)}


def _copilot(command: list[str]) -> dict[str, Any]:
    return {"type": "local", **_stdio(command), "tools": ["*"]}


def _opencode(command: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": command, "enabled": True}


def _command(seconds: int, **fields: Any) -> dict[str, Any]:
    return {"type": "command", "timeout": seconds, **fields}


_RECALL: Final = _command(_RECALL_SECONDS)
_CAPTURE: Final = _command(_CAPTURE_SECONDS)
_COPILOT: Final = json_hooks(
    "copilot-cli",
    _COPILOT_HOOKS,
    {
        "sessionStart": {"type": "command", "timeoutSec": _RECALL_SECONDS},
        "userPromptSubmitted": {"type": "command", "timeoutSec": _RECALL_SECONDS},
    },
    grouped=False,
    key="bash",
    head={"version": 1},
)

_MOVED: Final = (
    (".claude.json", "CLAUDE_CONFIG_DIR", ".claude.json"),
    (".claude/", "CLAUDE_CONFIG_DIR", ""),
    (".codex/", "CODEX_HOME", ""),
    (".copilot/", "COPILOT_HOME", ""),
    (".gemini/", "GEMINI_CLI_HOME", ".gemini/"),
    (".config/", "XDG_CONFIG_HOME", ""),
)
"""The beginnings of paths that hosts look for elsewhere: in the folder that a variable names."""


def place(path: str, environ: Mapping[str, str]) -> str:
    """Return the path of a file, below the person's home, or where the environment has it."""
    for beginning, variable, inside in _MOVED:
        folder = environ.get(variable, "")
        if path.startswith(beginning) and folder:
            return str(PurePath(folder).joinpath(inside + path.removeprefix(beginning)))
    return path


HOSTS: Final[dict[str, Host]] = {
    "claude-code": Host(
        "Claude Code",
        json_servers(".claude.json", "mcpServers", _typed_stdio),
        json_hooks(
            "claude-code",
            ".claude/settings.json",
            {
                "SessionStart": _RECALL,
                "UserPromptSubmit": _RECALL,
                "Stop": _CAPTURE,
                "SessionEnd": _CAPTURE,
            },
        ),
        "It asks before it calls a tool; `/permissions` allows mcp__ash for good.",
    ),
    "claude-desktop": Host(
        "Claude Desktop",
        json_servers(".config/Claude/claude_desktop_config.json", "mcpServers", _stdio),
    ),
    "cline": Host(
        "Cline",
        json_servers(
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "mcpServers",
            _stdio,
        ),
    ),
    "codex": Host(
        "Codex",
        toml_servers(".codex/config.toml", "mcp_servers"),
        json_hooks(
            "codex",
            ".codex/hooks.json",
            {"SessionStart": _RECALL, "UserPromptSubmit": _RECALL, "Stop": _CAPTURE},
        ),
        of_hooks="It runs no hooks until you trust them: start it in a terminal, where it asks.",
    ),
    "copilot-cli": Host(
        "Copilot CLI",
        json_servers(".copilot/mcp-config.json", "mcpServers", _copilot),
        _COPILOT,
        of_hooks="VS Code has the same hooks.",
    ),
    "cursor": Host(
        "Cursor",
        json_servers(".cursor/mcp.json", "mcpServers", _stdio),
        json_hooks(
            "cursor",
            ".cursor/hooks.json",
            {"beforeSubmitPrompt": {}, "afterAgentResponse": {}},
            grouped=False,
            head={"version": 1},
        ),
    ),
    "gemini": Host(
        "Gemini CLI",
        json_servers(".gemini/settings.json", "mcpServers", _stdio),
        json_hooks(
            "gemini",
            ".gemini/settings.json",
            {
                "SessionStart": _command(_RECALL_SECONDS * 1_000),
                "BeforeAgent": _command(_RECALL_SECONDS * 1_000),
                "AfterAgent": _command(_CAPTURE_SECONDS * 1_000),
                "PreCompress": _command(_RECALL_SECONDS * 1_000),
            },
        ),
        "With -p it offers tools only where they are allowed, as with --yolo.",
    ),
    "lm-studio": Host("LM Studio", json_servers(".lmstudio/mcp.json", "mcpServers", _stdio)),
    "opencode": Host(
        "OpenCode",
        json_servers(
            ".config/opencode/opencode.json",
            "mcp",
            _opencode,
            others=(".config/opencode/opencode.jsonc", ".config/opencode/config.json"),
        ),
        opencode_plugin(".config/opencode/plugins/ash.js"),
    ),
    "vscode": Host(
        "VS Code",
        json_servers(".config/Code/User/mcp.json", "servers", _typed_stdio),
        _COPILOT,
        of_hooks="Copilot CLI has the same hooks.",
        hooks_of="copilot-cli",
    ),
    "windsurf": Host(
        "Windsurf", json_servers(".codeium/windsurf/mcp_config.json", "mcpServers", _stdio)
    ),
    "zed": Host("Zed", json_servers(".config/zed/settings.json", "context_servers", _stdio)),
}
