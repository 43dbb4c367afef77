"""Split text into tokens as the full-text index does, on both engines."""

import threading
from typing import Any, Final

import apsw

TOKENIZER: Final = ("porter", "unicode61", "remove_diacritics", "2")
"""The tokenizer of the index and its arguments, as in SQLite's schema."""

_OF_THREAD: Final = threading.local()


def split(text: str) -> list[str]:
    """Return the tokens of a text, in order."""
    found: list[str] = _tokenizer()(
        text.encode(),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return found


def _tokenizer() -> Any:
    """Return the tokenizer of this thread: it belongs to a connection, which one thread may use."""
    try:
        return _OF_THREAD.tokenizer
    except AttributeError:
        connection = _OF_THREAD.connection = apsw.Connection(":memory:")
        name, *arguments = TOKENIZER
        made = _OF_THREAD.tokenizer = connection.fts5_tokenizer(name, arguments)
        return made
