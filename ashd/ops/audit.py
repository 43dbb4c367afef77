"""`audit.list`: calls and denials, for the operator; nobody can change the audit."""

from typing import Annotated

import msgspec

from ashd import limits
from ashd.access import grants
from ashd.clock import to_text
from ashd.ids import GrantId, row_of_cursor
from ashd.memory.model import Short
from ashd.store import audit
from ashd.store.audit import Filter
from ashd.store.database import Database, Tx
from ashd.wire_times import When, micros


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rows to list, by time, grant and outcome (ok, or the kind of the denying error)."""

    since: When | None = None
    until: When | None = None
    grant_id: GrantId | None = None
    outcome: Short | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 50
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class Behalf(msgspec.Struct, frozen=True):
    """The account that a call was made for."""

    provider: str
    user_id: str


class EntryView(msgspec.Struct, frozen=True):
    """A row of the audit: the caller, the method, the account it was for, and the outcome.

    `digest` is keyed; equal calls have equal digests. The process id and the user id are the
    caller's as the kernel reports them; null over TCP. `people` are the ids of two people who were
    merged or split, the remaining person last; `memory` is the memory whose sentence merged them.
    """

    id: int
    at: str
    actor: str
    grant_id: str | None
    account: Behalf | None
    method: str
    outcome: str
    digest: str
    peer_pid: int | None
    peer_uid: int | None
    people: list[str]
    memory: str | None


class ListResult(msgspec.Struct, frozen=True):
    """Rows, newest first; `next_cursor` gets the next page, if any."""

    entries: list[EntryView]
    next_cursor: str | None


class Audit:
    """Shows the audit."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self, params: ListParams) -> ListResult:
        """List changes and denied calls, newest first."""
        rows = await self._db.read(lambda tx: _newest(tx, params))
        shown = rows[: params.limit]
        more = len(rows) > params.limit
        return ListResult([_view(row) for row in shown], str(shown[-1].id) if more else None)


def _newest(tx: Tx, params: ListParams) -> list[audit.Entry]:
    """Return the newest rows, one more than asked for if there are more."""
    wanted = Filter(
        since=micros(params.since, "since"),
        until=micros(params.until, "until", end_of_day=True),
        grant_id=None if params.grant_id is None else grants.find_id(tx, params.grant_id),
        outcome=params.outcome,
        before=None if params.cursor is None else row_of_cursor(params.cursor),
    )
    return audit.newest(tx, wanted, params.limit + 1)


def _view(row: audit.Entry) -> EntryView:
    return EntryView(
        id=row.id,
        at=to_text(row.at) or "",
        actor=row.actor,
        grant_id=row.grant_id,
        account=Behalf(row.provider, row.user_id) if row.provider and row.user_id else None,
        method=row.method,
        outcome=row.outcome,
        digest=row.digest.hex(),
        peer_pid=row.peer_pid,
        peer_uid=row.peer_uid,
        people=row.people,
        memory=row.memory,
    )
