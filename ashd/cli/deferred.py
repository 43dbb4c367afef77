"""Modules that click imports at once but seldom uses: `ash` loads them at their first use.

Importing this module defers them; it comes before click.
"""

import sys
from types import ModuleType
from typing import Any, Final

_SELDOM_USED: Final = ("inspect",)
"""click looks at a function's source only for help: a tenth of what a command costs."""


class _Deferred(ModuleType):
    """A stand-in for a module, which is loaded when the first attribute is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        __import__(self.__name__)
        module = sys.modules[self.__name__]
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


for _name in _SELDOM_USED:
    sys.modules.setdefault(_name, _Deferred(_name))
