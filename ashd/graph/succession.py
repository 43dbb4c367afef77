"""The values of a relation that has one at a time, in the order in which they were said.

Only a statement that was said later ends another one, in whatever order they are read. An older
one that is read late is stored as ended by the one that was said after it.
"""

from ashd.graph import audience, model
from ashd.graph.model import Period
from ashd.store import graph, graph_changes
from ashd.store.database import Tx
from ashd.store.graph import Relation


def settle(tx: Tx, others: list[Relation], number: int) -> list[str]:
    """End those of the other values that were said before; return the ids that changed."""
    made = graph.relation(tx, number)
    said_at = made.asserted_at
    mine = period(made)
    ended = []
    for entry in others:
        older = period(entry)
        is_later = entry.asserted_at > said_at
        if is_later or model.is_over(older, said_at) or not audience.keeps(tx, entry, made):
            continue
        settled, mine = model.settle(older, mine, said_at)
        if settled != older:
            graph_changes.end_relation(tx, entry.id, settled.end)
            ended.append(entry.uuid)
    for entry in others:
        if entry.asserted_at > said_at and audience.keeps(tx, made, entry):
            first = entry.said_at if entry.said_at > said_at else entry.asserted_at
            mine = model.replaced(mine, period(entry), first)
    graph_changes.end_relation(tx, number, mine.end)
    return ended


def period(entry: Relation) -> Period:
    """Return the time span in which a relation holds."""
    return Period(entry.valid_from, entry.valid_until)
