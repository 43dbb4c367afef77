"""`memory.erase`: a memory, a conversation, all that came through a grant, or all of an owner's."""

from collections import Counter
from functools import partial

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
from ashd.ids import GrantId
from ashd.memory import ownership
from ashd.memory.model import MemoryId
from ashd.ops import erasing
from ashd.ops.erasing import Erasing, Target
from ashd.ops.receipt import Receipt
from ashd.ops.resumable import Resumable
from ashd.people.participation import AccountNamed
from ashd.store import account_erasure, chats, conversations, erasure, memories
from ashd.store import grants as grant_rows
from ashd.store.chats import Account
from ashd.store.transaction import Tx


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


class EraseResult(msgspec.Struct, frozen=True):
    """The number of memories and messages erased, and the receipt."""

    erased: int
    receipt: Receipt


class Erase:
    """Erases what an operator names."""

    def __init__(self, erasing_: Erasing, grants_: Grants, quotas: Quotas) -> None:
        self._erasing = erasing_
        self._db = erasing_.db
        self._grants = grants_
        self._quotas = quotas

    async def erase(
        self, call: Call, params: EraseParams, listeners: GrantListeners
    ) -> EraseResult:
        """Erase a memory, a conversation, or all that came through a grant or from an owner.

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
        if params.owner is not None:
            return await self._owner(call, params.owner, listeners, dry_run=params.dry_run)
        find = partial(_named, call=call, params=params)
        progress = await Resumable.of(self._db, call)
        if not progress.is_resumed:  # else it may be gone already
            first = await self._db.read(find)
            if params.dry_run:
                return await self._result(await self._db.read(partial(erasing.found, target=first)))
        async with self._erasing.begun(call, progress):
            await self._erasing.all_of("erase", partial(_again, find=find), progress)
            await self._erasing.finish(progress)
        return await self._result(progress.rows)

    async def _result(self, rows: Counter[str]) -> EraseResult:
        return EraseResult(rows["memories"] + rows["messages"], await self._erasing.receipt(rows))

    async def _owner(
        self, call: Call, named: AccountNamed, listeners: GrantListeners, *, dry_run: bool
    ) -> EraseResult:
        account = await self._db.read(lambda tx: chats.account(tx, named.provider, named.user_id))
        progress = await Resumable.of(self._db, call)
        if account is None and not progress.is_resumed:
            raise errors.NotFound(
                "No such account.", "`ash person show` shows the accounts of a person."
            )
        if dry_run and account is not None:
            rows = await self._db.read(partial(_found_of_owner, account=account))
            return await self._result(rows)
        owner = quota.owner_of(Scope(provider=named.provider, user_id=named.user_id))
        grant_ids = await self._db.read(lambda tx: grant_rows.of_owner(tx, owner))
        for grant_id in grant_ids:
            # Closed first, so that nothing is stored during the erasure.
            await self._grants.revoke(call, RevokeParams(grant_id), listeners)
            self._quotas.forget(grant_id)
        self._quotas.forget(owner)
        async with self._erasing.begun(call, progress):
            if account is not None:
                find = partial(_of_owner, account=account.id)
                await self._erasing.all_of("erase", find, progress)
                erase = partial(_erase_owner, account=account, owner=owner, grant_ids=grant_ids)
                await self._db.write(lambda tx: progress.note(tx, erase(tx)))
            await self._erasing.finish(progress)
        return await self._result(progress.rows)


def _again(tx: Tx, *, find: "partial[Target]") -> Target:
    """Return the rest to erase; nothing once a memory or conversation is gone."""
    try:
        return find(tx)
    except errors.NotFound:
        # A conversation's memories are found through it, so they are erased first.
        return Target()


def _named(tx: Tx, *, call: Call, params: EraseParams) -> Target:
    if params.id is not None:
        _, record = ownership.find(tx, call, params.id)
        return Target(memories=[record.id])
    if params.grant_id is not None:
        grant_id = grants.find_id(tx, params.grant_id)
        return Target(memories=memories.of_grant(tx, grant_id))
    assert params.conversation_id is not None
    found, messages = conversation_read.deletable(tx, call.look(tx), params.conversation_id)
    whole = len(messages) == conversations.message_count(tx, found)
    return Target(
        memories=conversations.learned_in(tx, found) if whole else [],
        messages=messages,
        conversations=[found] if whole else [],
    )


def _of_owner(tx: Tx, *, account: int) -> Target:
    return Target(
        memories=account_erasure.memories_of(tx, account),
        messages=account_erasure.messages_of(tx, account),
        conversations=account_erasure.conversations_of(tx, account),
    )


def _found_of_owner(tx: Tx, *, account: Account) -> Counter[str]:
    rows = erasing.found(tx, _of_owner(tx, account=account.id))
    return rows + account_erasure.rows_of(tx, account)


def _erase_owner(tx: Tx, *, account: Account, owner: str, grant_ids: list[str]) -> Counter[str]:
    rows = account_erasure.erase(tx, account)
    rows += account_erasure.erase_grants(tx, grant_ids, owner)
    callers = [f"grant:{grant_id}" for grant_id in grant_ids]
    names = msgspec.json.encode([account.provider, account.user_id]).decode()
    # the same list as in `Call.key_space`, perhaps with a chat after it
    return rows + erasure.erase_keys(tx, callers, [f"scope:{names[:-1]},"])
