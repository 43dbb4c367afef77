"""Look for words in a database, in every form in which they could be there.

That is in its files; over PostgreSQL in every column of every table. Copies of erased rows that the
server has yet to vacuum are not looked for.
"""

import contextlib
import json
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from postgres import DATABASES
from rows import opened


def forms(word: str) -> set[bytes]:
    """A word as bytes: as it is, folded as the index folds it, stemmed, escaped, as UTF-16."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", word)
        if not unicodedata.combining(letter)
    )
    texts = {word, word.lower(), word.upper(), word.capitalize(), plain.lower()}
    # A stemmer's result; even two letters less match no other word of a test.
    texts |= {text[:-2] for text in texts if len(text) > 6}
    escaped = {json.dumps(text)[1:-1] for text in texts}
    return {
        *(text.encode() for text in texts | escaped),
        *(text.encode("utf-16-le") for text in texts),
        *(text.encode("utf-16-be") for text in texts),
    }


def left_in(folder: Path, words: Iterable[str]) -> set[str]:
    """Return the words of which a form is in a file of the folder: the database and its logs."""
    texts = contents(folder)
    assert any(texts)
    texts += [inflated for text in texts for inflated in _inflated(text)]
    return {word for word in words if any(form in text for form in forms(word) for text in texts)}


def contents(folder: Path) -> list[bytes]:
    """Return all that a folder with a database holds: its files, and its tables at a server."""
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    if DATABASES is not None:
        texts += _at_server(folder / "ash.db")
    return texts


def _at_server(path: Path) -> Iterator[bytes]:
    """Yield what is in each table of the database that stands for the file at `path`."""
    with opened(path, read_only=True) as connection:
        tables = connection.execute(
            "select cast(c.oid as regclass) from pg_class c"
            " join pg_namespace n on n.oid = c.relnamespace"
            " where n.nspname = 'ashd' and c.relkind = 'r'"
        ).fetchall()
        for (table,) in tables:
            rows = connection.execute(f"select * from {table}")
            yield b"\n".join(
                value if isinstance(value, bytes) else str(value).encode()
                for row in rows
                for value in row
            )


def _inflated(text: bytes) -> list[bytes]:
    """Decompress the zlib streams in the file."""
    found = []
    for header in (b"\x78\x01", b"\x78\x9c", b"\x78\xda"):
        start = text.find(header)
        while start >= 0:
            with contextlib.suppress(zlib.error):
                found.append(zlib.decompressobj().decompress(text[start:]))
            start = text.find(header, start + 1)
    return found
