"""Params and results of `grant.*`: a grant as the operator asks for it and sees it."""

from typing import Annotated

import msgspec

from ashd import limits
from ashd.access.actor import Right
from ashd.access.quota import QuotaParams
from ashd.access.scope import Scope
from ashd.ids import GrantId, Identifier


class CreateParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The grant to create. `grant_scope` in the daemon is `scope` on the wire."""

    rights: list[Right] = msgspec.field(default_factory=lambda: ["read", "write"])
    expires_in_s: Annotated[int, msgspec.Meta(ge=1, le=limits.GRANT_SECONDS)] | None = None
    quota: QuotaParams = QuotaParams()
    token: bool = False
    ends_with_caller: bool = False
    """Revoke the grant when the calling process has ended, however it ends."""


class CreateResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The new grant: mount `directory`, never `socket` itself. `token` is shown only here."""

    grant_id: str
    directory: str
    socket: str
    expires_at: str | None
    token: str | msgspec.UnsetType = msgspec.UNSET
    tcp: str | msgspec.UnsetType = msgspec.UNSET


class WithdrawalView(msgspec.Struct, frozen=True):
    """A withdrawal of memories of a grant, which can be undone as a whole."""

    withdrawal_id: str
    memories: int
    at: str


class UseView(msgspec.Struct, frozen=True):
    """The use of a grant.

    `quota` has its limits, and `used` the amounts used of each limit; daily amounts count from
    midnight (UTC). `last_used_on` is the last day with a call. `memories` counts active memories,
    `archived` the others.
    """

    memories: int
    archived: int
    last_used_on: str | None
    quota: dict[str, int]
    used: dict[str, int]
    withdrawals: list[WithdrawalView]


class GrantView(msgspec.Struct, frozen=True, omit_defaults=True):
    """A grant as the operator sees it; `use` is set only if it was asked for."""

    grant_id: str
    scope: Scope
    rights: list[Right]
    quota: QuotaParams
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    state: str
    use: UseView | msgspec.UnsetType = msgspec.UNSET


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The grants to list: one, those that are open, or all; `count` adds their use.

    Without `limit` every grant is listed.
    """

    grant_id: GrantId | None = None
    include_closed: bool = False
    count: bool = False
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] | None = None
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class ListResult(msgspec.Struct, frozen=True):
    """Grants, newest first; `total` counts all pages."""

    grants: list[GrantView]
    next_cursor: str | None
    total: int


class RevokeParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The grant to revoke."""

    grant_id: GrantId


class TurnParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The current speaker in a group grant's chat (none without `user_id`), and the session.

    If all three are left out, the grant's own scope applies again.
    """

    grant_id: GrantId
    user_id: Identifier | None = None
    session_id: Identifier | None = None
    message_id: Identifier | None = None


class GrantResult(msgspec.Struct, frozen=True):
    """The grant as it is now."""

    grant: GrantView
