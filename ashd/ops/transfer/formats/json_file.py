"""Read the objects of a JSON file one after the other, however large the file is.

The file is a list of objects, an object that holds such a list, or one object per line; it may be
in a zip archive, in several parts, as downloads are.
"""

import codecs
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from ashd import errors
from ashd.ops.transfer.formats.items import BadItem

_READ_BYTES: Final = 1 << 20
_OBJECT_CHARS: Final = 16 * 1024 * 1024
"""The longest object that is read: a hostile one takes some fifty times its size in memory."""
_HEAD_CHARS: Final = 64 * 1024
_BOMB_BYTES: Final = 16 * 1024 * 1024
_BOMB_RATIO: Final = 200
"""Compression ratio beyond which a large member of an archive is refused as a bomb."""
UNREADABLE: Final = (OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""Errors of a file, or of a damaged archive, whatever packed it."""
_SPACE: Final = re.compile(r"[\s,]*")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_decoder: Final = json.JSONDecoder()


def objects(
    path: Path,
    members: Sequence[str],
    list_name: str | None = None,
) -> Iterator[tuple[int, dict[str, Any]] | BadItem]:
    """Yield every object of a file, or of an archive's members whose name matches one of `members`.

    `list_name` is the name of the list inside an object, or several with `|` between them. Each
    object comes with the line that it begins on, counted through all members. What cannot be read
    is a `BadItem`; nothing can be read after it, unless the file has one object per line.

    Raises:
        errors.InvalidParams: there is no file that can be read.
    """
    line = 0
    try:
        for file in _files(path, members):
            window = _Window(file, line + 1)
            yield from _objects(window, list_name)
            line = window.line
    except UNREADABLE as error:
        raise errors.InvalidParams(
            f"The daemon cannot read {path}, or it is damaged.",
            "Name a file that the daemon's user may read.",
        ) from error


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text, as `_storable`.

    Raises:
        ValueError: the text is no JSON, or nested too deep.
    """
    try:
        return _storable(json.loads(text))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _storable(value: Any) -> Any:
    """Return a value with a question mark for each half of a character, which JSON can spell."""
    text = json.dumps(value, ensure_ascii=False)
    whole = text.encode("utf-8", "replace").decode()
    return value if whole == text else json.loads(whole)


def whole(path: Path) -> dict[str, Any]:
    """Return the object that is a whole file.

    Raises:
        errors.InvalidParams: the file is no such object, or too large for one.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_OBJECT_CHARS + 1)
        value = parsed(text) if len(text) <= _OBJECT_CHARS else None
    except (OSError, ValueError) as error:
        raise _broken() from error
    if not isinstance(value, dict):
        raise errors.InvalidParams(
            f"The file is no JSON object of at most {_OBJECT_CHARS:,} bytes.", "Name another."
        )
    return value


def _files(path: Path, members: Sequence[str]) -> Iterator[BinaryIO]:
    if not zipfile.is_zipfile(path):
        with path.open("rb") as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        for entry in _members(archive, members):
            with _open(archive, entry) as inside:
                yield inside


def _members(archive: zipfile.ZipFile, names: Sequence[str]) -> list[zipfile.ZipInfo]:
    """Yield the members to read, in the order of their names; nothing is unpacked to the disk."""
    found = [
        entry
        for entry in archive.infolist()
        if any(fnmatch(entry.filename.split("/")[-1], name) for name in names)
    ]
    if not found:
        raise errors.InvalidParams(f"The archive has no {names[0]}.", "Name another file.")
    # Members may lie over each other: together they are bounded by the archive itself.
    archived = Path(str(archive.filename)).stat().st_size
    together = sum(entry.file_size for entry in found)
    sizes = [(one.filename, one.file_size, one.compress_size) for one in found]
    for name, size, packed in [*sizes, (f"All {names[0]}", together, archived)]:
        if size > max(_BOMB_BYTES, _BOMB_RATIO * packed):
            raise errors.InvalidParams(
                f"{name} in the archive has {size:,} bytes, packed into {packed:,}:"
                " no text is like that.",
                "Unpack it, look at it, and import the file that was in it.",
            )
    return sorted(found, key=lambda entry: entry.filename)


def _open(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> BinaryIO:
    try:
        return cast("BinaryIO", archive.open(entry))
    except (RuntimeError, NotImplementedError) as error:
        raise errors.InvalidParams(
            f"{entry.filename} in the archive is encrypted, or packed in a way that is not known.",
            "Unpack it, and import the file that was in it.",
        ) from error


def _objects(
    window: "_Window", list_name: str | None
) -> Iterator[tuple[int, dict[str, Any]] | BadItem]:
    window.fill(_HEAD_CHARS)
    by_line = False
    head = window.head()
    if head.startswith("{"):
        opening = re.search(rf'"(?:{list_name})"\s*:\s*\[', head) if list_name else None
        if opening is not None:
            window.skip(opening.end())
        else:
            by_line = True
    elif head.startswith("["):
        window.skip(1)
    else:
        wrong = errors.InvalidParams("The file is not of this format.", "Name another.")
        yield BadItem(window.line, wrong)
        return
    while (found := window.next(by_line=by_line)) is not None:
        line, value = found
        if isinstance(value, dict):
            yield line, value
        else:
            yield BadItem(line, value)
            if window.is_broken:
                return


class _Window:
    """The part of a text file that is being read."""

    def __init__(self, file: BinaryIO, line: int) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._ended = False
        self._text = ""
        self._at = 0
        self.is_broken = False
        """Whether invalid JSON was met, after which objects cannot be told apart."""
        self.line = line

    def head(self) -> str:
        """Return the characters at the beginning of the file."""
        return self._text[self._at : self._at + _HEAD_CHARS]

    @property
    def _chars(self) -> int:
        return len(self._text) - self._at

    def fill(self, chars: int) -> None:
        """Read until so many characters are available, if the file has them."""
        parts, length = [self._text[self._at :]], self._chars
        while length < chars and not self._ended:
            read = self._file.read(_READ_BYTES)
            self._ended = not read
            parts.append(self._decode.decode(read, final=self._ended))
            length += len(parts[-1])
        self._text, self._at = "".join(parts), 0

    def skip(self, chars: int) -> None:
        """Skip so many characters."""
        self.line += self._text.count("\n", self._at, self._at + chars)
        self._at += chars

    def next(self, *, by_line: bool) -> tuple[int, dict[str, Any] | errors.AshError] | None:
        """Return the next object, with its line; None at the end."""
        self._skip_space()
        if not self._chars or self._text[self._at] == "]":
            return None
        line = self.line
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
                if _SURROGATE.search(self._text, self._at, end):
                    value = _storable(value)
            except (ValueError, RecursionError):  # a number may be too long to be read
                if by_line and (end := self._text.find("\n", self._at)) >= 0:
                    self.skip(end + 1 - self._at)
                    return line, _unreadable()
                if self._ended or self._chars > _OBJECT_CHARS:
                    self.skip(self._chars)
                    self.is_broken = True
                    return line, _broken()
                self.fill(2 * self._chars)
                continue
            self.skip(end - self._at)
            return line, value if isinstance(value, dict) else _unreadable()

    def _skip_space(self) -> None:
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None
            self.skip(found.end() - self._at)
            if self._chars or self._ended:
                return
            self.fill(_HEAD_CHARS)


def _unreadable() -> errors.AshError:
    return errors.ParseError("This is no JSON object of this format.", "Leave it out, or mend it.")


def _broken() -> errors.AshError:
    return errors.InvalidParams(
        "This is not JSON, and nothing after it was read.", "Mend the file, and import it again."
    )
