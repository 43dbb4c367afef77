"""Save the readable part of a damaged database as an export; the caller holds the database's lock.

To recover: restore the newest backup, then import the rescued file, which adds what is newer.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ashd import errors
from ashd.clock import Clock
from ashd.ops import files
from ashd.ops.transfer import encrypted_file, records
from ashd.ops.transfer.export import encoder, whole
from ashd.ops.transfer.record_types import kind_of
from ashd.store import checking, migrations, verified_copy
from ashd.store import rescue as rescuing
from ashd.store.connection import reader_of
from ashd.store.rescue import Lost
from ashd.store.transfer_kinds import KINDS


class LostRecords(msgspec.Struct, frozen=True):
    """Records of a kind that cannot be read; `rows` is null if their number is unknown."""

    kind: str
    rows: int | None
    ids: list[str]


class Rescued(msgspec.Struct, frozen=True):
    """The number of records saved, in all and by kind, and those that cannot be read."""

    path: str
    rows: int
    kinds: dict[str, int]
    lost: list[LostRecords]
    encrypted: bool


def rescue(
    database: Path,
    path: Path,
    clock: Clock,
    show: verified_copy.Progress,
    recipient: str | None = None,
) -> Rescued:
    """Write the readable records to a new file, encrypted if there is a recipient.

    Raises:
        errors.InvalidParams: it cannot be written there.
        errors.StartError: there is no database, or it has not the schema of this ashd.
        errors.StorageError: nothing can be read, or the disk failed.
    """
    if not database.exists():
        raise errors.StartError(f"There is no database at {database}.")
    kinds: dict[str, int] = {}
    lost: dict[str, LostRecords] = {}  # by table, since two kinds of records may be made of one row
    with (
        files.new_output(path) as file,
        rescuing.opened(database, clock) as tx,
    ):
        migrations.require_newest(tx)
        rescuing.look_up_elsewhere(
            tx, checking.examine(reader_of(database), clock, _go_on).hurt.tables
        )

        def saved() -> Iterator[bytes]:
            for record in records.IN_ORDER:
                kind = kind_of(record)
                encode = encoder(record)
                for found in rescuing.each(tx, kind):
                    if isinstance(found, Lost):
                        one = LostRecords(kind, found.rows, found.ids)
                        lost.setdefault(KINDS[kind].table, one)
                    else:
                        yield encode(found)
                        kinds[kind] = kinds.get(kind, 0) + 1
                show(records.IN_ORDER.index(record) + 1, len(records.IN_ORDER))

        encrypted_file.write(file, whole(saved(), tx.now), recipient)
    return Rescued(
        *(str(path), sum(kinds.values()), kinds, list(lost.values())),
        encrypted=recipient is not None,
    )


def _go_on() -> None:
    """Never stop: nobody asks for it."""
