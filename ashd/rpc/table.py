"""The method table: one definition a method, for dispatch, documentation and tests."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec

from ashd.access.actor import Right
from ashd.access.quota import Cost


class Method(NamedTuple):
    """A method of the wire; `right` is what the grant of a sandbox needs for it, if any."""

    name: str
    handler: Callable[..., Awaitable[Any]]
    needs: tuple[type, ...]
    """The types of all that the handler takes before the params, in order."""
    params: type[msgspec.Struct]
    result: type
    right: Right | None
    sandbox: bool
    changes: bool
    """Whether it changes something: a notification of it has no effect."""
    stores: bool
    """Whether it puts something new into the store: refused while memory is switched off."""
    lasts: bool
    """Whether it takes as long as it takes on the control socket: its work is of any size."""
    cost: Callable[[Any], Cost]
    """What a call with these params uses of a grant's quota."""
    describes: tuple[type, ...]
    """Types that the schema of params or result only refers to; `described_by` makes such."""
    summary: str


TABLE: Final[dict[str, Method]] = {}


def method(
    name: str,
    *,
    right: Right | None = None,
    sandbox: bool = False,
    changes: bool = False,
    stores: bool = False,
    lasts: bool = False,
    cost: Callable[[Any], Cost] | None = None,
    describes: tuple[type, ...] = (),
) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Put a handler into the table under its name.

    Its last parameter is the params; each other one is given by its type: a service (`Services`),
    the connection (`Session`) or the call (`Call`).
    """

    def register(handler: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        assert name not in TABLE, f"{name} is registered twice"
        hints = get_type_hints(handler)
        *needs, params = (hints[each] for each in inspect.signature(handler).parameters)
        TABLE[name] = Method(
            name=name,
            handler=handler,
            needs=tuple(needs),
            params=params,
            result=hints["return"],
            right=right,
            sandbox=sandbox,
            changes=changes,
            stores=stores,
            lasts=lasts,
            cost=cost or (_changes_one if changes else _reads),
            describes=describes,
            summary=inspect.getdoc(handler) or "",
        )
        return handler

    return register


def _changes_one(params: Any) -> Cost:
    return Cost(1, len(msgspec.json.encode(params)))


def _reads(_params: Any) -> Cost:
    return Cost()


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For a method without parameters."""
