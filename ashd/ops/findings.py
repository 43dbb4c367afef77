"""Problems with a daemon's database and its files, and their remedies.

Findings give counts, never stored content.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from ashd.config import Places
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
    """A problem; `fixable` if `fix` mends it."""

    name: str
    severity: Severity
    detail: str
    remedy: str
    fixable: bool = False
    fixed: bool = False


def of(
    places: Places,
    examined: Examined,
    counts: Counts | None,
    *,
    model: str,
    alike: int,
    faults: Sequence[Warned] = (),
) -> list[Finding]:
    """Return the findings, worst first; pass no counts if pages are damaged.

    `alike` is the number of pairs of people who may be one; `faults` are warnings of the running
    daemon.
    """
    order: list[Severity] = ["error", "warning", "note"]
    found = [*_of_pages(places, examined), *_of_places(places)]
    found += [Finding(one.name, "warning", one.detail, one.remedy) for one in faults]
    if counts is not None:
        found += _of_rows(counts, model)
    if alike:
        found.append(
            Finding(
                "same_people",
                "note",
                f"{alike} pairs of people may be one person each.",
                "`ash person duplicates` shows them; `ash person merge` joins two.",
            )
        )
    return sorted(found, key=lambda finding: order.index(finding.severity))


def after_fix(before: list[Finding], left: list[Finding]) -> list[Finding]:
    """Return the findings that are left, then those that were fixed."""
    names = {finding.name for finding in left}
    fixed = [
        msgspec.structs.replace(finding, fixed=True)
        for finding in before
        if finding.fixable and finding.name not in names
    ]
    return [*left, *fixed]


def _of_pages(places: Places, examined: Examined) -> Iterator[Finding]:
    hurt = examined.hurt
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


def unreadable(places: Places) -> Finding:
    """Return the only finding about a file that cannot be read at all."""
    return Finding(
        "unreadable",
        "error",
        "The beginning of the database is damaged: nothing of it can be read.",
        _restore(places),
    )


def _restore(places: Places) -> str:
    found = places.backups.glob("*.db")
    newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    save = "Stop the daemon. `ash db rescue FILE` saves what can be read and lists what cannot; "
    if newest is None:
        return f"{save}there is no backup: move the database away and import FILE into a new one."
    return f"{save}`ash db restore {newest}` and `ash db import FILE` bring the rest back."


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
            fixable=True,
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
            f"{counts.dead_jobs} jobs failed for good and were set aside.",
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
            f"{counts.same_memories} pairs of memories say the same in other words.",
            "Searches show one of each; `ash memory delete` removes one for good.",
        )


def _of_places(places: Places) -> Iterator[Finding]:
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
            "--fix takes their rights away.",
            fixable=True,
        )


def make_private(places: Places) -> None:
    """Remove the permissions of others from the daemon's files."""
    for path in _private(places):
        path.chmod(path.stat().st_mode & ~_PRIVATE)


def _private(places: Places) -> list[Path]:
    database = places.database
    files = [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]
    return [path for path in (database.parent, *files) if path.exists()]


def _size(database: Path) -> int:
    return sum(
        path.stat().st_size
        for path in (database, database.with_name(database.name + "-wal"))
        if path.exists()
    )
