"""Our entry in the files of agent hosts: recognised by its command, added and removed. Pure.

Nothing else in a file is changed. Before an edit is used, its result is compared with the intended
one, so that a file of an unexpected form is refused, not spoilt.
"""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from ashd.cli import jsonc, toml_table

NAME: Final = "ash"
"""Our entry's name among a host's servers."""
_OLD_MARKS: Final = ("# begin: made by `ash connect`", "# end: made by `ash connect`")
"""Comments that earlier versions put around our table."""


class CannotEdit(Exception):
    """The file cannot be edited without losing something."""


@dataclass(frozen=True, slots=True)
class File:
    """A configuration file of a host, below the person's home, and the change to it."""

    path: str
    add: Callable[[str, list[str]], str]
    """Return the new text, from the old one and the command."""
    remove: Callable[[str], str]
    """Return the new text without our entry; an empty one if the file is to be deleted."""
    is_bare: Callable[[str], bool]
    """Return whether a text holds no more than `add` writes around our entry."""
    others: tuple[str, ...] = ()
    """Other paths of the same file; the first is changed if it exists and `path` does not."""


def json_servers(
    path: str,
    key: str,
    entry: Callable[[list[str]], dict[str, Any]],
    others: tuple[str, ...] = (),
) -> File:
    """A JSON file with an object of servers by name."""

    def add(text: str, command: list[str]) -> str:
        value = read_json(text)
        expected = deepcopy(value)
        found = object_in(expected, key).get(NAME)
        if found is not None and not _is_our_server(found):
            raise CannotEdit(f"It has a server {NAME!r} that `ash connect` did not write.")
        fields = entry(command)
        expected[key][NAME] = {**(found or {}), **fields}
        made = text if text.strip() else "{}\n"
        if found is None:
            made = jsonc.put(made, (key, NAME), fields)
        else:
            for name, field in fields.items():
                made = jsonc.put(made, (key, NAME, name), field)
        return _checked(made, expected)

    def remove(text: str) -> str:
        expected = read_json(text)
        servers = expected.get(key)
        if not isinstance(servers, dict) or not _is_our_server(servers.get(NAME)):
            return text
        made = jsonc.remove(text, (key, NAME))
        del servers[NAME]
        if jsonc.is_bare(made, (key,)):
            made = jsonc.remove(made, (key,))
            del expected[key]
        return _checked(made, expected)

    return File(path, with_reasons(add), with_reasons(remove), holds_only({}), others)


def toml_servers(path: str, key: str) -> File:
    """A TOML file with a table of servers by name."""

    def ours(text: str) -> dict[str, Any] | None:
        servers = toml_table.parse(text).get(key)
        found = servers.get(NAME) if isinstance(servers, dict) else None
        return found if _is_our_server(found) else None

    def add(text: str, command: list[str]) -> str:
        expected = toml_table.parse(text)
        servers = object_in(expected, key)
        if NAME in servers and ours(text) is None:
            raise CannotEdit(f"It has a server {NAME!r} that `ash connect` did not write.")
        fields = {"command": command[0], "args": command[1:]}
        if servers.get(NAME) == (wanted := {**servers.get(NAME, {}), **fields}):
            return text
        servers[NAME] = wanted
        left = toml_table.without_comments(text, _OLD_MARKS)
        made = toml_table.put(left, (key, NAME), fields)
        return same(made, toml_table.parse(made), expected)

    def remove(text: str) -> str:
        if ours(text) is None:
            return text
        left = toml_table.without_comments(text, _OLD_MARKS)
        made = toml_table.remove(left, (key, NAME))
        expected = toml_table.parse(text)
        del expected[key][NAME]
        after = toml_table.parse(made)
        if not expected[key] and key not in after:
            del expected[key]
        return same(made, after, expected)

    return File(path, with_reasons(add), with_reasons(remove), lambda text: not text.strip())


def with_reasons(edit: Callable[..., str]) -> Callable[..., str]:
    """Return the edit with its reader's errors as reasons not to edit."""

    def edited(*given: Any) -> str:
        try:
            return edit(*given)
        except (jsonc.NotJson, toml_table.NotToml) as error:
            raise CannotEdit(str(error)) from None

    return edited


def read_json(text: str) -> dict[str, Any]:
    """Return the object of a JSON file, empty for an empty file."""
    value = jsonc.parse(text).value if text.strip() else {}
    if not isinstance(value, dict):
        raise CannotEdit("It is not a JSON object.")
    return value


def holds_only(fields: Mapping[str, Any]) -> Callable[[str], bool]:
    """Return a test of a JSON text: whether it holds at most these fields, and no comment."""

    def is_bare(text: str) -> bool:
        try:
            value = json.loads(text) if text.strip() else {}
        except ValueError:
            return False
        return isinstance(value, dict) and value.items() <= fields.items()

    return is_bare


def object_in(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key; make it if it is missing."""
    found = value.setdefault(key, {})
    if not isinstance(found, dict):
        raise CannotEdit(f"{key} is not an object.")
    return found


def _checked(made: str, expected: dict[str, Any]) -> str:
    return same(made, read_json(made), expected)


def same(made: str, value: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return the edited text if it holds the intended values.

    Raises:
        CannotEdit: it does not.
    """
    if value != expected:
        raise CannotEdit("It is written in a form that cannot be edited safely.")
    return made


def _is_our_server(found: Any) -> bool:
    """Return whether an entry starts `ash mcp`."""
    if not isinstance(found, dict):
        return False
    command, arguments = found.get("command"), found.get("args", [])
    words = command if isinstance(command, list) else [command, *_list(arguments)]
    return all(isinstance(word, str) for word in words) and words[-1:] == ["mcp"] and is_ash(words)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [None]


def is_ash(words: list[str]) -> bool:
    """Return whether a command line starts `ash`, by its name or as a module."""
    return bool(words) and (
        PurePath(words[0]).name == "ash" or words[1:3] == ["-m", "ashd.cli.ash"]
    )
