"""A plain text with one fact a line; list marks and lines that begin with # are left out."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ashd import errors
from ashd.ops.transfer import lines
from ashd.ops.transfer.formats.items import BadItem, FactItem, Item, LeftOut

_MARK: Final = re.compile(r"^(?:[-*+•]|\d{1,9}[.)])\s+")


def read(path: Path) -> Iterator[Item]:
    """Yield the fact of each line of a file."""
    with path.open("rb") as file:
        for line in lines.read(file):
            yield _item(line)


def _item(line: lines.Line) -> Item:
    if isinstance(line.text, errors.AshError):
        return BadItem(line.number, line.text)
    if b"\0" in line.text:
        return BadItem(line.number, errors.InvalidParams("This is no text.", "It is left out."))
    try:
        text = line.text.decode().strip()
    except UnicodeDecodeError:
        wrong = errors.InvalidParams("The line is not in UTF-8.", "Save the file in UTF-8.")
        return BadItem(line.number, wrong)
    if text.startswith("#"):
        return LeftOut("lines that begin with #")
    fact = _MARK.sub("", text)
    digest = hashlib.sha256(fact.encode()).hexdigest()[:32]
    return FactItem(line=line.number, identifier=digest, content=fact, at=None)
