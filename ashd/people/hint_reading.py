"""Reading the sentence around a reference before the transaction that needs it.

Reading takes up to a tenth of a second. The result is cached, so that nobody waits for it in the
transaction of the writer.
"""

from ashd.language.people import statements


def read_ahead(hint: str) -> None:
    """Read a sentence into the cache, so that resolving a reference in it soon takes no time."""
    statements.read(hint)
