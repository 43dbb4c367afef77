"""Objects of a JSON file one after the other, however large the file is.

The file is a list of objects, an object that holds such a list, or one object a line; it may lie in
a zip archive, as downloads do.
"""

import codecs
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from ashd import errors
from ashd.ops.transfer.formats.items import BadItem

_READ_BYTES: Final = 1 << 20
_OBJECT_CHARS: Final = 64 * 1024 * 1024
_HEAD_CHARS: Final = 64 * 1024
_SPACE: Final = re.compile(r"[\s,]*")
_decoder: Final = json.JSONDecoder()


@contextmanager
def opened(path: Path, member: str) -> Iterator[BinaryIO]:
    """Open a file, or in an archive the member of that name.

    Raises:
        errors.InvalidParams: there is none that can be read.
    """
    try:
        if not zipfile.is_zipfile(path):
            with path.open("rb") as file:
                yield file
            return
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.split("/")[-1] == member]
            if not names:
                raise errors.InvalidParams(f"The archive has no {member}.", "Name another file.")
            with archive.open(names[0]) as inside:
                yield cast("BinaryIO", inside)
    except (OSError, zipfile.BadZipFile) as error:
        raise errors.InvalidParams(
            f"The daemon cannot read {path}.", "Name a file that the daemon's user may read."
        ) from error


def objects(
    file: BinaryIO, list_name: str | None = None, *, show: Callable[[int], None]
) -> Iterator[tuple[int, dict[str, Any]] | BadItem]:
    """Every object of the file with the line that it begins on.

    What cannot be read is a `BadItem`; nothing can be read after it, unless the file has one
    object a line.
    """
    window = _Window(file, show)
    window.fill(_HEAD_CHARS)
    by_line = False
    if window.text.startswith("{"):
        opening = re.search(rf'"{list_name}"\s*:\s*\[', window.text) if list_name else None
        if opening is not None:
            window.skip(opening.end())
        else:
            by_line = True
    elif window.text.startswith("["):
        window.skip(1)
    else:
        yield BadItem(1, errors.InvalidParams("The file is not of this format.", "Name another."))
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
    """The part of a text file that is looked at."""

    def __init__(self, file: BinaryIO, show: Callable[[int], None]) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._show = show
        self._ended = False
        self._read = 0
        self.is_broken = False
        """Whether it met what is not JSON, behind which nothing can be told apart."""
        self.text = ""
        self.line = 1

    def fill(self, chars: int) -> None:
        """Have so many characters, if the file has them."""
        parts, length = [self.text], len(self.text)
        while length < chars and not self._ended:
            read = self._file.read(_READ_BYTES)
            self._ended = not read
            parts.append(self._decode.decode(read, final=self._ended))
            length += len(parts[-1])
            self._read += len(read)
        self.text = "".join(parts)
        self._show(self._read)

    def skip(self, chars: int) -> None:
        """Go on so many characters."""
        self.line += self.text.count("\n", 0, chars)
        self.text = self.text[chars:]

    def next(self, *, by_line: bool) -> tuple[int, dict[str, Any] | errors.AshError] | None:
        """The next object, with its line; None at the end."""
        self._skip_space()
        if not self.text or self.text[0] == "]":
            return None
        line = self.line
        while True:
            try:
                value, end = _decoder.raw_decode(self.text)
            except (json.JSONDecodeError, RecursionError):
                if by_line and "\n" in self.text:
                    self.skip(self.text.index("\n") + 1)
                    return line, _unreadable()
                if self._ended or len(self.text) > _OBJECT_CHARS:
                    self.skip(len(self.text))
                    self.is_broken = True
                    return line, _broken()
                self.fill(2 * len(self.text))
                continue
            self.skip(end)
            return line, value if isinstance(value, dict) else _unreadable()

    def _skip_space(self) -> None:
        while True:
            found = _SPACE.match(self.text)
            assert found is not None
            self.skip(found.end())
            if self.text or self._ended:
                return
            self.fill(_HEAD_CHARS)


def _unreadable() -> errors.AshError:
    return errors.ParseError("This is no JSON object of this format.", "Leave it out, or mend it.")


def _broken() -> errors.AshError:
    return errors.InvalidParams(
        "This is not JSON, and nothing after it was read.", "Mend the file, and import it again."
    )
