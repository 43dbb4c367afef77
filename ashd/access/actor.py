"""A call: its actor, its scope, and what goes into the audit about it.

`rpc` makes it at the socket, and nothing changes it on its way to the domain. Identity comes from
the socket: nothing that a sandbox sends ends up in `actor` or `scope`.
"""

import hmac
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

import msgspec

from ashd import errors, limits
from ashd.access import scope as scopes
from ashd.access.scope import Scope
from ashd.access.usage import GrantUsage
from ashd.store import audit, chats
from ashd.store.database import Tx
from ashd.store.visibility import Viewer

Right = Literal["read", "write", "forget"]
_LOOKS: Final = frozenset({"memory.get", "memory.search", "search.all"})
"""Methods by which a person looks with `ash`; its other readers are prompts and models' tools."""
OPERATOR_RIGHTS: Final[frozenset[Right]] = frozenset({"read", "write", "forget"})


@dataclass(frozen=True, slots=True)
class Peer:
    """The process at the other end, for the audit only: no decision uses it."""

    pid: int | None
    uid: int | None


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller: an operator on the control socket, or a grant's sandbox."""

    kind: Literal["operator", "sandbox"]
    grant_id: str | None
    rights: frozenset[Right]
    peer: Peer
    source: str
    """The source recorded in memories written by this actor: rpc, cli or web."""

    @property
    def name(self) -> str:
        """The actor's name in the audit; `ash web` is told apart from other operators."""
        return "web" if self.source == "web" else self.kind


@dataclass(frozen=True, slots=True)
class Turn:
    """The current speaker and place in a group grant's chat (`grant.turn`); for provenance only."""

    user_id: str | None
    session_id: str | None
    message_id: str | None

    @property
    def is_placed(self) -> bool:
        """Return whether the call names a session or message, in place of the grant's own."""
        return self.session_id is not None or self.message_id is not None


