"""Counts of problems in a database, for the doctor; each looks at all rows of a table."""

from typing import NamedTuple

from ashd.store import witness
from ashd.store.jobs import set_aside_count
from ashd.store.transaction import Tx


class Counts(NamedTuple):
    """The number of problems of each kind, in the order in which they are reported."""

    orphans: dict[str, int]
    without_provenance: int
    dead_jobs: int
    refused_texts: int
    commits_lost: int
    same_memories: int
    models: dict[str, str]
    """The embedders with stored vectors, by the state of their set."""


def count(tx: Tx) -> Counts:
    """Count all problems."""
    return Counts(
        orphans=tx.dialect.catalog.broken_references(tx.connection),
        without_provenance=tx.value(
            "select count(*) from memories where learned_in is null or source = ''"
            " or (owner is null and chat is null)"
        ),
        dead_jobs=set_aside_count(tx),
        refused_texts=tx.value(
            "select count(*) from embedding_queue where set_aside_at is not null"
        ),
        commits_lost=witness.lost(tx),
        same_memories=tx.value(
            "select count(*) from memory_links l join memories a on a.id = l.newer"
            " join memories b on b.id = l.older where l.kind = 'repeats'"
            " and a.archived_at is null and b.archived_at is null"
            " and a.superseded_until <= ?1 and b.superseded_until <= ?1",
            tx.now,
        ),
        models=dict(tx.all("select state, model from embedding_sets where state <> 'retired'")),
    )


def retry_refused(tx: Tx) -> int:
    """Let texts that the embedder refused be tried again now."""
    return tx.run("update embedding_queue set set_aside_at = null where set_aside_at is not null")
