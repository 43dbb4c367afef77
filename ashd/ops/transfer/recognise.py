"""Recognise which program wrote a file, by its contents."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from ashd import errors
from ashd.ops.transfer import encrypted_file
from ashd.ops.transfer.formats import folder, json_file, notes

Foreign: TypeAlias = Literal[
    "notes",
    "agent-files",
    "lines",
    "chatgpt",
    "claude",
    "mem0",
    "mcp-memory",
    "letta",
    "zep",
    "osaurus",
]
Format: TypeAlias = Literal["ash"] | Foreign
OF_FOLDERS: Final = frozenset({"notes", "agent-files"})
"""Formats that may be a folder; their memories are kept in step with it."""
_HEAD_BYTES: Final = 256 * 1024
_OF_TEXT: Final = frozenset({"", ".txt", ".text", ".list"})
_NAME_IT: Final = "Name its format: `ash import FILE --format FORMAT`; `ash import -h` lists them."
_FIRST_OBJECT: Final[dict[Foreign, Callable[[str], bool]]] = {
    "letta": lambda head: _has(head, "agent_type", "core_memory", "block_ids"),
    "claude": lambda head: (
        _has(head, "chat_messages", "conversations_memory") or _has(head, "prompt_template")
    ),
    "chatgpt": lambda head: _has(head, "mapping") and _has(head, "current_node", "conversation_id"),
    "mcp-memory": lambda head: (
        _has(head, "entityType", "relationType") and _has(head, "observations", "from")
    ),
    "zep": lambda head: _has(head, "fact") and _has(head, "source_node_uuid"),
    "mem0": lambda head: _has(head, "memory") and _has(head, "id", "hash", "user_id"),
}


def format_of(path: Path, named: Format | None) -> Format:
    """Return the format of a file or folder: as named, else by its contents.

    Raises:
        errors.InvalidParams: it is none that is known, or cannot be read.
    """
    if named is not None:
        return named
    try:
        if path.is_dir():
            return _of_folder(path)
        if not path.is_file():
            raise errors.InvalidParams(
                f"{path} is no file and no folder that the daemon sees.",
                "Name a file, or a folder of notes. The service of a machine sees no /home.",
            )
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        if head.startswith(encrypted_file.BEGINNING):
            return "ash"
        if head.startswith(b"SQLite format 3\0"):
            return "osaurus"
        if zipfile.is_zipfile(path):
            return _of_archive(path)
    except json_file.UNREADABLE as error:
        raise errors.InvalidParams(
            f"The daemon cannot read {path}, or it is damaged.",
            "Name a file that the daemon's user may read.",
        ) from error
    if not head.strip():
        raise errors.InvalidParams(f"{path.name} is empty.", "Name a file that has records.")
    found = _of_text(path, head)
    if found is None:
        raise errors.InvalidParams(f"{path.name} is of no format that is recognised.", _NAME_IT)
    return found


def _of_folder(path: Path) -> Foreign:
    """Return how a folder is read: a project's folder for its agents' files, else all its notes."""
    is_project = (path / ".git").exists()
    names = {entry.name.casefold() for entry in path.iterdir()}
    return "agent-files" if is_project and names & notes.OF_AGENTS else "notes"


def _of_archive(path: Path) -> Foreign:
    with zipfile.ZipFile(path) as archive:
        names = [entry.filename.rpartition("/")[2] for entry in archive.infolist()]
        for entry in archive.infolist():
            if re.fullmatch(r"conversations.*\.json", entry.filename.rpartition("/")[2]):
                try:
                    with archive.open(entry) as file:
                        head = file.read(_HEAD_BYTES).decode("utf-8-sig", "replace")
                except RuntimeError:
                    break  # encrypted, or compressed in another way: the reader says so
                if (found := _of_json(head)) is not None:
                    return found
    if {"memories.json", "projects.json"} & set(names):
        return "claude"
    if "conversations.json" in names:
        return "chatgpt"
    raise errors.InvalidParams("The archive holds no export that is recognised.", _NAME_IT)


def _of_text(path: Path, head: bytes) -> Format | None:
    if path.suffix.casefold() in folder.ENDINGS:
        return "agent-files" if path.name.casefold() in notes.OF_AGENTS else "notes"
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text.startswith(("{", "[")):
        return "ash" if _is_export(text) else _of_json(text)
    return "lines" if b"\0" not in head and path.suffix.casefold() in _OF_TEXT else None


def _is_export(text: str) -> bool:
    try:
        first: Any = json.loads(text.partition("\n")[0])
    except (json.JSONDecodeError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("kind") == "export"


def _of_json(head: str) -> Foreign | None:
    return next((name for name, is_it in _FIRST_OBJECT.items() if is_it(head)), None)


def _has(head: str, *fields: str) -> bool:
    """Return whether the beginning of a JSON text has one of these fields."""
    return re.search(rf'"(?:{"|".join(fields)})"\s*:', head) is not None
