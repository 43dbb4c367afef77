"""Erase everything: every table but the daemon's own, in an order that references allow."""

from collections import Counter
from typing import Final

from ashd.store.erasure import rows
from ashd.store.erasure.rows import Rows
from ashd.store.transaction import Tx

_KEPT: Final = frozenset({"meta", "audit", "embedding_sets", "copies"})
"""Tables that are not cleared: the daemon's keys, the audit, the embedder, the list of backups."""


def tables(tx: Tx) -> list[str]:
    """Return the tables to clear, each before those that its rows need."""
    names = [name for name in tx.dialect.catalog.tables(tx.connection) if name not in _KEPT]
    needs = {
        name: {
            one.to
            for one in tx.dialect.catalog.references(tx.connection, name)
            if one.is_needed and one.to != name
        }
        for name in names
    }
    ordered: list[str] = []
    while needs:
        # Tables that no remaining table needs.
        free = [name for name in needs if all(name not in others for others in needs.values())]
        ordered += free
        for name in free:
            del needs[name]
    # The full-text rows come first, since they are found by the passages' numbers.
    return sorted(ordered, key=lambda name: name != "passage_fts")


def found(tx: Tx) -> Counter[str]:
    """Count the rows of each."""
    kinds = [Rows(name, "true") for name in tables(tx) if name != "passage_fts"]
    return rows.take(tx, kinds, {}, erase=False)


def ties(tx: Tx) -> list[Rows]:
    """Return the references that prevent clearing in any order; they become null.

    Tables that refer to one another, or to themselves, are untied in parts.
    """
    place = {name: number for number, name in enumerate(tables(tx))}
    return [
        Rows(one.table, f"{one.column} is not null", f"{one.column} = null")
        for name in place
        for one in tx.dialect.catalog.references(tx.connection, name)
        if not one.is_needed and place[one.to] <= place[one.table]
    ]
