"""The people that memories are about, and the words that named them."""

from collections.abc import Mapping, Sequence

from ashd.store import chains, joined_changes
from ashd.store.joined_changes import SUBJECTS
from ashd.store.transaction import Tx


def add(tx: Tx, number: int, subjects: Sequence[int], *, are_read: bool) -> None:
    """Insert the ABOUT edges of a new memory; `are_read` if the people come only from its words."""
    for position, person in enumerate(dict.fromkeys(subjects)):
        tx.send(
            "insert into memory_subjects (memory, person, position, is_read) values (?, ?, ?, ?)",
            *(number, person, position, are_read),
        )


def of(tx: Tx, number: int) -> list[int]:
    """Return the people that a memory is about, in order."""
    rows = tx.all("select person from memory_subjects where memory = ? order by position", number)
    return [row[0] for row in rows]


def given(tx: Tx, number: int) -> list[int]:
    """Return those of them whom a caller named: to them alone a memory may be shown for it."""
    rows = tx.all("select person from memory_subjects where memory = ? and is_read = 0", number)
    return [row[0] for row in rows]


def are_read(tx: Tx, number: int) -> bool:
    """Return whether the people that a memory is about were read from its words."""
    row = tx.one("select 1 from memory_subjects where memory = ? and is_read = 1 limit 1", number)
    return row is not None


def replace(tx: Tx, number: int, subjects: Sequence[int], *, read: bool) -> None:
    """Replace a memory's people, named by a caller or `read`; people who stay keep their words."""
    said, were_given = references(tx, number), given(tx, number)
    owner = tx.value("select owner from memories where id = ?", number)
    by = joined_changes.cause(tx, owner)
    if by is not None:
        was = {
            SUBJECTS: {
                "named": said,
                "people": of(tx, number),
                "meant": _meant(tx, number),
                "read": are_read(tx, number),
            }
        }
        joined_changes.note(tx, number, by, was, {SUBJECTS: list(subjects)})
    # A public memory is shown to its subjects, and no longer to former ones.
    tx.run("delete from memory_subjects where memory = ?", number)
    add(tx, number, subjects, are_read=read)
    tx.revise(number, *(("person", person) for person in (*were_given, *given(tx, number))))
    chains.touch_older(tx, number)
    set_references(tx, number, {person: said[person] for person in subjects if person in said})


def _meant(tx: Tx, number: int) -> list[list[int]]:
    rows = tx.all(
        "select person, unsure from meant_subjects where memory = ? order by position", number
    )
    return [list(row) for row in rows]


def references(tx: Tx, number: int) -> dict[int, str]:
    """Return the words that named each subject of the memory, where they are known."""
    rows = tx.all(
        "select person, reference from memory_subjects where memory = ? and reference is not null",
        number,
    )
    return {row[0]: row[1] for row in rows}


def set_references(tx: Tx, number: int, references: Mapping[int, str]) -> None:
    """Store the words that named each subject of the memory."""
    for person, reference in references.items():
        tx.send(
            "update memory_subjects set reference = ? where memory = ? and person = ?",
            *(reference, number, person),
        )


def about(tx: Tx, number: int) -> list[tuple[int, str | None]]:
    """Return (memory, the words that named this person), oldest first."""
    rows = tx.all(
        "select memory, reference from memory_subjects where person = ? order by memory", number
    )
    return [(row[0], row[1]) for row in rows]
