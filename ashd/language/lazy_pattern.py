"""Regular expressions that are compiled when first used, not when their module is imported.

Compiling all of them would take a third of a second of the daemon's start. It does so later, in a
thread (`compile_all`): on the event loop the first question would make everybody wait for it.
"""

import re
from collections.abc import Callable
from typing import Any, Final, cast

_waiting: Final[list["_LazyPattern"]] = []


class _LazyPattern:
    """An expression; a method becomes its own attribute when it is first used."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None
        _waiting.append(self)

    def compiled(self) -> re.Pattern[str]:
        """Return the expression itself."""
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return self._compiled

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.compiled(), name)
        setattr(self, name, value)
        return value


def pattern_of(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object that behaves like the compiled expression."""
    return cast("re.Pattern[str]", _LazyPattern(text, int(flags)))


def compile_all(check_cancelled: Callable[[], None]) -> None:
    """Compile the expressions of all modules that were imported; `check_cancelled` may end it."""
    while _waiting:
        check_cancelled()
        _waiting.pop().compiled()
