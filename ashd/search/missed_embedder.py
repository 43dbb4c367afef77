"""A start without an installed model's files: another embedder stands in until they are back.

Owns the note of the missing model. What must hold: when somebody chooses an embedder, by the
configuration or while the daemon runs, the note ends.
"""

from functools import partial
from typing import NamedTuple

from ashd import errors, log
from ashd.store import embeddings, meta
from ashd.store.database import Database, Tx
from ashd.store.embeddings import EmbeddingSet


class AtStart(NamedTuple):
    """The stored vectors when the daemon starts."""

    active: EmbeddingSet | None
    building: EmbeddingSet | None
    missed: str | None
    """The model of the vectors that were in use until its files were missing."""
    is_shared: bool = False
    """Whether other daemons use the vectors."""

    @property
    def model(self) -> str | None:
        """The model of the vectors that are, or will be, in use."""
        used = self.building or self.active
        return used.model if used else None


async def at_start(db: Database, *, is_configured: bool) -> AtStart:
    """Return the stored vectors, and remove those that nobody will use again."""
    return await db.write(partial(_at_start, is_configured=is_configured), quiet=True)


def _at_start(tx: Tx, *, is_configured: bool) -> AtStart:
    if is_configured:
        meta.set_missed_model(tx, None)
    missed = meta.missed_model(tx)
    is_shared = len(tx.dialect.running_daemons(tx.connection)) > 1
    if not is_shared:  # the searches of others may still be using them
        embeddings.drop_retired(tx, but=missed)
    return AtStart(*embeddings.in_use(tx), missed, is_shared)


def require_same(used: str, loaded: str | None) -> None:
    """Refuse to let another embedder stand in while other daemons use theirs.

    Raises:
        errors.EmbeddingUnavailable
    """
    if loaded is None or _name(loaded) != _name(used):
        raise errors.EmbeddingUnavailable(
            f"The other daemons on this database use {_name(used)}, which this one cannot load.",
            "Install and configure the same embedder here, as `ash model list` shows it there.",
        )


async def note(db: Database, found: AtStart, wanted: str, *, is_configured: bool) -> AtStart:
    """Note that an embedder stands in for another one, or that this one is back.

    Its vectors are then built further.
    """
    if is_configured:
        return found
    if found.missed is not None and wanted != found.model:
        found = await db.write(partial(_back, found=found, wanted=wanted), quiet=True)
        log.info("embedder_is_back", model=wanted)
    elif (
        (found.missed, found.building) == (None, None)
        and found.active is not None
        and _name(found.active.model) != _name(wanted)
    ):
        missed = found.active.model
        await db.write(lambda tx: meta.set_missed_model(tx, missed), quiet=True)
        log.warning("embedder_missing", model=missed, instead=wanted)
    return found


def _name(model: str) -> str:
    """Return a model's name without its version: a new version stands in for nothing."""
    return model.partition("/")[0]


def _back(tx: Tx, *, found: AtStart, wanted: str) -> AtStart:
    meta.set_missed_model(tx, None)
    if found.building is not None:
        embeddings.retire(tx, found.building)
    return found._replace(building=embeddings.take_up(tx, wanted))


async def forget(db: Database) -> None:
    """End the note: somebody chose an embedder."""
    await db.write(lambda tx: meta.set_missed_model(tx, None), quiet=True)
