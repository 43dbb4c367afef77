"""Erase everything: every table but the daemon's own, in an order that references allow."""

from collections import Counter
from typing import Final, NamedTuple

from ashd.store.erasure import rows
from ashd.store.erasure.rows import Rows
from ashd.store.transaction import Tx

_KEPT: Final = frozenset({"meta", "audit", "embedding_sets", "sqlite_sequence", "copies"})
"""Tables that are not cleared: the daemon's keys, the audit, the embedder, the list of backups."""


class _Reference(NamedTuple):
    table: str
    column: str
    to: str
    is_needed: bool
    """Whether the column must not be null."""


def tables(tx: Tx) -> list[str]:
    """Return the tables to clear, each before those that its rows need."""
    names = [
        row[0]
        for row in tx.all(
            "select name from pragma_table_list where schema = 'main'"
            " and type in ('table', 'virtual') order by name"
        )
        if row[0] not in _KEPT and not row[0].startswith("sqlite_")
    ]
    needs = {
        name: {one.to for one in _references(tx, name) if one.is_needed and one.to != name}
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
        for one in _references(tx, name)
        if not one.is_needed and place[one.to] <= place[one.table]
    ]


def _references(tx: Tx, table: str) -> list[_Reference]:
    found = tx.all(
        'select f."from", f."table", i."notnull" or i.pk > 0 from pragma_foreign_key_list(?1) f'
        ' join pragma_table_info(?1) i on i.name = f."from"',
        table,
    )
    return [_Reference(table, column, to, bool(is_needed)) for column, to, is_needed in found]
