"""`account.list`: all accounts with how much each has, for the operator."""

from typing import Annotated

import msgspec

from ashd import limits
from ashd.clock import to_text
from ashd.ids import Identifier, row_of_cursor
from ashd.store import accounts
from ashd.store.database import Database


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The accounts to list: those of one provider, or all."""

    provider: Identifier | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 50
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class AccountView(msgspec.Struct, frozen=True):
    """An account, and the numbers of its active memories, its conversations and its turns."""

    provider: str
    user_id: str
    name: str | None
    memories: int
    conversations: int
    turns: int
    last_active_at: str


class ListResult(msgspec.Struct, frozen=True):
    """Accounts, oldest first; `next_cursor` gets the next page, if any."""

    accounts: list[AccountView]
    next_cursor: str | None


class Accounts:
    """Lists accounts."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self, params: ListParams) -> ListResult:
        """List the accounts with the numbers of their memories, conversations and turns.

        Raises:
            errors.InvalidParams: the cursor is none.
        """
        after = 0 if params.cursor is None else row_of_cursor(params.cursor)
        rows = await self._db.read(
            lambda tx: accounts.counted(tx, params.provider, after, params.limit + 1)
        )
        shown = rows[: params.limit]
        return ListResult(
            [_view(row) for row in shown],
            str(shown[-1].id) if len(rows) > params.limit else None,
        )


def _view(row: accounts.Counted) -> AccountView:
    return AccountView(
        provider=row.provider,
        user_id=row.user_id,
        name=row.name,
        memories=row.memories,
        conversations=row.conversations,
        turns=row.turns,
        last_active_at=to_text(row.last_active_at) or "",
    )
