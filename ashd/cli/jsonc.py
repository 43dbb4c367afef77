"""Edit JSON as text: change one place and leave every other character, comments included. Pure.

Comments (`//`, `/* */`) and commas after the last item are read, since several hosts allow them in
their settings.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

Path = Sequence[str | int]
_SPACE: Final = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR: Final = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null'
)
_INDENT: Final = re.compile(r"\n([ \t]+)[^\s*/]")


class NotJson(ValueError):
    """The text cannot be read, or a key on the path occurs more than once."""


@dataclass(slots=True)
class Item:
    """A member of an object (with its key) or an element of an array, and the comma after it."""

    start: int
    key: str | None
    node: "Node"
    comma: int | None = None


@dataclass(slots=True)
class Node:
    """A value: its place in the text, the value itself, and the items of a container."""

    start: int
    end: int
    value: Any
    items: list[Item]

    def at(self, name: str | int) -> Item | None:
        """Return the member with this key, or the element with this index.

        Raises:
            NotJson: the key is there more than once.
        """
        if isinstance(name, int):
            return self.items[name] if name < len(self.items) else None
        found = [item for item in self.items if item.key == name]
        if len(found) > 1:
            raise NotJson(f"It has {name!r} more than once.")
        return found[0] if found else None


def parse(text: str) -> Node:
    """Read a document.

    Raises:
        NotJson: it is no JSON, even with comments.
    """
    try:
        node, end = _value(text, _after_space(text, 0))
    except RecursionError:
        raise NotJson("It is nested too deeply.") from None
    if _after_space(text, end) != len(text):
        raise _wrong(text, end)
    return node


def put(text: str, path: Path, value: Any) -> str:
    """Return a document with another value at a path of objects, which are made if missing."""
    root = parse(text)
    node = root
    for depth, name in enumerate(path):
        item = node.at(name)
        if item is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _inserted(text, node, f"{_dumped(name)}: ", value)
        node = item.node
    if node.value == value and type(node.value) is type(value):
        return text
    return text[: node.start] + _rendered(text, node.start, value) + text[node.end :]


def append(text: str, path: Path, value: Any) -> str:
    """Return a document with one more element in the array at a path."""
    return _inserted(text, _found(text, path), "", value)


def remove(text: str, path: Path) -> str:
    """Return a document without the item at a path; comments beside it stay."""
    container = _found(text, path[:-1])
    item = container.at(path[-1])
    assert item is not None
    index = next(at for at, one in enumerate(container.items) if one is item)
    start, end = item.start, item.node.end
    before = ""
    if item.comma is not None:
        between = text[end : item.comma]
        end = item.comma + 1
        before = between if between.strip() else ""
    elif index:
        comma = container.items[index - 1].comma
        assert comma is not None
        text, start, end = text[:comma] + text[comma + 1 :], start - 1, end - 1
    line_start = text.rfind("\n", 0, start) + 1
    line_end = (text.find("\n", end) + 1 or len(text) + 1) - 1
    if text[line_start:start].strip():
        end += len(text[end:line_end]) - len(text[end:line_end].lstrip(" \t"))
        if item.comma is None:
            start = len(text[:start].rstrip(" \t"))
    elif not text[end:line_end].strip() and not before:
        start, end = len(text[:line_start].removesuffix("\n").removesuffix("\r")), line_end
        end -= text[line_start:line_end].endswith("\r")
    return _closed(text[:start] + before + text[end:], path[:-1])


def is_bare(text: str, path: Path) -> bool:
    """Return whether the container at a path has neither items nor comments."""
    node = _found(text, path)
    return not node.items and not text[node.start + 1 : node.end - 1].strip()


def _closed(text: str, path: Path) -> str:
    """Return a document whose container at a path has no space inside if it is empty."""
    node = _found(text, path)
    if is_bare(text, path):
        return text[: node.start + 1] + text[node.end - 1 :]
    return text


def _found(text: str, path: Path) -> Node:
    node = parse(text)
    for name in path:
        item = node.at(name)
        assert item is not None
        node = item.node
    return node


def _inserted(text: str, node: Node, lead: str, value: Any) -> str:
    """Return a document with one more item at the end of a container; `lead` is its key."""
    close, newline = node.end - 1, _newline(text)
    kept = len(text[:close].rstrip())  # the end of the last item, or of a comment after it
    last = node.items[-1] if node.items else None
    if last is not None and "\n" not in text[node.start : node.end]:
        comma = "" if last.comma is not None else ","
        end = last.node.end if last.comma is None else last.comma + 1
        return f"{text[:end]}{comma} {lead}{_dumped(value)}{text[end:]}"
    base = _indent_at(text, node.start)
    indent = base + _unit(text)
    if last is not None and not text[text.rfind("\n", 0, last.start) + 1 : last.start].strip():
        indent = _indent_at(text, last.start)
    item = f"{newline}{indent}{lead}{_rendered(text, None, value, indent)}"
    ending = text[kept:close] if "\n" in text[kept:close] else newline + base
    if last is None:
        return text[:kept] + item + ending + text[close:]
    if last.comma is None:
        return f"{text[: last.node.end]},{text[last.node.end : kept]}{item}{ending}{text[close:]}"
    return f"{text[:kept]}{item},{ending}{text[close:]}"


def _rendered(text: str, at: int | None, value: Any, indent: str = "") -> str:
    """Return a value as text, its later lines indented as the line at `at` is."""
    if at is not None:
        indent = _indent_at(text, at)
        if "\n" not in text.strip() and text.strip() != "{}":
            return _dumped(value)
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """Return the indentation of one level: that of the first indented line."""
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _value(text: str, at: int) -> tuple[Node, int]:
    if text[at : at + 1] in {"{", "["}:
        items = list(_items(text, at))
        end = _after_space(text, _end_of(items, at + 1)) + 1
        values = [item.node.value for item in items]
        made: Any = values
        if text[at] == "{":
            made = dict(zip((item.key for item in items), values, strict=True))
        return Node(at, end, made, items), end
    found = _SCALAR.match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        value = json.loads(found[0])
    except ValueError:
        raise _wrong(text, at) from None
    return Node(at, found.end(), value, []), found.end()


def _items(text: str, start: int) -> Iterator[Item]:
    """Yield the items of the container that begins at `start`, up to its closing sign."""
    closing = "}" if text[start] == "{" else "]"
    at = _after_space(text, start + 1)
    while text[at : at + 1] != closing:
        key, begin = None, at
        if closing == "}":
            named, at = _value(text, at)
            key = named.value
            at = _after_space(text, at)
            if not isinstance(key, str) or text[at : at + 1] != ":":
                raise _wrong(text, at)
            at = _after_space(text, at + 1)
        node, end = _value(text, at)
        item = Item(begin, key, node)
        at = _after_space(text, end)
        if text[at : at + 1] == ",":
            item.comma = at
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _wrong(text, at)
        yield item


def _end_of(items: list[Item], start: int) -> int:
    """Return where the last item ends, with its comma; `start` if there is none."""
    if not items:
        return start
    last = items[-1]
    return last.node.end if last.comma is None else last.comma + 1


def _wrong(text: str, at: int) -> NotJson:
    return NotJson(f"It is not JSON: line {text.count(chr(10), 0, at) + 1} cannot be read.")
