"""Agent hosts: where each keeps its configuration, and our entry in it. Pure.

A host's file is read, changed at one key and written back. A file that is not plain JSON (it may
have comments) is left alone; the person is shown what to add.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

NAME: Final = "ash"
"""Our entry's name among a host's servers."""
_RECALL_SECONDS: Final = 5
_CAPTURE_SECONDS: Final = 60
_TOML_BEGIN: Final = "# begin: made by `ash connect`"
_TOML_END: Final = "# end: made by `ash connect`"


class CannotEdit(Exception):
    """The file cannot be edited without losing something."""


@dataclass(frozen=True, slots=True)
class File:
    """A configuration file of a host, below the person's home, and the change to it."""

    path: str
    add: Callable[[str, list[str]], str]
    """Return the new text, from the old one and the command."""
    remove: Callable[[str], str]
    """Return the new text without our entry."""


@dataclass(frozen=True, slots=True)
class Host:
    """A program that runs agents: its file of MCP servers, and its file of hooks, if any."""

    title: str
    servers: File
    hooks: File | None = None


def _read(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError:
        raise CannotEdit("It is not plain JSON; it may have comments.") from None
    if not isinstance(value, dict):
        raise CannotEdit("It is not a JSON object.")
    return value


def _written(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _object(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key; make it if it is missing."""
    found = value.setdefault(key, {})
    if not isinstance(found, dict):
        raise CannotEdit(f"{key} is not an object.")
    return found


def _json_servers(path: str, key: str, entry: Callable[[list[str]], dict[str, Any]]) -> File:
    """A JSON file with an object of servers by name."""

    def is_ours(found: Any) -> bool:
        if not isinstance(found, dict):
            return False
        command, arguments = found.get("command"), found.get("args", [])
        words = command if isinstance(command, list) else [command, *arguments]
        return all(isinstance(word, str) for word in words) and _is_ash(words)

    def add(text: str, command: list[str]) -> str:
        value = _read(text)
        servers = _object(value, key)
        if NAME in servers and not is_ours(servers[NAME]):
            raise CannotEdit(f"It has a server {NAME!r} that `ash connect` did not write.")
        servers[NAME] = entry(command)
        return _written(value)

    def remove(text: str) -> str:
        value = _read(text)
        servers = value.get(key)
        if not isinstance(servers, dict) or not is_ours(servers.get(NAME)):
            return text
        del servers[NAME]
        if not servers:
            del value[key]
        return _written(value)

    return File(path, add, remove)


def _stdio(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def _typed_stdio(command: list[str]) -> dict[str, Any]:
    return {"type": "stdio", **_stdio(command)}


def _opencode(command: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": command, "enabled": True}


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise CannotEdit("With a table of ours it would not be TOML, or it is none now.") from None


def _toml_servers(path: str) -> File:
    """Codex' TOML: our table is between two comments; the rest of the file is unchanged."""
    ours = re.compile(rf"\n?{re.escape(_TOML_BEGIN)}\n.*?{re.escape(_TOML_END)}\n", re.DOTALL)

    def add(text: str, command: list[str]) -> str:
        left = ours.sub("", text)
        if NAME in _toml(left).get("mcp_servers", {}):
            raise CannotEdit(f"It has a server {NAME!r} that `ash connect` did not write.")
        table = "\n".join(
            [
                _TOML_BEGIN,
                f"[mcp_servers.{NAME}]",
                f"command = {json.dumps(command[0])}",
                f"args = {json.dumps(command[1:])}",
                _TOML_END,
            ]
        )
        made = f"{left.rstrip()}\n\n{table}\n" if left.strip() else f"{table}\n"
        _toml(made)
        return made

    return File(path, add, lambda text: ours.sub("", text))


def _json_hooks(
    path: str,
    events: Mapping[str, dict[str, Any]],
    *,
    grouped: bool = True,
    head: Mapping[str, Any] | None = None,
) -> File:
    """A JSON file with lists of hooks by event; `events` has our fields besides the command.

    In some hosts the lists hold groups of hooks, in others the hooks themselves.
    """

    def of_others(entries: list[Any], event: str) -> list[Any]:
        """Return the entries without our hooks, and without groups that held only ours."""
        left = []
        for entry in entries:
            group = entry.get("hooks") if isinstance(entry, dict) and grouped else None
            if isinstance(group, list):
                others = [one for one in group if not _is_our_hook(one, event)]
                if others or not group:
                    left.append(entry if others == group else {**entry, "hooks": others})
            elif not _is_our_hook(entry, event):
                left.append(entry)
        return left

    def without(value: dict[str, Any]) -> dict[str, Any]:
        made = deepcopy(value)
        hooks = made.get("hooks")
        if not isinstance(hooks, dict):
            return made
        for event in events:
            before = hooks.get(event)
            if isinstance(before, list) and (left := of_others(before, event)) != before:
                hooks[event] = left
                if not left:
                    del hooks[event]
        if not hooks and value["hooks"]:
            del made["hooks"]
        return made

    def add(text: str, command: list[str]) -> str:
        value = {**(head or {}), **without(_read(text))}
        hooks = _object(value, "hooks")
        for event, fields in events.items():
            line = " ".join([*map(_quoted, command[:-1]), "hook", event])
            hook = {**fields, "command": line}
            hooks.setdefault(event, []).append({"hooks": [hook]} if grouped else hook)
        return _written(value)

    def remove(text: str) -> str:
        value = _read(text)
        left = without(value)
        return text if left == value else _written(left)

    return File(path, add, remove)


def _is_our_hook(hook: Any, event: str) -> bool:
    """Return whether a hook is one that `ash connect` writes, for this event."""
    try:
        words = shlex.split(hook["command"])
    except (TypeError, KeyError, ValueError, AttributeError):
        return False
    return words[-2:] == ["hook", event] and _is_ash(words)


def _is_ash(words: list[str]) -> bool:
    """Return whether a command line starts `ash`, by its name or as a module."""
    return bool(words) and (
        PurePath(words[0]).name == "ash" or words[1:3] == ["-m", "ashd.cli.ash"]
    )


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\\''") + "'"


def _command(seconds: int, **fields: Any) -> dict[str, Any]:
    return {"type": "command", "timeout": seconds, **fields}


HOSTS: Final[dict[str, Host]] = {
    "claude-code": Host(
        "Claude Code",
        _json_servers(".claude.json", "mcpServers", _typed_stdio),
        _json_hooks(
            ".claude/settings.json",
            {
                "UserPromptSubmit": _command(_RECALL_SECONDS),
                "Stop": _command(_CAPTURE_SECONDS, **{"async": True}),
            },
        ),
    ),
    "claude-desktop": Host(
        "Claude Desktop",
        _json_servers(".config/Claude/claude_desktop_config.json", "mcpServers", _stdio),
    ),
    "codex": Host(
        "Codex",
        _toml_servers(".codex/config.toml"),
        _json_hooks(
            ".codex/hooks.json",
            {
                "UserPromptSubmit": _command(_RECALL_SECONDS),
                "Stop": _command(_CAPTURE_SECONDS),
            },
        ),
    ),
    "cursor": Host(
        "Cursor",
        _json_servers(".cursor/mcp.json", "mcpServers", _stdio),
        _json_hooks(
            ".cursor/hooks.json",
            {"beforeSubmitPrompt": {}, "afterAgentResponse": {}},
            grouped=False,
            head={"version": 1},
        ),
    ),
    "vscode": Host("VS Code", _json_servers(".config/Code/User/mcp.json", "servers", _typed_stdio)),
    "gemini": Host(
        "Gemini CLI",
        _json_servers(".gemini/settings.json", "mcpServers", _stdio),
        _json_hooks(
            ".gemini/settings.json",
            {
                "BeforeAgent": _command(_RECALL_SECONDS * 1_000),
                "AfterAgent": _command(_CAPTURE_SECONDS * 1_000),
            },
        ),
    ),
    "zed": Host("Zed", _json_servers(".config/zed/settings.json", "context_servers", _stdio)),
    "opencode": Host("OpenCode", _json_servers(".config/opencode/opencode.json", "mcp", _opencode)),
}
