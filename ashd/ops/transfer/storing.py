"""Store the records of an import in slices, each record in its own savepoint."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ashd import errors, limits
from ashd.ops.transfer import rows
from ashd.ops.transfer.checking import Checked
from ashd.ops.transfer.references import References
from ashd.ops.transfer.tally import Refused, Tally
from ashd.store.transaction import Tx


@dataclass(slots=True)
class Storing(Tally):
    """The outcome of an import's records so far, and their rows."""

    references: References = field(default_factory=References)

    def put_some(self, tx: Tx, batch: Sequence[Checked | Refused], start: int) -> int:
        """Store records from a position on, for a moment; return the position of the next."""
        until = time.monotonic() + limits.IMPORT_WRITE_SECONDS
        for position in range(start, len(batch)):
            self.put(tx, batch[position])
            if time.monotonic() > until:
                return position + 1
        return len(batch)

    def put(self, tx: Tx, entry: Checked | Refused) -> None:
        """Store one record, or note why it was refused."""
        if isinstance(entry, Refused):
            self.refuse(entry)
            return
        try:
            with tx.savepoint():
                outcome = rows.PUT[entry.kind](self.references, tx, entry)
        except errors.StorageError:
            raise
        except errors.AshError as error:
            self.refuse(Refused(entry.line, error))
            return
        self.count(is_new=outcome == "imported")
