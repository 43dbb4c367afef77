"""A method of the wire: its row, and what follows from its function's types and docstring."""

import inspect
import re
import sys
from collections.abc import Awaitable, Callable
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, get_args, get_type_hints

import msgspec

from ashd.access.actor import Right
from ashd.access.quota import Cost

Everybody = Literal["asked", "unscoped", "always"]
"""With `all_scopes` alone; also without a scope; at every call."""
_SECTION: Final = re.compile(r"\n\n(?:Args|Raises|Returns):")
"""The begin of what a docstring says to callers in Python alone."""


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Params of a method without parameters."""


class Method(NamedTuple):
    """A method of the wire; `right` is the right that a sandbox's grant needs for it, if any."""

    name: str
    function: Callable[..., Awaitable[Any]]
    takes: tuple[type, ...]
    """The types of the function's arguments, in order."""
    params: type[msgspec.Struct]
    result: type
    right: Right | None
    sandbox: bool
    changes: bool
    """Whether it changes something: then a notification of it has no effect."""
    stores: bool
    """Whether it stores something new: then it is refused while memory is off."""
    everybody: Everybody
    """When an operator's call of it shows what is everybody's, which is audited."""
    lasts: bool
    """Whether it has no time limit on the control socket, since its work may be of any size."""
    cost: Callable[[Any], Cost]
    """Returns the share of a grant's quota that a call with these params uses."""
    describes: tuple[type, ...]
    """Types that the schema of params or result only refers to (`described_by`)."""
    summary: str


class Table(dict[str, Method]):
    """The methods by name."""


def row(
    name: str,
    function: Callable[..., Awaitable[Any]],
    *,
    right: Right | None = None,
    sandbox: bool = False,
    changes: bool = False,
    stores: bool = False,
    everybody: Everybody = "asked",
    lasts: bool = False,
    cost: Callable[[Any], Cost] | None = None,
    describes: tuple[type, ...] = (),
) -> Method:
    """Return the method that calls a function, which may be a service's.

    Each argument of the function is given by its type: the params, the call (`Call`), its
    connection (`Connection`, `Session`), the listeners of grants, the table, or else a service. A
    method with a right may be called from sandboxes, and one that stores also changes something.
    """
    hints = get_type_hints(function)
    returned = hints.pop("return")
    owner = function.__qualname__.rpartition(".")[0]
    if owner:
        hints = {"self": vars(sys.modules[function.__module__])[owner], **hints}
    params = next((hints[one] for one in hints if one.endswith("params")), NoParams)
    changes = changes or stores
    return Method(
        name=name,
        function=function,
        takes=tuple(_given(hint) for hint in hints.values()),
        params=params,
        result=returned,
        right=right,
        sandbox=sandbox or right is not None,
        changes=changes,
        stores=stores,
        everybody=everybody,
        lasts=lasts,
        cost=cost or (_changes_one if changes else _reads),
        describes=describes,
        summary=_SECTION.split(inspect.getdoc(function) or "")[0],
    )


def _given(hint: Any) -> type:
    """Return the type of an argument, which is always given where it may be None."""
    kind: type = next((one for one in get_args(hint) if one is not NoneType), hint)
    return kind


def _changes_one(params: Any) -> Cost:
    return Cost(1, len(msgspec.json.encode(params)))


def _reads(_params: Any) -> Cost:
    return Cost()
