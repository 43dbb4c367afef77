"""Notes in Markdown: a folder of them (Obsidian, basic-memory), or one; and agents' instructions.

A section of a note is a fact with its file and heading; in the files that coding agents read
(`CLAUDE.md`, `AGENTS.md`, their memory files) each paragraph and list item is one, since those are
written as rules. Nothing outside the folder is read: symbolic links are not followed.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ashd import errors, limits
from ashd.ops.transfer.formats import folder, markdown
from ashd.ops.transfer.formats.folder import Text
from ashd.ops.transfer.formats.items import (
    BadItem,
    BlockItem,
    FactItem,
    Item,
    LeftOut,
    RelationItem,
    SourceItem,
    time_of,
)
from ashd.ops.transfer.formats.markdown import FrontMatter, Passage

OF_AGENTS: Final = frozenset(
    name.casefold()
    for name in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "MEMORY.md")
) | {"copilot-instructions.md"}
"""Names of the files with which coding agents are instructed."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_TIMES: Final = ("updated", "modified", "date", "created")
_OF_THE_NOTE: Final = frozenset(_TIMES) | frozenset(
    ("title", "tags", "aliases", "cssclass", "cssclasses", "publish", "permalink", "image", "cover")
)
"""Fields of front matter on the note itself; most of them are those that Obsidian knows."""
_RELATION: Final = re.compile(r"^- (\w[\w -]{0,60}?) \[\[([^\[\]|]{1,200})\]\]")


def read(path: Path) -> Iterator[Item]:
    """Yield the sections of the notes in a folder, or of one file.

    Raises:
        errors.InvalidParams: the folder holds no note.
    """
    yield from _read(path, lambda file: _is_of_agent(file, path))


def read_of_agents(path: Path) -> Iterator[Item]:
    """Yield the facts of a coding agent's files in a project's folder, or of one file."""
    if path.is_dir():
        yield from _read(path, lambda file: _is_of_agent(file, path), only_of_agents=True)
    else:
        yield from _read(path, lambda _: True)


def _is_of_agent(file: Path, root: Path) -> bool:
    inside = file.relative_to(root).parts if file != root else ()
    is_hidden = any(part in folder.FOLDERS_OF_AGENTS for part in inside[:-1])
    return file.name.casefold() in OF_AGENTS or is_hidden


def _read(
    root: Path,
    is_of_agent: Callable[[Path], bool],
    *,
    only_of_agents: bool = False,
) -> Iterator[Item]:
    found = 0
    for file, parent in folder.files(root):
        if isinstance(parent, errors.AshError):
            yield SourceItem(_name(file), is_whole=False)
            yield BadItem(0, parent, _within(file, root))
            continue
        if file.suffix.casefold() not in folder.ENDINGS and file != root:
            yield LeftOut(f"files that are no Markdown ({file.suffix.casefold() or 'no ending'})")
            continue
        of_agent = is_of_agent(file)
        if only_of_agents and not of_agent:
            yield LeftOut("files that coding agents do not read")
            continue
        found += 1
        text = folder.text_of(file, parent)
        if isinstance(text, errors.AshError):
            yield SourceItem(_name(file), is_whole=False)
            yield BadItem(0, text, _within(file, root))
            continue
        yield SourceItem(_name(file), is_whole=True)
        yield from _items(file, root, text, by_item=of_agent)
    if not found:
        if only_of_agents:
            raise errors.InvalidParams(
                f"{root} holds no file that coding agents read.",
                "Name a project's folder with a CLAUDE.md, AGENTS.md or the like.",
            )
        raise errors.InvalidParams(
            f"{root} holds no note in Markdown.",
            "Name a folder with notes in Markdown, or a file that ends in .md.",
        )


def identifier_of(file: str, content: str) -> str:
    """Return the id by which a fact of a file is recognised: its words there."""
    identity = f"{file}\n{content}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(identity).hexdigest()[:32]


def _within(file: Path, root: Path) -> str:
    return root.name if file == root else _name(file.relative_to(root))


def _name(path: Path) -> str:
    """Return a path as text: a name may hold any bytes."""
    return str(path).encode("utf-8", "replace").decode()


def _items(file: Path, root: Path, text: Text, *, by_item: bool) -> Iterator[Item]:
    note = markdown.read(text.content, by_item=by_item)
    within = _within(file, root)
    if note.front.is_too_long:
        yield BadItem(
            1,
            errors.TooLarge("The front matter is too long.", "The note was read without it."),
            within,
        )
    title = note.front.text("title") or ("" if by_item else _name(Path(file.stem)))
    at = _time(note.front) or _day_of(file, text.changed_at) or time_of(text.changed_at)
    named = (tag.lstrip("#").strip() for tag in note.front.fields.get("tags", []))
    tags = tuple(dict.fromkeys(tag[:100] for tag in (*named, *note.tags) if tag))[:50]
    passages = [*([] if by_item else _properties(note.front)), *note.passages]
    for passage in passages:
        headings = _headings(passage, title, by_item=by_item)
        parts = list(_parts(passage.text, headings))
        for part in parts:
            yield FactItem(
                line=passage.line,
                identifier=identifier_of(str(file), part),
                content=part,
                at=at,
                tags=tags,
                metadata={
                    "file": _name(file),
                    **({"heading": " / ".join(headings)} if headings else {}),
                    **({"links": list(passage.links[:50])} if passage.links else {}),
                },
                file=within,
                blocks=passage.blocks if len(parts) == 1 < len(passage.blocks) else (),
            )
    if not passages:
        yield LeftOut("notes without text")
    if "permalink" in note.front.fields:
        yield from _relations(title, text.content)


def _properties(front: FrontMatter) -> Iterator[Passage]:
    """Yield the fields that a person gave a note, such as a birthday; none of basic-memory's."""
    told = tuple(
        BlockItem(1, "; ", f"{name}: {markdown.plain(', '.join(values))}")
        for name, values in front.fields.items()
        if values and name not in _OF_THE_NOTE
    )
    if told and "permalink" not in front.fields:
        yield Passage(("Properties",), told)


def _relations(title: str, text: str) -> Iterator[Item]:
    """Yield the relations that basic-memory writes into a note: `- relation [[Target]]`."""
    for line, row in enumerate(text.split("\n"), start=1):
        if (found := _RELATION.match(row)) is not None:
            yield RelationItem(line, title, found[1].replace("_", " "), found[2])


def _headings(passage: Passage, title: str, *, by_item: bool) -> tuple[str, ...]:
    """Return the headings that a passage's words need: of a rule not the file's title."""
    headings = passage.headings[1:] or passage.headings if by_item else passage.headings
    named = [title, *(one for one in headings if one.casefold() != title.casefold())]
    return tuple(one[:200] for one in named if one)


def _parts(text: str, headings: tuple[str, ...]) -> Iterator[str]:
    """Return the text after its headings; a very long one in several parts."""
    before = " / ".join(headings)[:500]
    room = limits.CONTENT_CHARS - len(before) - 2
    for start in range(0, len(text), room):
        part = text[start : start + room]
        yield f"{before}: {part}" if before else part


def _time(front: FrontMatter) -> str | None:
    return time_of(front.text(*_TIMES))


def _day_of(file: Path, changed_at: float) -> str | None:
    """Return the day at the beginning of a file's name, as a daily note has it.

    None for a day after the last change: what was planned for then was told before.
    """
    found, changed = _DAY.match(file.name), time_of(changed_at)
    day = time_of(found[0]) if found is not None else None
    return day if day is not None and changed is not None and day <= changed else None
