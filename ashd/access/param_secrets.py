"""Check params for secrets before any method runs: a safety net for fields without a check.

A method checks the texts that it stores itself, with an outcome for each fact. Names, keys and
foreign ids are checked here, for every method. Numbers are not checked: ids of accounts and chats
are long numbers.
"""

from typing import Any, Final

import msgspec

from ashd import limits
from ashd.access.secrets import require_no_secret

_CHECKED_FOR_THEMSELVES: Final = frozenset({"content", "text", "notes", "arguments"})
"""`arguments` belong to a tool: the model gets the outcome of each fact as the tool's answer."""
_SHORTEST: Final = 6


def check(params: msgspec.Struct) -> None:
    """Refuse params with a secret in any short text, nested ones included.

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
    """Refuse a name, a key or an id that is a secret.

    Raises:
        errors.ContentRefused: it is, or holds, a secret.
    """
    has_letters = any(map(str.isalpha, value))
    if has_letters and _SHORTEST <= len(value) <= limits.KEY_CHARS:
        require_no_secret(value, field)
