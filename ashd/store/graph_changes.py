"""Changes of stored entities and relations, with notes of who may see them."""

from typing import Literal

from ashd.store.database import Tx


def grow(tx: Tx, learned_in: int, owner: int | None, stated_by: int | None) -> None:
    """Note who may see a new statement."""
    tx.grow(("chat", learned_in), ("account", owner), ("account", stated_by))


def note(tx: Tx, table: Literal["entities", "relations"], where: str, number: int) -> None:
    """Note who may see changed rows."""
    for row in tx.all(f"select learned_in, owner, stated_by from {table} where {where}", number):
        grow(tx, *row)


def remove_entity(tx: Tx, number: int) -> None:
    """Remove an entity, with every relation that it is in."""
    note(tx, "entities", "id = ?", number)
    note(tx, "relations", "source = ?1 or target = ?1", number)
    tx.run("update entities set removed_at = ? where id = ?", tx.now, number)
    tx.run(
        "update relations set removed_at = ?1 where removed_at is null"
        " and (source = ?2 or target = ?2)",
        *(tx.now, number),
    )


def assert_again(
    tx: Tx, number: int, said_at: int, confidence: float, period: tuple[int | None, int | None]
) -> None:
    """Record that the relation was stated again, with this confidence and period."""
    note(tx, "relations", "id = ?", number)
    tx.run(
        "update relations set confidence = ?, valid_from = ?, valid_until = ?, asserted_at = ?"
        " where id = ?",
        *(confidence, *period, said_at, number),
    )


def end_relation(tx: Tx, number: int, at: int | None) -> None:
    """End a relation at a time."""
    note(tx, "relations", "id = ?", number)
    tx.run("update relations set valid_until = ? where id = ?", at, number)


def remove_relation(tx: Tx, number: int) -> None:
    """Remove a relation that was a mistake."""
    note(tx, "relations", "id = ?", number)
    tx.run("update relations set removed_at = ? where id = ?", tx.now, number)
