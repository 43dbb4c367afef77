"""`db.clear`: erase everything that is stored, for everybody."""

from collections import Counter
from functools import partial
from typing import Final, Literal

import msgspec

from ashd.access.actor import Call
from ashd.access.grant_views import RevokeParams
from ashd.access.grants import GrantListeners, Grants
from ashd.access.usage import Quotas
from ashd.ops.erasing import Erasing
from ashd.ops.receipt import Receipt
from ashd.ops.resumable import Resumable
from ashd.store import clearing, slices
from ashd.store import grants as grant_rows

_ROWS_A_TIME: Final = 50


class ClearParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`confirm` is the word "everything"; with `dry_run` the rows are only counted."""

    confirm: Literal["everything"]
    dry_run: bool = False


class ClearResult(msgspec.Struct, frozen=True):
    """The number of memories and messages erased, and the receipt."""

    erased: int
    receipt: Receipt


class Clear:
    """Erases everything but the daemon's keys and the audit."""

    def __init__(self, erasing: Erasing, grants: Grants, quotas: Quotas) -> None:
        self._erasing = erasing
        self._db = erasing.db
        self._grants = grants
        self._quotas = quotas

    async def clear(
        self, call: Call, params: ClearParams, listeners: GrantListeners
    ) -> ClearResult:
        """Erase everything that is stored, for everybody, and revoke every grant."""
        if params.dry_run:
            rows = await self._db.read(clearing.found)
            return ClearResult(_count(rows), await self._erasing.receipt(rows))
        for row in await self._db.read(lambda tx: grant_rows.everyone(tx, open_only=True)):
            await self._grants.revoke(call, RevokeParams(row.id), listeners)
        self._quotas.forget_all()
        progress = await Resumable.of(self._db, call)
        async with self._erasing.begun(call, progress):
            for table, column in await self._db.read(clearing.ties):
                part = partial(clearing.untie, table=table, column=column, limit=_ROWS_A_TIME)
                await slices.until_none(self._db, part)
            for table in await self._db.read(clearing.tables):
                part = partial(clearing.erase_some, table=table, limit=_ROWS_A_TIME)
                count = await slices.until_none(self._db, part)
                gone = Counter({table: 0 if table == "passage_fts" else count})
                await self._db.write(partial(progress.note, counted=gone), quiet=True)
            await self._erasing.finish(progress)
        await self._db.write(lambda _tx: None)  # no reader keeps a copy of what is gone
        rows = progress.rows
        return ClearResult(_count(rows), await self._erasing.receipt(+rows))


def _count(rows: Counter[str]) -> int:
    return rows["memories"] + rows["messages"]
