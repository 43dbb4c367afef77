"""Identification of people: merging and splitting them, joining accounts.

Joined accounts share everything their owner has, so joining is an operator's act, recorded and
reversible (B9). Nobody can take over an account: similarity only suggests (B7).
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeAlias

import msgspec

from ashd import errors, limits
from ashd.access import scope
from ashd.access.actor import Call
from ashd.ids import find_one
from ashd.people import directory, edit, joining
from ashd.people.directory import IdParams, PersonId, PersonResult
from ashd.people.participation import AccountNamed
from ashd.store import account_joins, chats, memories, memory_links, memory_lists, merges, people
from ashd.store.database import Database, Tx
from ashd.store.filters import MemoryFilter
from ashd.store.merges import Merge, NotParted
from ashd.store.visibility import States, Viewer

PartAccounts: TypeAlias = Callable[[Tx, Collection[int], Collection[int]], None]
"""A function that parts what the accounts of two people, by row number, hold together."""


class MergeParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person to merge into `into`; `dry_run` shows the outcome and changes nothing."""

    id: PersonId
    into: PersonId
    dry_run: bool = False


class MergeResult(PersonResult, frozen=True):
    """The person that both are now, and the number of memories that moved to it."""

    memories: int


class NotPartedView(msgspec.Struct, frozen=True):
    """Statements that belong to neither of two people after a split.

    It is not known which of the two they mean. They are about a third person now, `person_id`: null
    if there are none. `unrecorded` counts memories that stay with the person who remains: an
    earlier version of ashd stored them during the merge, and did not record whom they mean.
    """

    person_id: str | None
    memories: list[str]
    names: list[str]
    relationships: int
    unrecorded: int


class SplitResult(PersonResult, frozen=True):
    """One person, and what could not be parted."""

    not_parted: NotPartedView


class AccountParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person, and an account."""

    id: PersonId
    account: AccountNamed


class MergePeople:
    """Merges, splits and joins people."""

    def __init__(
        self,
        db: Database,
        part_accounts: PartAccounts,
        judge_later: Callable[[], None] = lambda: None,
    ) -> None:
        """Calls `part_accounts` with the accounts of either person when one becomes two.

        Calls `judge_later` when two become one, since their memories have not been compared.
        """
        self._db = db
        self._part_accounts = part_accounts
        self._judge_later = judge_later

    async def merge(self, call: Call, params: MergeParams) -> MergeResult:
        """Merge a person into another, who gets all memories and names of the first.

        Raises:
            errors.Conflict: they cannot be the same.
            errors.Denied: others stated something about them, or accounts would be joined.
        """
        if params.dry_run:
            return await self._db.write(
                lambda tx: tx.rehearse(lambda: _merge(tx, call, params)), quiet=True
            )
        result = await self._db.write(lambda tx: _merge(tx, call, params))
        self._judge_later()
        return result

    async def split(self, call: Call, params: IdParams) -> SplitResult:
        """Undo a merge.

        Raises:
            errors.Conflict: there is no merge to undo.
        """
        return await self._db.write(lambda tx: _split(tx, call, params, self._part_accounts))

    async def link_account(self, call: Call, params: AccountParams) -> PersonResult:
        """Join an account to a person: joined accounts share everything their owner has.

        Raises:
            errors.Conflict: the account is joined to somebody else.
        """
        result = await self._db.write(lambda tx: _link(tx, call, params))
        self._judge_later()
        return result

    async def unlink_account(self, call: Call, params: AccountParams) -> SplitResult:
        """Separate an account from a person; each has what it would have without the join.

        Raises:
            errors.NotFound: the account is not this person's.
            errors.Conflict: it is the person's first one.
        """
        return await self._db.write(lambda tx: _unlink(tx, call, params, self._part_accounts))


def _merge(tx: Tx, call: Call, params: MergeParams) -> MergeResult:
    viewer = call.enter(tx)
    loser = directory.find(tx, viewer, params.id)
    winner = directory.find(tx, viewer, params.into)
    if chats.accounts_of(tx, loser) and not viewer.everything:
        raise errors.Denied(
            "The person to be merged has an account.",
            "Merge the other way round; accounts are joined by `ash person link-account`, or with"
            " all_scopes.",
        )
    if not (viewer.everything or edit.tells_alone(tx, viewer, loser)):
        raise errors.Denied(
            "Others have told of this person too.", "Act as the operator (all_scopes)."
        )
    states = States(superseded=True, expired=True, archived=True)
    moving = memory_lists.seen(tx, viewer, MemoryFilter(about=loser), states)
    joins_accounts = chats.accounts_of(tx, loser) and chats.accounts_of(tx, winner)
    call.record(tx, people=joining.join(tx, loser, winner))
    if joins_accounts:
        _compare_across_accounts(tx, winner)
    return MergeResult(directory.view(tx, viewer, winner), len(moving))


def _split(tx: Tx, call: Call, params: IdParams, part: PartAccounts) -> SplitResult:
    viewer = call.enter(tx)
    holder = directory.find(tx, viewer, params.id)
    number = _of_family(tx, params.id, holder)
    merged = merges.of_loser(tx, number) or merges.latest_into(tx, number)
    if merged is None or merged.by_join:
        raise errors.Conflict("Nobody was merged here.", "Give the id of a merged person.")
    if not viewer.everything:
        if merges.moved_accounts(merged):
            raise errors.Denied(
                "The merge joined accounts.", "Use `ash person unlink-account`, or all_scopes."
            )
        if people.by_id(tx, merged.loser).created_by not in viewer.accounts:
            raise errors.Denied(
                "Somebody else told of this person.", "Act as the operator (all_scopes)."
            )
    left = _undo(tx, call, viewer, merged, part)
    return SplitResult(directory.view(tx, viewer, merged.loser), _view(tx, left))


def _of_family(tx: Tx, person_id: str, holder: int) -> int:
    """Return the row that the id names among those merged into one person."""

    def lookup(prefix: str) -> list[tuple[str, int]]:
        found = people.by_prefix(tx, prefix)
        return [(uuid, number) for uuid, number in found if people.final(tx, number) == holder]

    return find_one(person_id, "person", lookup)


def _undo(tx: Tx, call: Call, viewer: Viewer, merged: Merge, part: PartAccounts) -> NotParted:
    left = NotParted()
    two = joining.split(tx, merged, left)
    ones, others = (
        chats.joined_accounts(tx, people.final(tx, number))
        for number in (merged.winner, merged.loser)
    )
    account_joins.end(tx, ones, others, merged.merged_at)
    part(tx, ones, others)
    account = call.speaker(tx, viewer)
    joining.set_apart(tx, merged.winner, merged.loser, account.id if account else None)
    call.record(tx, people=two)
    return left


def _view(tx: Tx, left: NotParted) -> NotPartedView:
    return NotPartedView(
        person_id=people.by_id(tx, left.person).uuid if left.person is not None else None,
        memories=list(memories.uuids(tx, left.memories).values()),
        names=left.names,
        relationships=left.relationships,
        unrecorded=left.unrecorded,
    )


def _link(tx: Tx, call: Call, params: AccountParams) -> PersonResult:
    viewer = _operator(tx, call)
    winner = directory.find(tx, viewer, params.id)
    account = scope.account_of(tx, params.account.provider, params.account.user_id)
    if account.person != winner:
        joined_elsewhere = account.person != account.own_person
        shared = len(chats.joined_accounts(tx, account.person)) > 1
        if joined_elsewhere or shared:
            raise errors.Conflict(
                "The account is joined with others already.",
                "Take it away from there first (`ash person unlink-account`).",
            )
        call.record(tx, people=joining.join(tx, account.own_person, winner))
        _compare_across_accounts(tx, winner)
    return PersonResult(directory.view(tx, viewer, winner))


def _compare_across_accounts(tx: Tx, person: int) -> None:
    accounts = chats.joined_accounts(tx, person)
    memory_links.judge_across_accounts(tx, accounts, limits.STATEMENT_CHARS)


def _unlink(tx: Tx, call: Call, params: AccountParams, part: PartAccounts) -> SplitResult:
    viewer = _operator(tx, call)
    person = directory.find(tx, viewer, params.id)
    account = chats.account(tx, params.account.provider, params.account.user_id)
    if account is None or account.person != person:
        raise errors.NotFound("The account is not this person's.", "`ash person show` shows them.")
    merged = merges.of_loser(tx, account.own_person)
    if merged is None:
        raise errors.Conflict(
            "It is this person's first account.",
            "Take the others away (`ash person unlink-account`), or split the person.",
        )
    left = _undo(tx, call, viewer, merged, part)
    return SplitResult(directory.view(tx, viewer, people.final(tx, person)), _view(tx, left))


def _operator(tx: Tx, call: Call) -> Viewer:
    """Return the view of the operator, who acts for nobody: only the operator joins accounts."""
    return replace(call, all_scopes=True).enter(tx)
