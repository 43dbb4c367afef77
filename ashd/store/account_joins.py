"""The end of a join of accounts: each has the people whom it would have known by itself."""

from collections.abc import Collection

from ashd.store import ended_claims, merges, people, profiles
from ashd.store.database import Tx
from ashd.store.merges import Merge


def end(tx: Tx, ones: Collection[int], others: Collection[int], since: int) -> None:
    """Part the people whom two groups of accounts knew together, and what one ended for another.

    `ones` and `others` are the accounts of two people who were one `since` a time.
    """
    _part_people(tx, ones, others)
    _part_people(tx, others, ones)
    ended_claims.let_hold(tx, ones, others)
    ended_claims.let_hold(tx, others, ones)
    profiles.part(tx, tuple(ones), tuple(others), since)


def _part_people(tx: Tx, accounts: Collection[int], others: Collection[int]) -> None:
    """Split the people of these accounts from those of the others, whom they were merged into.

    Those of these accounts who were merged into the same person stay one. Someone created by nobody
    is the user of an account: whoever was merged into that one is a person of their own again.
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
