"""Our hooks in the files of agent hosts: recognised by their command, added and removed. Pure.

A file has lists of hooks by event. In some hosts the lists hold groups of hooks, in others hooks
alone.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from ashd.cli import jsonc
from ashd.cli.host_entries import (
    CannotEdit,
    File,
    holds_only,
    is_ash,
    object_in,
    read_json,
    same,
    with_reasons,
)

_Path = tuple[str | int, ...]
_IN_GROUP: Final = 5
"""The length of a path to a hook in a group: hooks, event, place, hooks, place."""


@dataclass(frozen=True, slots=True)
class _Hooks:
    """The form of a host's hooks: `events` has our fields besides the command, which is `key`."""

    host: str
    events: Mapping[str, dict[str, Any]]
    grouped: bool
    key: str = "command"
    head: Mapping[str, Any] = field(default_factory=dict)

    def add(self, text: str, command: list[str]) -> str:
        """Return the text with one hook of ours for each event."""
        made = text if text.strip() else "{}\n"
        before = read_json(made)
        for name, value in self.head.items():
            made = made if name in before else jsonc.put(made, (name,), value)
        for event, fields in self.events.items():
            line = " ".join([*map(_quoted, command[:-1]), "hook", event, self.host])
            made = self._with_hook(made, event, {**fields, self.key: line})
        return same(made, self._of_others(read_json(made)), self._of_others(before))

    def remove(self, text: str) -> str:
        """Return the text without our hooks."""
        before, made = read_json(text), text
        for event in self.events:
            for one in self._places(before, event):
                made = _without(made, one)
        return same(made, self._of_others(read_json(made)), self._of_others(before))

    def _with_hook(self, text: str, event: str, hook: dict[str, Any]) -> str:
        value = read_json(text)
        if not isinstance(object_in(value, "hooks").get(event, []), list):
            raise CannotEdit(f"hooks.{event} is not a list.")
        ours = [*self._places(value, event)]
        for one in ours[:-1]:
            text = _without(text, one)
        if ours:
            return jsonc.put(text, ours[-1], hook)
        entry = {"hooks": [hook]} if self.grouped else hook
        if event in value["hooks"]:
            return jsonc.append(text, ("hooks", event), entry)
        return jsonc.put(text, ("hooks", event), [entry])

    def _places(self, value: dict[str, Any], event: str) -> Iterator[_Path]:
        """Yield the paths of our hooks for an event, the last first."""
        hooks = value.get("hooks")
        listed = hooks.get(event) if isinstance(hooks, dict) else None
        for at, one in reversed([*enumerate(listed if isinstance(listed, list) else [])]):
            group = one.get("hooks") if isinstance(one, dict) and self.grouped else None
            if isinstance(group, list):
                for place, hook in reversed([*enumerate(group)]):
                    if self._is_ours(hook, event):
                        yield ("hooks", event, at, "hooks", place)
            elif self._is_ours(one, event):
                yield ("hooks", event, at)

    def _is_ours(self, hook: Any, event: str) -> bool:
        """Return whether a hook is one that `ash connect` writes, or wrote, for this event."""
        try:
            words = shlex.split(hook[self.key])
        except (TypeError, KeyError, ValueError, AttributeError):
            return False
        ours = ["hook", event]
        return is_ash(words) and (words[-2:] == ours or words[-3:] == [*ours, self.host])

    def _of_others(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the settings without our hooks, and without containers that are empty then."""
        left = {**self.head, **deepcopy(value)}
        for event in self.events:
            for path in self._places(value, event):
                _delete(left, path)
                if len(path) == _IN_GROUP and not _get(left, path[:-1]):
                    _delete(left, path[:3])
            if isinstance(left.get("hooks"), dict) and left["hooks"].get(event) == []:
                del left["hooks"][event]
        if left.get("hooks") == {}:
            del left["hooks"]
        return left


def json_hooks(
    host: str,
    path: str,
    events: Mapping[str, dict[str, Any]],
    *,
    grouped: bool = True,
    key: str = "command",
    head: Mapping[str, Any] | None = None,
) -> File:
    """A JSON file with our hooks for some events, and `head` beside them.

    `host` is the name by which our hooks say whose events they are, `key` that of the field with
    the command.
    """
    hooks = _Hooks(host, events, grouped, key, head or {})
    bare = holds_only(hooks.head)
    return File(path, with_reasons(hooks.add), with_reasons(hooks.remove), bare)


def _without(text: str, path: _Path) -> str:
    """Return a text without a hook, and without the group, the list and the object left empty."""
    made = jsonc.remove(text, path)
    while len(path) > 1 and jsonc.is_bare(made, path[:-1]):
        path = path[:3] if len(path) == _IN_GROUP else path[:-1]
        made = jsonc.remove(made, path)
    return made


def _get(value: Any, path: _Path) -> Any:
    for name in path:
        value = value[name]
    return value


def _delete(value: Any, path: _Path) -> None:
    del _get(value, path[:-1])[path[-1]]


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\\''") + "'"
