"""What a call in many transactions has done so far, stored with its idempotency key.

The first transaction of the call stores the key, and each part adds its counts in its own. A call
that is repeated after a crash finishes the work, and answers for both runs.
"""

from collections import Counter

import msgspec

from ashd.access.actor import Call
from ashd.erasure.mentions import Listed
from ashd.store import replies
from ashd.store.database import Database
from ashd.store.transaction import Tx


class SoFar(msgspec.Struct):
    """The counts of rows by table, and facts that cannot be found again; no content."""

    rows: dict[str, int] = {}
    person: str | None = None
    """The id of the person whom the call forgets."""
    withdrawal_id: str | None = None
    archived: int = 0
    record_kept: str | None = None
    mentions: Listed = Listed()
    left: Listed = Listed()


class Resumable:
    """The progress of one call. Without a key it is counted in memory alone."""

    def __init__(self, call: Call, so_far: SoFar | None) -> None:
        self._call = call
        self.is_resumed = so_far is not None
        """Whether an earlier run of the call was interrupted."""
        self.so_far = so_far or SoFar()

    @classmethod
    async def of(cls, db: Database, call: Call) -> "Resumable":
        """Return the progress of a call, perhaps of an earlier run."""
        key = call.key
        if key is None:
            return cls(call, None)
        text = await db.read(lambda tx: replies.progress(tx, call.key_space, key, call.digest))
        return cls(call, msgspec.json.decode(text, type=SoFar) if text is not None else None)

    @property
    def rows(self) -> Counter[str]:
        """The rows counted so far, by table."""
        return Counter(self.so_far.rows)

    def note(self, tx: Tx, counted: Counter[str] | None = None) -> None:
        """Add counts to the progress, in the transaction in which they were made."""
        rows = Counter(self.so_far.rows) + (counted or Counter())
        # Kept even if the commit fails: then the call does, and a repetition reads what is stored.
        self.so_far.rows = dict(rows)
        if self._call.key is not None:
            replies.keep_progress(
                tx,
                *(self._call.key_space, self._call.key, self._call.digest),
                msgspec.json.encode(self.so_far).decode(),
            )
