"""Map the records of an import, and their references, to rows of the database."""

from typing import Any, Final

from ashd import errors
from ashd.ops.transfer.checking import Checked
from ashd.ops.transfer.record_types import AccountRef, ChatRef
from ashd.store import chats, transfer, transfer_kinds
from ashd.store.transaction import Tx
from ashd.store.transfer_kinds import Target

_CACHED: Final = 100_000


class References:
    """The rows known to an import: those seen so far, and those whose id differs in the file."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, Any], int] = {}
        """Rows by the references of records; a cache, looked up again when it was emptied."""
        self._same: dict[tuple[str, Any], int] = {}
        """Rows of records that have another id in the file, and of the file's numbers."""

    def row(self, tx: Tx, target: Target, name: Any) -> int | None:
        """Return the row to which a record refers; None without a reference.

        Raises:
            errors.InvalidParams: there is no such row.
        """
        if name is None:
            return None
        key = (target, name)
        known = self._same.get(key) or self._rows.get(key)
        if known is None:
            known = self._look_up(tx, target, name)
            if known is None:
                raise errors.InvalidParams(
                    f"It refers to a {target} that is not there.",
                    "That record is missing from the file, comes later in it, or was refused.",
                )
            if len(self._rows) >= _CACHED:
                self._rows.clear()
            self._rows[key] = known
        return known

    def _look_up(self, tx: Tx, target: Target, name: Any) -> int | None:
        if isinstance(name, AccountRef):
            account = chats.account(tx, name.provider, name.user_id)
            return account.id if account else None
        if isinstance(name, ChatRef):
            whose = None
            if name.user_id is not None:
                whose = self.row(tx, "account", AccountRef(name.provider, name.user_id))
            return transfer.chat(tx, name.chat_type, name.provider, whose, name.chat_id)
        return transfer.by_uuid(tx, target, name)

    def columns(self, tx: Tx, entry: Checked) -> dict[str, Any]:
        """Return the columns of a record, its references as row numbers."""
        refs = transfer_kinds.KINDS[entry.kind].refs
        return entry.columns | {
            column: self.row(tx, target, getattr(entry.record, column))
            for column, target in refs.items()
        }

    def map_to(self, target: str, name: Any, row: int) -> None:
        """Remember the row of a record whose id differs in the file, or of a number of the file."""
        self._same[target, name] = row

    def has_another_id(self, target: str, name: Any) -> bool:
        """Return whether a record is an existing row, whose id differs in the file."""
        return (target, name) in self._same

    def number(self, kind: str, number: int) -> int:
        """Return the row of an alias or relationship by its number in the file.

        Raises:
            errors.InvalidParams: there is none.
        """
        row = self._same.get((kind, number))
        if row is None:
            raise errors.InvalidParams(
                f"It refers to a {kind} that is not there.",
                "That record is missing from the file, or comes later in it.",
            )
        return row
