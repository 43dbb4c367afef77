"""The method table: one definition per method, for dispatch, documentation and tests."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal, NamedTuple, get_type_hints

import msgspec

from ashd.access.actor import Right
from ashd.access.quota import Cost

Everybody = Literal["asked", "unscoped", "always"]
"""With `all_scopes` alone; also without a scope; at every call."""


class Method(NamedTuple):
    """A method of the wire; `right` is the right that a sandbox's grant needs for it, if any."""

    name: str
    handler: Callable[..., Awaitable[Any]]
    needs: tuple[type, ...]
    """The types of the handler's arguments before the params, in order."""
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


TABLE: Final[dict[str, Method]] = {}


def method(
    name: str,
    *,
    right: Right | None = None,
    sandbox: bool = False,
    changes: bool = False,
    stores: bool = False,
    everybody: Everybody = "asked",
    lasts: bool = False,
    cost: Callable[[Any], Cost] | None = None,
    describes: tuple[type, ...] = (),
) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Register a handler under its name.

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
            everybody=everybody,
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
    """Params of a method without parameters."""