class _Looked(NamedTuple):
    """A viewer, and the generation of the database in which it was read."""

    generation: int
    viewer: Viewer
    account: chats.Account | None


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the domain sees it."""

    actor: Actor
    scope: Scope
    all_scopes: bool
    turn: Turn | None
    method: str
    digest: bytes
    """Keyed digest of the parameters, for the audit and for repeated calls."""
    meter: GrantUsage | None = None
    """The usage counters of a sandbox's call; None for an operator."""
    scope_given: bool = True
    """Whether the call or its connection names a scope; if not, the call has the local user's."""
    memory_on: bool = True
    """Whether memory is on; while it is off, not even speakers are recorded (E12)."""

    key: str | None = None
    """The idempotency key, if the call has one and its reply is stored under it."""

    _looked: list[_Looked] = field(default_factory=list, init=False, repr=False, compare=False)
    """The viewer that was read last, if any."""

    @property
    def is_scoped(self) -> bool:
        """Return whether the call is for one scope, where a method can show everybody's data."""
        return self.scope_given and not self.all_scopes

    @property
    def is_a_persons_look(self) -> bool:
        """Return whether a person reads, on the page or with `ash`, and no assistant does."""
        source = self.actor.source
        return source == "web" or (source == "cli" and self.method in _LOOKS)

    def require(self, right: Right) -> None:
        """Require a right of the caller.

        Raises:
            errors.Denied: the grant lacks it.
        """
        if right not in self.actor.rights:
            wanted = ",".join(sorted({*self.actor.rights, right}))
            raise errors.Denied(
                f"This grant lacks the right {right!r}.",
                "Ask the person on the host for a grant with it (`ash grant create` or"
                f" `ash sandbox run`, with --rights {wanted}).",
                right=right,
            )

    def require_memory(self) -> None:
        """Refuse to store anything new while memory is off.

        Raises:
            errors.Denied: memory is off.
        """
        if not self.memory_on:
            raise errors.Denied(
                "Memory is switched off: nothing is stored.",
                "The person on the host can switch it on: [memory] enabled = true in config.toml.",
            )

    def embeds(self, texts: int) -> None:
        """Count texts that are embedded for this call.

        Raises:
            errors.QuotaExceeded: more than the grant, or its owner, may in a day.
        """
        if self.meter is not None:
            self.meter.embed(texts)

    @property
    def writer_seconds(self) -> float:
        """The number of seconds that the call may occupy the writer thread."""
        return math.inf if self.meter is None else limits.WRITER_SECONDS

    def may_embed(self) -> bool:
        """Return whether a question may still be embedded; if so, count it."""
        try:
            self.embeds(1)
        except errors.QuotaExceeded:
            return False
        return True

    @property
    def key_space(self) -> str:
        """The namespace of the call's idempotency keys: the grant, or else the scope."""
        if self.actor.grant_id is not None:
            return f"grant:{self.actor.grant_id}"
        of_scope = [self.scope.provider, self.scope.user_id, self.scope.chat_id]
        if self.scope.reads is not None:
            of_scope.append(self.scope.reads)
        return f"scope:{msgspec.json.encode(of_scope).decode()}"

    @property
    def _bound(self) -> bool:
        return self.actor.kind == "sandbox"

    def look(self, tx: Tx) -> Viewer:
        """The viewer, for reading; read once for all reads between which nothing changed."""
        if not self._looked or self._looked[0].generation != tx.generation:
            viewer = scopes.look(tx, self.scope, bound=self._bound)
            if not tx.generation:  # it sees more than a generation has
                return self._acting(tx, viewer)
            number = viewer.account
            account = chats.account_by_id(tx, number) if number is not None else None
            self._looked[:] = [_Looked(tx.generation, viewer, account)]
        looked = self._looked[0]
        if looked.account is not None:
            chats.remember(tx, looked.account)
        return self._acting(tx, looked.viewer)

    def enter(self, tx: Tx) -> Viewer:
        """Return the viewer, for writing; the speaker and the participants are recorded."""
        if not self.memory_on:
            return self.look(tx)
        return self._acting(tx, scopes.enter(tx, self.scope, bound=self._bound))

    def _acting(self, tx: Tx, viewer: Viewer) -> Viewer:
        """Return the viewer; note in the transaction which of the joined accounts acts."""
        if self.all_scopes:
            return replace(viewer, everything=True)
        is_joined = viewer.account is not None and len(viewer.accounts) > 1
        tx.acting = (viewer.account or 0, frozenset(viewer.accounts)) if is_joined else None
        return viewer

    def speaker(self, tx: Tx, viewer: Viewer) -> chats.Account | None:
        """Return the speaker: the scope's account, or the one named with `grant.turn`."""
        if viewer.account is not None:
            return chats.account_by_id(tx, viewer.account)
        if self.turn is not None and self.turn.user_id is not None:
            account = chats.account(tx, self.scope.provider, self.turn.user_id)
            # An account that has left the chat since the turn was set is no longer the speaker.
            return account if account and account.id in viewer.audience else None
        return None

    @property
    def _place(self) -> Turn | Scope:
        return self.turn if self.turn is not None and self.turn.is_placed else self.scope

    @property
    def session_id(self) -> str | None:
        """The session recorded with everything that the call writes."""
        return self._place.session_id

    @property
    def message_id(self) -> str | None:
        """The message recorded with everything that the call writes."""
        return self._place.message_id

    def record(
        self,
        tx: Tx,
        outcome: str = "ok",
        *,
        method: str | None = None,
        people: Sequence[str] = (),
        memory: str | None = None,
    ) -> None:
        """Write an audit row of the call, in the same transaction as its effects.

        `method` is given for an effect that has an audit row of its own; `people` and `memory` are
        ids.
        """
        audit.insert(
            tx,
            actor=self.actor.name,
            grant_id=self.actor.grant_id,
            method=method or self.method,
            outcome=outcome,
            digest=self.digest,
            peer_pid=self.actor.peer.pid,
            peer_uid=self.actor.peer.uid,
            provider=self.scope.provider,
            user_id=self.scope.user_id or (self.turn.user_id if self.turn else None),
            people=people,
            memory=memory,
        )


def digest(key: bytes, method: str, params: dict[str, Any]) -> bytes:
    """Return the keyed digest of a call's parameters, whatever their order."""
    text = msgspec.json.encode([method, params], order="sorted")
    return hmac.digest(key, text, "sha256")
