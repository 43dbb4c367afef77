"""Problems with a daemon's database and its files, and their remedies.

Findings give counts, never stored content.
"""

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from ashd.config import Places
from ashd.ops import files
from ashd.ops.home_commands import command
from ashd.store.checking import Examined
from ashd.store.doctor import Counts
from ashd.store.health import Warned
from ashd.store.index_rows import UNFIT

Severity = Literal["error", "warning", "note"]

_SPACE_BYTES: Final = 64 * 1024 * 1024
"""Free space below which even a small database is in danger."""
_PRIVATE: Final = 0o077
"""The permission bits of group and others, which must be unset."""


class Finding(msgspec.Struct, frozen=True):
    """A problem; `fixable` if `fix` mends it.

    If it cannot be mended, but `fix` ends its warning, it is `acknowledgeable`: `acknowledged`
    then, not `fixed`.
    """

    name: str
    severity: Severity
    detail: str
    remedy: str
    fixable: bool = False
    fixed: bool = False
    acknowledgeable: bool = False
    acknowledged: bool = False


def of(
    places: Places,
    examined: Examined | None,
    counts: Counts | None,
    *,
    model: str,
    alike: int,
    standing: Sequence[Warned] = (),
    damaged: bool = False,
) -> list[Finding]:
    """Return the findings, worst first; pass no counts if pages are damaged.

    `alike` is the number of pairs of people who may be one; `standing` are warnings of the running
    daemon. Without `examined` nothing of the database could be read, since it is `damaged` or since
    the disk failed.
    """
    if examined is not None:
        found = [*_of_pages(places, examined)]
    else:
        found = [_unreadable(places) if damaged else _NOT_EXAMINED]
    found += _of_places(places)
    if counts is not None:
        found += _of_rows(counts, model)
    if alike:
        found.append(
            Finding(
                "same_people",
                "note",
                f"{alike} {'pair' if alike == 1 else 'pairs'} of people may be one person each.",
                "`ash person duplicates` shows them; `ash person merge` joins two.",
            )
        )
    # A finding says more than the warning of the same thing.
    known = {finding.name for finding in found} | (_OF_DAMAGE if examined else frozenset())
    return worst_first([*found, *(_standing(one) for one in standing if one.name not in known)])


def worst_first(found: list[Finding]) -> list[Finding]:
    """Return the findings in the order in which they are shown."""
    order: list[Severity] = ["error", "warning", "note"]
    return sorted(found, key=lambda finding: order.index(finding.severity))


def after_fix(before: list[Finding], left: list[Finding]) -> list[Finding]:
    """Return the remaining findings, then the findings that were fixed or acknowledged."""
    names = {finding.name for finding in left}
    gone = [finding for finding in before if finding.name not in names]
    return [
        *left,
        *(msgspec.structs.replace(one, fixed=True) for one in gone if one.fixable),
        *(msgspec.structs.replace(one, acknowledged=True) for one in gone if one.acknowledgeable),
    ]


def can_change(found: list[Finding]) -> bool:
    """Return whether `fix` mends or ends one of the findings."""
    return any(one.fixable or one.acknowledgeable for one in found)


_NOT_EXAMINED: Final = Finding(
    "not_examined",
    "error",
    "The disk does not read the database: nothing is known of the state of its pages.",
    "Look at the system's log (dmesg); run `ash doctor` again when the disk works.",
)
_OF_DAMAGE: Final = frozenset({"database_damaged", "index_damaged"})
"""Warnings of damage; the findings of an examination say more, and replace them."""


_ACKNOWLEDGEABLE: Final = frozenset({"clock_jumped"})
"""Warnings that end once the operator has said that all is well."""


def _standing(warned: Warned) -> Finding:
    is_error = warned.name.startswith(("disk_", "database_", "log_"))
    return Finding(
        warned.name,
        "error" if is_error else "warning",
        warned.detail,
        warned.remedy,
        acknowledgeable=warned.name in _ACKNOWLEDGEABLE,
    )


def _of_pages(places: Places, examined: Examined) -> Iterator[Finding]:
    hurt = examined.hurt
    if hurt.by_disk:
        names = ", ".join(sorted(hurt.tables | hurt.derived | hurt.indexes)) or "unused pages"
        yield Finding(
            "disk_failing",
            "error",
            f"The disk refused to read pages of: {names}.",
            "Look at the system's log (dmesg). If it stays so, stop the daemon and save what can be"
            f" read on another disk: `{command(places.home, 'db', 'rescue', 'FILE')}`.",
        )
        return
    if hurt.tables:
        yield Finding(
            "damaged_tables",
            "error",
            f"Pages are damaged in: {', '.join(sorted(hurt.tables))}.",
            _restore(places),
        )
    if hurt.derived or hurt.indexes:
        names = ", ".join(sorted(hurt.derived | hurt.indexes))
        yield Finding(
            "damaged_index",
            "error",
            f"Indexes are damaged, no memory is: {names}.",
            "--fix makes them anew; the daemon does so by itself.",
            fixable=not hurt.tables,
        )
    if hurt.elsewhere:
        yield Finding(
            "damaged_free_pages",
            "error",
            "The list of unused pages is damaged.",
            "--fix writes the file anew without them.",
            fixable=True,
        )
    for name, number in examined.unfit.items():
        yield Finding(
            f"index_{name}",
            "warning",
            f"There are {number} {UNFIT[name]}.",
            "--fix makes the index fit its rows; the daemon does so by itself.",
            fixable=True,
        )


