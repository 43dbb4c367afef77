"""The receipt of an erasure: counted rows, and the files that still hold erased data."""

from collections import Counter

import msgspec

from ashd.clock import to_text
from ashd.ids import OwnWord
from ashd.store.copies import Copy


class CopyView(msgspec.Struct, frozen=True):
    """A file that holds the data of when it was made: a backup or an export."""

    path: OwnWord
    kind: OwnWord
    made_at: str


class Receipt(msgspec.Struct, frozen=True):
    """The rows erased, counted by table, and earlier backup files that still hold them.

    The daemon changes no backup: delete those files, or make a new backup so that old ones are
    pruned.
    """

    rows: dict[str, int]
    backups: list[CopyView]


def receipt(rows: Counter[str], copies: list[Copy]) -> Receipt:
    """Return the receipt, with the tables in order."""
    return Receipt(
        {table: count for table, count in sorted(rows.items()) if count},
        [CopyView(copy.path, copy.kind, to_text(copy.made_at) or "") for copy in copies],
    )
