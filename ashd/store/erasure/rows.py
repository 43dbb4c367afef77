"""Rows to erase: a dry run counts by the same conditions by which rows are erased."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from ashd.store.transaction import Tx


class Rows(NamedTuple):
    """Rows of a table that are deleted, or of which some columns are cleared."""

    table: str
    where: str
    """The condition, with named parameters."""
    cleared: str | None = None
    """An assignment that clears columns of rows that stay; None if the rows are deleted."""


def take(tx: Tx, kinds: Iterable[Rows], params: dict[str, Any], *, erase: bool) -> Counter[str]:
    """Return the number of rows by table; with `erase`, erase them in the order of the kinds."""
    counted: Counter[str] = Counter()
    for kind in kinds:
        if erase:
            counted[kind.table] += tx.run_named(f"{_change(kind)} where {kind.where}", params)
        else:
            sql = f"select count(*) from {kind.table} where {kind.where}"
            counted[kind.table] += tx.named(sql, params)[0][0]
    return +counted


def take_some(tx: Tx, kind: Rows, params: dict[str, Any], *, limit: int) -> int:
    """Erase at most `limit` of the rows; return how many."""
    key = tx.dialect.catalog.row_key(tx.connection, kind.table)
    return tx.run_named(
        f"{_change(kind)} where ({key}) in"
        f" (select {key} from {kind.table} where {kind.where} limit :limit)",
        {**params, "limit": limit},
    )


def _change(kind: Rows) -> str:
    if kind.cleared is None:
        return f"delete from {kind.table}"
    return f"update {kind.table} set {kind.cleared}"
