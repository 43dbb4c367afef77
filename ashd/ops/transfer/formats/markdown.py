"""Markdown read as passages: front matter, headings with what stands under them, list items, links.

Front matter is read as the plain fields and lists that note programs write, never as YAML: a note
may come from anybody.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ashd.ops.transfer.formats.items import BlockItem, joined

_FRONT_CHARS: Final = 16 * 1024
_PASSAGE_CHARS: Final = 2_000
"""The length from which on a section is cut, at an empty line."""
_FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+)$")
_ITEM: Final = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)$")
_WIKI_LINK: Final = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_TAG: Final = re.compile(r"#((?=[\w/-]*[^\W\d])[\w/-]+)")
_TAGS_ALONE: Final = re.compile(rf"[ \t]*{_TAG.pattern}(?:[ \t,]+{_TAG.pattern})*[ \t]*")
_FIELD: Final = re.compile(r"^([A-Za-z_][\w-]{0,60}):(.*)$")
_LISTED: Final = re.compile(r"^[ \t]*-[ \t](.*)$")


class FrontMatter(NamedTuple):
    """The fields at the top of a note, each with its texts."""

    fields: dict[str, list[str]]
    is_too_long: bool = False
    """Whether the front matter was left out because it is too long."""

    def text(self, *names: str) -> str:
        """Return the first of these fields that has a text; empty if none has."""
        return next((self.fields[name][0] for name in names if self.fields.get(name)), "")


class Passage(NamedTuple):
    """A part of a note, with the headings above it: one block or several."""

    headings: tuple[str, ...]
    blocks: tuple[BlockItem, ...]

    @property
    def line(self) -> int:
        """The line that it begins on."""
        return self.blocks[0].line

    @property
    def text(self) -> str:
        """Its words, without the headings."""
        return joined(self.blocks)

    @property
    def links(self) -> tuple[str, ...]:
        """The names of the notes to which it links."""
        return tuple(dict.fromkeys(link for block in self.blocks for link in block.links))


class Note(NamedTuple):
    """A Markdown text, read."""

    front: FrontMatter
    passages: list[Passage]
    tags: tuple[str, ...] = ()
    """The tags in lines that hold only tags, without their `#`."""


def read(text: str, *, by_item: bool = False) -> Note:
    """Read a text: as its sections, or `by_item` as its paragraphs and list items."""
    front, rest, line = _front_matter(text.replace("\r\n", "\n"))
    told, tags = _without_tags(_without_comments(rest))
    blocks = _blocks(told, line)
    sections = ([block] for block in blocks) if by_item else _sections(blocks)
    return Note(front, list(_passages(sections)), tags)


def _without_comments(text: str) -> str:
    """Return the text without HTML comments; the lines keep their numbers."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*parts, text[at:]])


