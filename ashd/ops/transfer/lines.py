"""Read a text file line by line, with numbers, however long a line is."""

import codecs
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from ashd import errors, limits


class Line(NamedTuple):
    """A line that is not empty; an error in place of one that is too long."""

    number: int
    text: bytes | errors.AshError


def read(file: BinaryIO) -> Iterator[Line]:
    """Yield every line of a file that is not empty, counted from 1."""
    number = 0
    while text := file.readline(limits.IMPORT_LINE_BYTES + 1):
        number += 1
        if number == 1:
            text = text.removeprefix(codecs.BOM_UTF8)
        if len(text) <= limits.IMPORT_LINE_BYTES:
            if text.strip():
                yield Line(number, text)
            continue
        while text and not text.endswith(b"\n"):
            text = file.readline(limits.IMPORT_LINE_BYTES)
        yield Line(
            number,
            errors.TooLarge(f"A line has at most {limits.IMPORT_LINE_BYTES} bytes."),
        )
