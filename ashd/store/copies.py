"""Files with a copy of the data: backups and exports, remembered by path and time."""

from typing import Literal, NamedTuple

from ashd.store.transaction import Tx

Kind = Literal["backup", "export"]


class Copy(NamedTuple):
    """A file that holds the data as of a time."""

    path: str
    kind: Kind
    made_at: int


def note(tx: Tx, copy: Copy) -> None:
    """Remember a file."""
    tx.run(
        "insert into copies (path, kind, made_at) values (?, ?, ?) on conflict (path)"
        " do update set kind = excluded.kind, made_at = excluded.made_at",
        *copy,
    )


def forget(tx: Tx, path: str) -> None:
    """Remove a deleted file from the list."""
    tx.run("delete from copies where path = ?", path)


def noted(tx: Tx) -> list[Copy]:
    """Every file on the list, oldest first, whether it still exists or not."""
    return [Copy(*row) for row in tx.all("select path, kind, made_at from copies order by made_at")]