def _unreadable(places: Places) -> Finding:
    return Finding(
        "unreadable",
        "error",
        "The beginning of the database is damaged: nothing of it can be read.",
        _replace(places),
    )


def _newest_backup(places: Places) -> Path | None:
    found = files.changed_at(filter(files.is_backup, places.backups.glob("*.db")))
    return max(found, key=found.__getitem__, default=None)


def _replace(places: Places) -> str:
    """Return the remedy for a database of which nothing can be rescued."""
    newest = _newest_backup(places)
    if newest is None:
        restore = command(places.home, "db", "restore", "FILE")
        return (
            f"There is no backup in {places.backups}. `{restore}`"
            f" takes one from elsewhere; to begin anew, stop the daemon and move {places.database}"
            f" and {places.database.name}.commits away."
        )
    restore = command(places.home, "db", "restore", str(newest))
    return f"Stop the daemon. `{restore}` puts the newest backup in its place."


def _restore(places: Places) -> str:
    newest = _newest_backup(places)
    rescue = command(places.home, "db", "rescue", "FILE")
    save = f"Stop the daemon. `{rescue}` saves what can be read and lists what cannot; "
    if newest is None:
        return (
            f"{save}there is no backup: move the database and {places.database.name}.commits away,"
            " and import FILE into a new one."
        )
    restore = command(places.home, "db", "restore", str(newest))
    bring = command(places.home, "db", "import", "FILE")
    return f"{save}`{restore}` and `{bring}` bring the rest back."


def _of_rows(counts: Counts, model: str) -> Iterator[Finding]:
    for table, number in counts.orphans.items():
        yield Finding(
            "orphans",
            "error",
            f"{number} rows of {table} name a row that is gone.",
            "Restore a backup from before; report it, for the daemon never leaves such rows.",
        )
    if counts.commits_lost:
        yield Finding(
            "writes_lost",
            "error",
            f"{counts.commits_lost} commits that had been acknowledged are missing.",
            "Compare with the newest backup; --fix ends the warning.",
            acknowledgeable=True,
        )
    if counts.without_provenance:
        yield Finding(
            "missing_provenance",
            "warning",
            f"{counts.without_provenance} memories do not say where they come from.",
            "`ash memory list` shows them to the operator; delete what nobody knows.",
        )
    if counts.dead_jobs:
        yield Finding(
            "dead_jobs",
            "warning",
            f"Jobs that were set aside: {counts.dead_jobs}.",
            "`ash jobs list --state set_aside` shows why; `ash jobs retry` tries one again.",
        )
    if counts.refused_texts:
        yield Finding(
            "refused_texts",
            "warning",
            f"The embedder refused {counts.refused_texts} texts: they are found by words only.",
            "--fix tries them again; so does the daemon once a day.",
            fixable=True,
        )
    stored = counts.models.get("active")
    if model and stored and stored != model:
        yield Finding(
            "model_mismatch",
            "warning",
            f"The vectors are of {stored}, the embedder in use is {model}.",
            "`ash model use` builds the vectors of another model.",
        )
    if counts.same_memories:
        yield Finding(
            "same_memories",
            "note",
            f"{counts.same_memories} {'pair' if counts.same_memories == 1 else 'pairs'} of memories"
            " say the same in other words.",
            "Searches show one of each; `ash memory delete` takes one away (`ash memory restore`"
            " brings it back).",
        )


def _of_places(places: Places) -> Iterator[Finding]:
    if not places.database.parent.exists():
        return  # a warning of the daemon says so
    usage = shutil.disk_usage(places.database.parent)
    needed = max(_SPACE_BYTES, _size(places.database))
    if usage.free < needed:
        yield Finding(
            "little_space",
            "warning",
            f"The disk of the database has {usage.free:,} bytes left.",
            f"Free {needed - usage.free:,} more: an upgrade writes the whole file anew.",
        )
    if opened := [path for path in _private(places) if path.stat().st_mode & _PRIVATE]:
        yield Finding(
            "open_to_others",
            "warning",
            f"Others of this machine may enter: {', '.join(map(str, opened))}.",
            "--fix takes their rights away, unless the files are somebody else's.",
            fixable=True,
        )


def make_private(places: Places) -> None:
    """Remove the permissions of others from the daemon's files; the next look says what stays."""
    for path in _private(places):
        with contextlib.suppress(OSError):  # of somebody else
            path.chmod(path.stat().st_mode & ~_PRIVATE)


def _private(places: Places) -> list[Path]:
    """Return what nobody else may enter; a folder outside of the home may be others', too."""
    database = places.database
    paths = [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]
    if places.home in database.parent.parents:
        paths.append(database.parent)
    return [path for path in paths if path.exists()]


def _size(database: Path) -> int:
    return sum(
        path.stat().st_size
        for path in (database, database.with_name(database.name + "-wal"))
        if path.exists()
    )
