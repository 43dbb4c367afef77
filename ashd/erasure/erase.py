"""`memory.erase` and `db.clear`: the selections that an operator may erase for good."""

from collections import Counter
from functools import partial
from typing import Final, Literal

import msgspec

from ashd import errors
from ashd.access import grants, quota
from ashd.access.actor import Call
from ashd.access.grant_views import RevokeParams
from ashd.access.grants import GrantListeners, Grants
from ashd.access.scope import Scope
from ashd.access.usage import Quotas
from ashd.conversation import read as conversation_read
from ashd.conversation.model import ConversationId
from ashd.erasure import engine
from ashd.erasure.engine import Erasing, Receipt
from ashd.erasure.resumable import Resumable
from ashd.erasure.walk import Selection
from ashd.ids import GrantId
from ashd.memory import ownership
from ashd.memory.model import MemoryId
from ashd.people.participation import AccountNamed
from ashd.store import chats, conversations, memories
from ashd.store import grants as grant_rows
from ashd.store.chats import Account
from ashd.store.erasure import accounts, everything
from ashd.store.erasure.rows import Rows
from ashd.store.transaction import Tx

_ROWS_A_TIME: Final = 50


class EraseParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of the four; `dry_run` counts and erases nothing.

    For an owner, everything that the account owns or said is erased, everywhere, and its grants are
    revoked.
    """

    id: MemoryId | None = None
    conversation_id: ConversationId | None = None
    grant_id: GrantId | None = None
    owner: AccountNamed | None = None
    dry_run: bool = False


class ClearParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`confirm` is the word "everything"; with `dry_run` the rows are only counted."""

    confirm: Literal["everything"]
    dry_run: bool = False


class EraseResult(msgspec.Struct, frozen=True):
    """The number of memories and messages erased, and the receipt."""

    erased: int
    receipt: Receipt


class Erase:
    """Erases what an operator names, or everything but the daemon's keys and the audit."""

    def __init__(self, erasing: Erasing, grants_: Grants, quotas: Quotas) -> None:
        self._erasing = erasing
        self._db = erasing.db
        self._grants = grants_
        self._quotas = quotas

    async def erase(
        self, call: Call, params: EraseParams, listeners: GrantListeners
    ) -> EraseResult:
        """Erase a memory, a conversation, or everything of a grant or of an owner.

        Raises:
            errors.NotFound: there is nothing of that name that the caller may change.
            errors.Denied: it is somebody else's.
        """
        given = [params.id, params.conversation_id, params.grant_id, params.owner]
        if sum(one is not None for one in given) != 1:
            raise errors.InvalidParams(
                "Give exactly one of id, conversation_id, grant_id and owner.",
                "`ash memory erase --help` shows them.",
            )
        find = partial(_selected, call=call, params=params)
        progress = await Resumable.of(self._db, call)
        if not progress.is_resumed:  # else it may be gone already
            selected = await self._db.read(find)
            if params.dry_run:
                count = partial(_found, selected=selected, owner=params.owner)
                return await self._result(await self._db.read(count))
        grant_ids: list[str] = []
        if params.owner is not None:
            owner = _holder(params.owner)
            grant_ids = await self._db.read(lambda tx: grant_rows.of_owner(tx, owner))
            await self._close(call, grant_ids, listeners)
            self._quotas.forget(owner)
        async with self._erasing.begun(call, progress):
            await self._erasing.all_of("erase", partial(_left, find=find), progress)
            if params.owner is not None:
                last = partial(_erase_account, named=params.owner, grant_ids=grant_ids)
                await self._erasing.at_once(last, progress)
            await self._erasing.finish(progress)
        return await self._result(progress.rows)

    async def clear(
        self, call: Call, params: ClearParams, listeners: GrantListeners
    ) -> EraseResult:
        """Erase everything that is stored, for everybody, and revoke every grant."""
        if params.dry_run:
            return await self._result(await self._db.read(everything.found))
        grants_open = await self._db.read(lambda tx: grant_rows.everyone(tx, open_only=True))
        await self._close(call, [row.id for row in grants_open], listeners)
        self._quotas.forget_all()
        progress = await Resumable.of(self._db, call)
        async with self._erasing.begun(call, progress):
            for tie in await self._db.read(everything.ties):
                await self._erasing.some(tie, None, _ROWS_A_TIME)
            for table in await self._db.read(everything.tables):
                is_counted = table != "passage_fts"
                rows = Rows(table, "true")
                await self._erasing.some(rows, progress if is_counted else None, _ROWS_A_TIME)
            await self._erasing.finish(progress)
        await self._db.write(lambda _tx: None)  # no reader keeps a copy of what is gone
        return await self._result(progress.rows)

    async def _close(self, call: Call, grant_ids: list[str], listeners: GrantListeners) -> None:
        """Revoke grants first, so that nothing is stored through them during the erasure."""
        for grant_id in grant_ids:
            await self._grants.revoke(call, RevokeParams(grant_id), listeners)
            self._quotas.forget(grant_id)

    async def _result(self, rows: Counter[str]) -> EraseResult:
        return EraseResult(rows["memories"] + rows["messages"], await self._erasing.receipt(rows))


