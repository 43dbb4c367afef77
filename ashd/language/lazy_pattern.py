"""Regular expressions that are compiled when first used, not when their module is imported.

Compiling all of them would take a sixth of the daemon's start.
"""

import re
from typing import Any, cast


class _LazyPattern:
    """An expression; a method becomes its own attribute when it is first used."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)
        return value


def pattern_of(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object that behaves like the compiled expression."""
    return cast("re.Pattern[str]", _LazyPattern(text, int(flags)))
