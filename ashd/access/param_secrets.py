"""A safety net for all methods: no secret enters by a field without a check of its own.

A method itself checks the texts that it stores, with an outcome for each fact. Names, keys and
foreign ids are checked here, for every method. A number is never taken for a secret here: accounts
and chats are named by long ones.
"""

from typing import Any, Final

import msgspec

from ashd import limits
from ashd.access.secrets import require_no_secret

_CHECKED_FOR_THEMSELVES: Final = frozenset({"content", "text", "notes", "arguments"})
"""`arguments` are a tool's: the model is given the outcome of each fact, and the loop goes on."""
_SHORTEST: Final = 6


def check(params: msgspec.Struct) -> None:
    """Look at every short text of params, those of the structures in them too.

    Raises:
        errors.ContentRefused: it holds a secret; the field is named.
    """
    for field in params.__struct_fields__:
        value: Any = getattr(params, field)
        if isinstance(value, msgspec.Struct):
            check(value)
        elif isinstance(value, str) and field not in _CHECKED_FOR_THEMSELVES:
            check_name(value, field)


def check_name(value: str, field: str) -> None:
    """Look at a name, a key or an id.

    Raises:
        errors.ContentRefused: it is, or holds, a secret.
    """
    has_letters = any(map(str.isalpha, value))
    if has_letters and _SHORTEST <= len(value) <= limits.KEY_CHARS:
        require_no_secret(value, field)
