"""Count the outcomes of an import's records, and list those that were refused."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ashd import errors, limits


class Refused(NamedTuple):
    """A line that was refused, and why."""

    line: int
    error: errors.AshError
    file: str = ""
    """The file in the imported folder; empty if a file was imported."""


@dataclass(slots=True)
class Tally:
    """Counts outcomes; if very many records were refused, only the first are listed."""

    imported: int = 0
    duplicates: int = 0
    refused: list[Refused] = field(default_factory=list)
    refused_count: int = 0
    archived: int = 0
    """Memories whose passages are gone from their notes."""
    to_be_read: int = 0
    """Parts of imported conversations that the language model has yet to read."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Parts of the file that are not stored because of their kind, by the reason."""

    def refuse(self, refused: Refused) -> None:
        """Note a line that was refused."""
        self.refused_count += 1
        if len(self.refused) < limits.IMPORT_REFUSALS:
            self.refused.append(refused)

    def count(self, *, is_new: bool) -> None:
        """Count a record that was stored, or that existed already."""
        if is_new:
            self.imported += 1
        else:
            self.duplicates += 1
