"""Encryption of a home: use its key, encrypt or decrypt an existing database, change its key.

For a program that holds the database's lock. A verified copy with the other key is made beside the
database; one rename puts it in place. At every moment there is a complete database with a key that
is known. The plain file that an encrypted one replaced is overwritten, then removed, and so is a
plain copy that was not put in place; a kill leaves them under names by which the next start, or the
next command on the files, finds them.
"""

import filecmp
import shutil
from pathlib import Path
from typing import Final

import msgspec

from ashd import atomic_file, errors
from ashd.clock import Clock
from ashd.config import Places, Settings
from ashd.ops import database_key, files
from ashd.ops.database_key import Source
from ashd.ops.transfer import encrypted_file
from ashd.store import cipher_package, encryption, restoring, verified_copy
from ashd.store.connection import opens, reader_of
from ashd.store.encryption import Key
from ashd.store.verified_copy import Progress

_ORIGINAL: Final = ".plain"
"""Suffix of the plain file until it is overwritten."""
_SPARE_BYTES: Final = 16 * 1024 * 1024


class Encrypted(msgspec.Struct, frozen=True):
    """A database that was encrypted; `plain_copies` are backups and exports that are not."""

    path: str
    memories: int
    plain_copies: list[str]


def unlock(settings: Settings, places: Places, *, backup: Path | None = None) -> None:
    """Make this process use the key of the database, if it is to be encrypted.

    A database that the key does not open may be damaged: a backup that it opens can replace it.

    Raises:
        errors.StartError: there is no key, it does not open the database, or the database is not as
            the settings say. Nothing was changed.
    """
    database = places.database
    if not settings.storage.encryption:
        if cipher_package.is_there():
            cipher_package.require_no_mixture()
        if encryption.is_encrypted(database):
            raise errors.StartError(
                f"{database} is encrypted. Set `encryption = true` under [storage]."
            )
        _overwrite_original(database)
        return
    source = database_key.source(settings, places)
    key = source.load()
    if key is None:
        raise _no_key(source, database)
    encryption.use(key)
    if encryption.is_plain(database):
        raise errors.StartError(
            f"{database} is not encrypted, but `encryption = true` is set. "
            "`ash db encrypt` encrypts it; leave the setting out to use it as it is."
        )
    if not _opens(database, key):
        following = _next_key(source, database)
        encryption.use(following or _require_backup(database, backup, key))
        if following is None:
            return  # what a kill left beside the database may be all that can be read
    _overwrite_leftovers(database)


def require_setting(settings: Settings) -> None:
    """Refuse work that is for encrypted databases only.

    Raises:
        errors.StartError: `encryption` is not set.
    """
    if not settings.storage.encryption:
        raise errors.StartError(
            "Set `encryption = true` under [storage] first, and `key_file` or `key_command`"
            " unless the key is to be in the keyring."
        )


def encrypt(places: Places, clock: Clock, progress: Progress) -> Encrypted:
    """Encrypt the database with this process's key, or end what a kill interrupted.

    Raises:
        errors.StorageError: there is no room, or the disk failed; the database is as it was.
    """
    database = places.database
    _overwrite_leftovers(database)
    memories = 0
    if encryption.is_plain(database):
        original = _original(database)
        memories = _replace(database, clock, "db.encrypt", progress, keep_as=original)
        _overwrite_original(database)
    return Encrypted(str(database), memories, _plain_copies(places, clock))


def decrypt(database: Path, clock: Clock, progress: Progress) -> int:
    """Make the database a plain file again; return the number of its memories.

    Raises:
        errors.StorageError: there is no room, or the disk failed; the database is as it was.
    """
    with encryption.keyed(files.part_name(database), None):
        return _replace(database, clock, "db.decrypt", progress)


def rekey(source: Source, database: Path, key: Key, clock: Clock, progress: Progress) -> int:
    """Encrypt the database with another key; return the number of its memories.

    The key takes the old one's place in its source last. The caller has put it where it cannot be
    lost if the source has no place for a next key.

    Raises:
        errors.StartError: the key cannot be stored.
        errors.StorageError: there is no room, or the disk failed; the database is as it was.
    """
    following = source.following()
    if following is not None:
        following.store(key)
    with encryption.keyed(files.part_name(database), key):
        memories = _replace(database, clock, "db.rekey", progress)
    encryption.use(key)
    source.take_over()
    return memories


