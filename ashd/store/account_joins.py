"""The end of a join of accounts: each account gets back the people it would have known alone."""

from collections.abc import Collection

from ashd.store import ended_claims, merges, people, profiles
from ashd.store.database import Tx
from ashd.store.merges import Merge


def end(tx: Tx, ones: Collection[int], others: Collection[int], since: int) -> None:
    """Part the people that two groups of accounts knew together, and reopen claims across groups.

    `ones` and `others` are the accounts of two people who were one person `since` a time.
    """
    _part_people(tx, ones, others)
    _part_people(tx, others, ones)
    ended_claims.let_hold(tx, ones, others)
    ended_claims.let_hold(tx, others, ones)
    profiles.part(tx, tuple(ones), tuple(others), since)


def _part_people(tx: Tx, accounts: Collection[int], others: Collection[int]) -> None:
    """Split the people of these accounts from those of the others, with whom they were merged.

    People of these accounts who were merged into the same person stay one person. A person created
    by nobody is the user of an account: people merged into that user are split off again.
    """
    parted: dict[int, list[Merge]] = {}
    for merged in merges.by_join(tx, accounts):
        winner = people.by_id(tx, merged.winner)
        if winner.created_by is None or winner.created_by in others:
            merges.split(tx, merged)
            parted.setdefault(merged.winner, []).append(merged)
    for first, *further in parted.values():
        for merged in further:
            merges.merge_again(tx, merged.loser, people.final(tx, first.loser))
