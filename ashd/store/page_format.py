"""The pages of a database file: their rows' numbers, and the gaps between their cells.

The format is that of SQLite's documentation ("Database File Format", section 1.6). Pages that do
not fit it are an error: nobody could say that such a tree has no gap.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import apsw

from ashd import errors
from ashd.store import decrypted_file, encryption
from ashd.store.decrypted_file import DecryptedFile

_INDEX_INTERIOR: Final = 2
_INDEX_LEAF: Final = 10
_TABLE_INTERIOR: Final = 5
_TABLE_LEAF: Final = 13
_HEADER_BYTES: Final = {
    _TABLE_INTERIOR: 12,
    _TABLE_LEAF: 8,
    _INDEX_INTERIOR: 12,
    _INDEX_LEAF: 8,
}
_TABLE: Final = frozenset({_TABLE_INTERIOR, _TABLE_LEAF})
_INDEX: Final = frozenset({_INDEX_INTERIOR, _INDEX_LEAF})
_FEWEST_BYTES: Final = 8
"""A gap with fewer bytes holds no word."""
_VARINT_BYTES: Final = 9


@contextmanager
def opened(path: Path) -> Iterator["Pages"]:
    """Yield the pages of a database file, decrypted."""
    if encryption.key_of(path) is not None:
        with decrypted_file.opened(path) as decrypted:
            yield Pages(decrypted, decrypted.page_size)
        return
    # Through SQLite's own file handle: closing another one would drop the locks of the process.
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    file = apsw.VFSFile("", str(path), flags)
    try:
        size = int.from_bytes(file.xRead(18, 0)[16:18])
        yield Pages(file, 65_536 if size == 1 else size)
    finally:
        file.xClose()


class Pages:
    """The pages of a file."""

    def __init__(self, file: apsw.VFSFile | DecryptedFile, size: int) -> None:
        self._file = file
        self._size = size
        self._count = file.xFileSize() // size

    def gaps(self, root: int) -> Iterator[tuple[int | None, int]]:
        """Return the non-empty gaps of a table: the first row of each one's page, and its size.

        The row is None if the table is empty.
        """
        for page in self._leaves(root):
            first, top = _gap(page)
            if _has_bytes(page):
                yield _first_row(page), top - first

    def has_traces(self, root: int, most: int) -> bool:
        """Return whether an index of at most so many pages has a non-empty gap."""
        pages = list(islice(self._tree(root, _INDEX), most + 1))
        return len(pages) <= most and any(map(_has_bytes, pages))

    def _leaves(self, root: int) -> Iterator[bytes]:
        return (page for page in self._tree(root, _TABLE) if page[0] == _TABLE_LEAF)

    def _tree(self, root: int, kinds: Collection[int]) -> Iterator[bytes]:
        """Return every page of a tree.

        Raises:
            errors.DatabaseDamaged: there is no such tree.
        """
        count, waiting = 0, [root]
        while waiting:
            count += 1
            page = self._file.xRead(self._size, (waiting.pop() - 1) * self._size)
            if len(page) < self._size or page[0] not in kinds or count > self._count:
                raise errors.DatabaseDamaged("The database's pages do not fit together.")
            if page[0] in {_TABLE_INTERIOR, _INDEX_INTERIOR}:
                waiting.append(int.from_bytes(page[8:12]))
                waiting += [int.from_bytes(page[at : at + 4]) for at in _cells(page)]
            yield page


def _cells(page: bytes) -> list[int]:
    """Return the offsets of a page's cells."""
    start, count = _HEADER_BYTES[page[0]], int.from_bytes(page[3:5])
    return [int.from_bytes(page[at : at + 2]) for at in range(start, start + 2 * count, 2)]


def _has_bytes(page: bytes) -> bool:
    """Return whether the gap of a page is not empty."""
    first, top = _gap(page)
    return len(page[first:top].strip(b"\0")) >= _FEWEST_BYTES


def _gap(page: bytes) -> tuple[int, int]:
    """Return the start and the end of a page's gap."""
    count = int.from_bytes(page[3:5])
    return _HEADER_BYTES[page[0]] + 2 * count, int.from_bytes(page[5:7]) or 65_536


def _first_row(page: bytes) -> int | None:
    """Return the row number of a leaf's first cell: after the size of the row, both as varints."""
    cells = _cells(page)
    if not cells:
        return None
    cell = page[cells[0] :][: 2 * _VARINT_BYTES].ljust(2 * _VARINT_BYTES, b"\0")
    _, at = _varint(cell, 0)
    return _varint(cell, at)[0]


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """Return a varint of up to nine bytes, and where it ends."""
    value = 0
    for place in range(_VARINT_BYTES - 1):
        byte = page[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    value = value << 8 | page[at + 8]
    return value - (1 << 64 if value >> 63 else 0), at + _VARINT_BYTES
