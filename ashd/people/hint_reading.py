"""Reading the sentence around a reference before a transaction, in which it is then cached.

It takes up to a tenth of a second, and in the writer's transaction everybody would wait for it.
"""

from ashd.language.people import statements


def read_ahead(hint: str) -> None:
    """Read a sentence, so that resolving a reference in it soon takes no time for that."""
    statements.read(hint)