def _selected(tx: Tx, *, call: Call, params: EraseParams) -> Selection:
    if params.id is not None:
        _, record = ownership.find(tx, call, params.id)
        return Selection(memories=[record.id])
    if params.grant_id is not None:
        grant_id = grants.find_id(tx, params.grant_id)
        return Selection(memories=memories.of_grant(tx, grant_id))
    if params.owner is not None:
        account = _account(tx, params.owner)
        if account is None:
            raise errors.NotFound(
                "No such account.", "`ash account list` shows the accounts there are."
            )
        return Selection(
            memories=accounts.memories_of(tx, account.id),
            messages=accounts.messages_of(tx, account.id),
            conversations=accounts.conversations_of(tx, account.id),
        )
    assert params.conversation_id is not None
    found, messages = conversation_read.deletable(tx, call.look(tx), params.conversation_id)
    whole = len(messages) == conversations.message_count(tx, found)
    return Selection(
        memories=conversations.learned_in(tx, found) if whole else [],
        messages=messages,
        conversations=[found] if whole else [],
    )


def _left(tx: Tx, *, find: "partial[Selection]") -> Selection:
    """Return the rest to erase; nothing once a memory, conversation or account is gone."""
    try:
        return find(tx)
    except errors.NotFound:
        # A conversation's memories are found through it, so they are erased first.
        return Selection()


def _found(tx: Tx, *, selected: Selection, owner: AccountNamed | None) -> Counter[str]:
    rows = engine.found(tx, selected)
    account = _account(tx, owner) if owner is not None else None
    return rows + accounts.rows_of(tx, account) if account is not None else rows


def _account(tx: Tx, named: AccountNamed) -> Account | None:
    return chats.account(tx, named.provider, named.user_id)


def _holder(named: AccountNamed) -> str:
    return quota.owner_of(Scope(provider=named.provider, user_id=named.user_id))


def _erase_account(tx: Tx, *, named: AccountNamed, grant_ids: list[str]) -> Counter[str]:
    account = _account(tx, named)
    if account is None:
        return Counter()
    names = msgspec.json.encode([account.provider, account.user_id]).decode()
    # The same list as in `Call.key_space`, perhaps with a chat after it.
    callers = f"scope:{names[:-1]},"
    rows = accounts.erase(tx, account)
    owner = _holder(named)
    for number, provider, chat_id in accounts.group_jobs(tx, owner):  # others spoke there, too
        accounts.hand_over_job(tx, number, quota.owner_key(provider, None, chat_id))
    return rows + accounts.erase_grants(tx, grant_ids, owner, callers)