def _replace(
    database: Path, clock: Clock, method: str, progress: Progress, keep_as: Path | None = None
) -> int:
    """Put a copy with the other key in the database's place; return the number of memories."""
    restoring.write_back_wal(database)
    real = files.linked(database)
    if real.with_name(real.name + "-wal").exists():
        # It is of the old key, and would be taken for the log of the new file.
        raise errors.StorageError(
            f"Another program has {database} open.", "Close it; nothing was changed."
        )
    _require_room(database)
    with files.part_of(database, wiped=True) as part:
        counts = verified_copy.make(
            reader_of(database), part, progress=progress, check_cancelled=lambda: None
        )
        restoring.note(part, clock, method)
        atomic_file.give_to_owner_of(database.parent, part)
        files.replace(part, database, keep_as)
    return counts["memories"]


def _require_room(database: Path) -> None:
    needed = database.stat().st_size + _SPARE_BYTES
    free = shutil.disk_usage(files.linked(database).parent).free
    if free < needed:
        raise errors.StorageError(
            f"A copy of the database needs {needed:,} bytes, and the disk has {free:,}.",
            "Free some space; nothing was changed.",
        )


def _original(database: Path) -> Path:
    database = files.linked(database)
    return database.with_name(database.name + _ORIGINAL)


def _overwrite_leftovers(database: Path) -> None:
    """Overwrite and remove what a killed change of the key left: it may be plain."""
    _overwrite_original(database)
    if database.exists():
        for path in (database, _original(database)):
            files.wipe(files.part_name(path))


def _overwrite_original(database: Path) -> None:
    """Overwrite and remove the plain file that was kept when an encrypted one was to replace it."""
    original = _original(database)
    if not (original.exists() and database.exists()):
        return
    if original.samefile(database):  # killed before it was replaced
        original.unlink()
    elif encryption.is_encrypted(database) or filecmp.cmp(original, database, shallow=False):
        files.overwrite(original)


def _plain_copies(places: Places, clock: Clock) -> list[str]:
    """Return the backups and exports that are not encrypted and still there."""
    noted = restoring.copies_of(places.database, clock)
    exports = {Path(one.path) for one in noted if one.kind == "export"}
    backups = {Path(one.path) for one in noted if one.kind == "backup"}
    backups.update(places.backups.glob("*"))
    plain = {path for path in backups if encryption.is_plain(path)}
    plain |= {path for path in exports if path.is_file() and not encrypted_file.is_one(path)}
    return sorted(map(str, plain))


def _no_key(source: Source, database: Path) -> errors.StartError:
    """Return why a database cannot be used whose key is not where the settings say."""
    if encryption.is_encrypted(database):
        return errors.StartError(
            f"{database} is encrypted, and there is no key in {source}. Put it back there;"
            " `ash db restore --phrase` makes it of its recovery phrase."
        )
    return errors.StartError("There is no key for the database. `ash db encrypt` makes one.")


def _opens(database: Path, key: Key) -> bool:
    return not encryption.is_encrypted(database) or opens(database, key)


def _next_key(source: Source, database: Path) -> Key | None:
    """Return the key of a database whose change of key was killed at its last step; do that step.

    None if there is no such key.
    """
    following = source.following()
    key = following.load() if following is not None else None
    if key is None or not _opens(database, key):
        return None
    source.take_over()
    return key


def _require_backup(database: Path, backup: Path | None, key: Key) -> Key:
    """Return the key if it opens the backup that is to replace the database.

    Raises:
        errors.StartError: it opens nothing.
    """
    if backup is not None and encryption.is_encrypted(backup) and _opens(backup, key):
        return key
    raise errors.StartError(
        f"The key does not open {database}, or its first page is damaged; nothing was changed. "
        "Put the right key in place (`ash db restore --phrase` takes its recovery phrase), or a "
        "backup in the database's (`ash db restore FILE`)."
    )