def _without_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without the lines that hold only tags, and the tags; line numbers stay."""
    lines, tags, fence = [], dict[str, None](), ""
    for row in text.split("\n"):
        fence = _fence_after(row, fence)
        is_of_tags = not fence and _TAGS_ALONE.fullmatch(row) is not None
        if is_of_tags:
            tags.update(dict.fromkeys(_TAG.findall(row)))
        lines.append("" if is_of_tags else row)
    return "\n".join(lines), tuple(tags)


def _fence_after(row: str, fence: str) -> str:
    """Return the fence of the code that goes on after a row; empty if none does."""
    mark = _FENCE.match(row)
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) and row.strip() == mark[1] else fence


def _front_matter(text: str) -> tuple[FrontMatter, str, int]:
    """Return the front matter, the rest of the text, and the line that this begins on."""
    if not re.match(r"---[ \t]*\n", text):
        return FrontMatter({}), text, 1
    end = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE).search(text, text.index("\n") + 1)
    if end is None:
        return FrontMatter({}), text, 1
    line = text.count("\n", 0, end.end()) + 1
    inside = text[text.index("\n") + 1 : end.start()]
    if len(inside) > _FRONT_CHARS:
        return FrontMatter({}, is_too_long=True), text[end.end() :], line
    return FrontMatter(_fields(inside)), text[end.end() :], line


def _fields(text: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if (field := _FIELD.match(line)) is not None:
            name = field[1].casefold()
            value = field[2].strip()
            is_list = value.startswith("[") and value.endswith("]")
            values = value[1:-1].split(",") if is_list else [value]
            fields[name] = [one for one in map(_unquoted, values) if one]
        elif name and (listed := _LISTED.match(line)) is not None:
            fields[name] += filter(None, [_unquoted(listed[1])])
    return fields


def _unquoted(value: str) -> str:
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


class _Block(NamedTuple):
    line: int
    headings: tuple[str, ...]
    text: str
    is_item: bool


def _blocks(text: str, line: int) -> Iterator[_Block]:
    """Yield the paragraphs, list items (with what is indented below) and fenced code."""
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    begun, is_item, fence = line, False, ""

    def block() -> Iterator[_Block]:
        content = "\n".join(lines).strip("\n").rstrip()
        if content.strip():
            yield _Block(begun, tuple(name for _, name in headings), content, is_item)
        lines.clear()

    for number, row in enumerate(text.split("\n"), start=line):
        was_code, fence = bool(fence), _fence_after(row, fence)
        if was_code:
            lines.append(row)
            if not fence and not is_item:
                yield from block()
        elif (heading := _HEADING.match(row)) is not None:
            yield from block()
            is_item, level = False, len(heading[1])
            headings[:] = [one for one in headings if one[0] < level]
            headings.append((level, plain(heading[2].rstrip().rstrip("#"))))
        elif fence:
            if not (is_item and lines and (lines[-1] or row[0].isspace())):
                yield from block()
                begun, is_item = number, False
            lines.append(row)
        elif (item := _ITEM.match(row)) is not None:
            yield from block()
            begun, is_item = number, True
            lines.append(item[1])
        elif not row.strip():
            if not is_item:
                yield from block()
            elif lines:
                lines.append("")
        else:
            if is_item and lines and not lines[-1] and not row[0].isspace():
                yield from block()  # a paragraph after a list
                is_item = False
            if not lines:
                begun, is_item = number, False
            lines.append(row)
    yield from block()


def _sections(blocks: Iterator[_Block]) -> Iterator[list[_Block]]:
    """Yield the blocks of each section together, cut where they are long."""
    section: list[_Block] = []
    size = 0
    for one in blocks:
        text = f"- {one.text}" if one.is_item else one.text
        is_same = bool(section) and section[0].headings == one.headings
        if section and not (is_same and size + len(text) < _PASSAGE_CHARS):
            yield section
            section, size = [], 0
        size += len(text) + (len(_before(text)) if section else 0)
        section.append(one._replace(text=text))
    if section:
        yield section


def _before(text: str) -> str:
    return "\n" if text.startswith("- ") else "\n\n"


def _passages(sections: Iterable[list[_Block]]) -> Iterator[Passage]:
    for section in sections:
        blocks = tuple(
            BlockItem(block.line, _before(block.text), _without_links(block.text), _links(block))
            for block in section
        )
        passage = Passage(section[0].headings, blocks)
        if re.search(r"\w", passage.text):
            yield passage


def _links(block: _Block) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_target(one[1]) for one in _WIKI_LINK.finditer(block.text)))


def _without_links(text: str) -> str:
    return _WIKI_LINK.sub(lambda found: found[2] or _target(found[1]), text)


def plain(text: str) -> str:
    """Return a text with the words of its wiki links in their place."""
    return _without_links(text).strip()


def _target(link: str) -> str:
    """Return the name of the note that a link means, without its folder and place in the note."""
    return link.partition("#")[0].rpartition("/")[2].strip() or link.strip()
