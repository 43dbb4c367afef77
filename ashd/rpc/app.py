"""The parts that a call needs to reach a handler, and its connection; `build` makes them."""

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar, cast

import anyio

from ashd.access.actor import Peer
from ashd.access.denials import Denials
from ashd.access.grants import Grant, GrantListeners, Grants
from ashd.access.list_audit import Looks
from ashd.access.scope import Scope
from ashd.access.usage import GrantUsage, Quotas
from ashd.clock import Clock
from ashd.ended_calls import Connection
from ashd.limits import SocketLimits
from ashd.ops.other_daemons import OtherDaemons
from ashd.rpc.outcomes import Caller, Outcomes
from ashd.store.database import Database

T = TypeVar("T")


class Services:
    """The services behind the methods, each looked up by its type."""

    def __init__(self, *services: object) -> None:
        self._by_type = {type(one): one for one in services}
        assert len(self._by_type) == len(services), "two services have one type"

    def __getitem__(self, kind: type[T]) -> T:
        return cast("T", self._by_type[kind])


@dataclass(frozen=True, slots=True)
class App:
    """Everything a call needs on its way to a handler, and the handlers' services."""

    clock: Clock
    db: Database
    audit_key: bytes
    local_user: str
    memory_on: bool
    grants: Grants
    quotas: Quotas
    denials: Denials
    looks: Looks
    others: OtherDaemons
    outcomes: Outcomes
    services: Services
    decoders: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    """Threads that decode large frames: one for all sandboxes together."""


class Listeners(GrantListeners, Protocol):
    """The listeners, and the sessions of each."""

    def admit(self, session: "Session", grant: Grant) -> None:
        """Bind the connection to its token's grant."""
        ...


@dataclass(slots=True)
class Session:
    """One connection. The listener that accepted it decides what it may do."""

    listener: Literal["control", "sandbox"]
    place: str
    """The key under which its listener, or its grant, counts connections."""
    limits: SocketLimits
    scope: anyio.CancelScope
    """Ends the connection when cancelled."""
    peer: Peer
    listeners: Listeners
    connection: Connection
    grant: Grant | None = None
    """The grant of a sandbox's connection; None until it has shown its token."""
    meter: GrantUsage | None = None
    scope_bound: Scope | None = None
    """The scope of later calls that name none, on the control socket (`session.hello`)."""
    read_only: bool = False
    """Whether the client gave up its right to change anything (`session.hello`)."""
    client: str = field(default="rpc")
    """The client's name for itself (`session.hello`): `ash` is the person on the host."""

    @property
    def caller(self) -> Caller:
        """The caller, as the log names it."""
        return Caller(self.listener, self.grant.id if self.grant is not None else "")
