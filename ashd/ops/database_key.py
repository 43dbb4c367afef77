"""The key of the database: where it comes from, and where a new one goes.

The first that is there: systemd's credential `ashd.key`, `[storage] key_file`, `[storage]
key_command`, the keyring. A key is 32 bytes, or 64 hexadecimal digits, and never stands in an
argument, the environment, a log, an error or a dump of memory. Its recovery phrase is the same key
in 24 words.
"""

import ctypes
import importlib
import os
import resource
import secrets
import stat
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from ashd import atomic_file, errors
from ashd.config import Places, Settings
from ashd.store import encryption
from ashd.store.encryption import Key

CREDENTIAL: Final = "ashd.key"
_SERVICE: Final = "ashd"
"""The name of the keyring's entry; its user is the database's path."""
_COMMAND_SECONDS: Final = 60.0
_PR_SET_DUMPABLE: Final = 4
_NEXT: Final = ".next"
"""Suffix of the key that `ash db rekey` makes, until the database has it."""


class Source(Protocol):
    """A place of the key."""

    def load(self) -> Key | None:
        """Return the key; None if there is no key yet.

        Raises:
            errors.StartError: the key cannot be read, or the content is no key.
        """

    def store(self, key: Key) -> None:
        """Put a key in this place, durably.

        Raises:
            errors.StartError: the place cannot be written.
        """

    def following(self) -> "Source | None":
        """Return the place for the next key during a change; None if the caller keeps the key."""

    def take_over(self) -> None:
        """Put the next key into the place of this one."""


def source(settings: Settings, places: Places) -> Source:
    """Return where the settings say that the key is."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if folder and (credential := Path(folder) / CREDENTIAL).exists():
        return _Credential(credential)
    if settings.storage.key_file:
        return File(Path(settings.storage.key_file).expanduser())
    if settings.storage.key_command:
        return Command(settings.storage.key_command)
    return _Keyring(str(places.database))


def leave_no_dump() -> None:
    """Let this process leave no dump of its memory, as it is to hold a key."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A program that the system gives core dumps to gets them in spite of the limit.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def make() -> Key:
    """Return a new key."""
    leave_no_dump()
    return Key(secrets.token_bytes(encryption.KEY_BYTES))


def phrase(key: Key) -> list[str]:
    """Return the words of a key's recovery phrase (BIP 39)."""
    return str(_words().to_mnemonic(key.secret)).split()


def of_phrase(text: str) -> Key | None:
    """Return the key of a recovery phrase; None if a word is wrong."""
    leave_no_dump()
    with suppress(ValueError, LookupError):
        return Key(bytes(_words().to_entropy(text.lower().split())))
    return None


def _words() -> "_Mnemonic":
    made: _Mnemonic = importlib.import_module("mnemonic").Mnemonic("english")
    return made


class _Mnemonic(Protocol):
    def to_mnemonic(self, data: bytes) -> str: ...

    def to_entropy(self, words: list[str]) -> bytearray: ...


class File:
    """A file that only its owner may read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> Key | None:
        """Return the key; None if there is no such file."""
        if not self.path.exists():
            return None
        if not self.path.is_file():
            raise errors.StartError(f"{self.path} is no file. Name the file of the key.")
        if stat.S_IMODE(self.path.stat().st_mode) & 0o077:
            raise errors.StartError(
                f"{self.path} can be read by others. Say: chmod 600 {self.path}"
            )
        return _read(self.path)

    def store(self, key: Key) -> None:
        """Write the file anew."""
        try:
            atomic_file.write(self.path, key.secret.hex().encode() + b"\n")
            atomic_file.give_to_owner_of(self.path.parent, self.path)
        except OSError as error:
            raise errors.StartError(
                f"{self.path} cannot be written ({error.strerror})."
                " Check its folder, or name another file."
            ) from None

    def following(self) -> "File":
        """Return the file beside this one."""
        return File(self.path.with_name(self.path.name + _NEXT))

    def take_over(self) -> None:
        """Rename the file beside this one."""
        self.following().path.replace(self.path)
        atomic_file.sync(self.path.parent)

    def __str__(self) -> str:
        """Name it, for a person."""
        return str(self.path)


class _Given:
    """A place that a person or the system fills, which is only read here."""

    name = ""

    def store(self, _key: Key) -> None:
        """Refuse: the person puts it there."""
        raise errors.StartError(
            f"{self.name} gives no key. Make it give one: 64 hexadecimal digits, as of"
            " `openssl rand -hex 32`."
        )

    def following(self) -> None:
        """Return nothing: the next key is where the person named it."""

    def take_over(self) -> None:
        """Leave it to the person."""

    def __str__(self) -> str:
        """Name it, for a person."""
        return self.name


class _Credential(_Given):
    """A credential of systemd, which sees to its owner and mode."""

    name = f"systemd's credential {CREDENTIAL}"

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Key | None:
        """Read the credential."""
        return _read(self._path)


class Command(_Given):
    """A program that prints the key."""

    name = "[storage] key_command"

    def __init__(self, command: list[str]) -> None:
        self._command = command

    def load(self) -> Key | None:
        """Run the program."""
        try:
            done = subprocess.run(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                timeout=_COMMAND_SECONDS,
                check=False,
            )
        except OSError as error:
            raise errors.StartError(
                f"{self.name} cannot be run ({error.strerror}). Check its path, and that the"
                " daemon's user may run it."
            ) from None
        except subprocess.TimeoutExpired:
            raise errors.StartError(
                f"{self.name} did not end in time. It has to print the key without asking for"
                " anything."
            ) from None
        key = _parse(done.stdout) if done.returncode == 0 else None
        if key is None:
            raise errors.StartError(
                f"{self.name} printed no key (status {done.returncode})."
                " It has to print 64 hexadecimal digits, or 32 bytes."
            )
        return key


class _Keyring:
    """An entry of the desktop's keyring, through the package `keyring`."""

    def __init__(self, user: str) -> None:
        self._user = user

    def load(self) -> Key | None:
        """Look the entry up."""
        text = _ask_keyring("get_password", _SERVICE, self._user)
        key = _parse(text.encode()) if text is not None else None
        if text is not None and key is None:
            raise errors.StartError("The keyring's entry for the database is no key.")
        return key

    def store(self, key: Key) -> None:
        """Write the entry."""
        _ask_keyring("set_password", _SERVICE, self._user, key.secret.hex())

    def following(self) -> "_Keyring":
        """Return the entry for the next key."""
        return _Keyring(self._user + _NEXT)

    def take_over(self) -> None:
        """Write the next key into this entry, and delete its own."""
        following = self.following()
        key = following.load()
        if key is not None:
            self.store(key)
            with suppress(errors.StartError):  # the entry that stays holds the same key
                _ask_keyring("delete_password", _SERVICE, self._user + _NEXT)

    def __str__(self) -> str:
        """Name it, for a person."""
        return "the keyring"


def _read(path: Path) -> Key:
    try:
        key = _parse(path.read_bytes())
    except OSError as error:
        raise errors.StartError(f"The key {path} cannot be read ({error.strerror}).") from None
    if key is None:
        raise errors.StartError(f"{path} holds no key: 64 hexadecimal digits, or 32 bytes.")
    return key


def _parse(data: bytes) -> Key | None:
    """Return the key that a file or command gave; None if it is none."""
    leave_no_dump()
    with suppress(ValueError):
        return Key(bytes.fromhex(data.decode("ascii")))
    return Key(data) if len(data) == encryption.KEY_BYTES else None


def _ask_keyring(function: str, *arguments: str) -> str | None:
    """Call a function of the package `keyring`, which is an extra.

    Raises:
        errors.StartError: it is not installed, or the desktop's keyring does not answer.
    """
    try:
        answer: str | None = getattr(importlib.import_module("keyring"), function)(*arguments)
    except Exception as error:  # noqa: BLE001  each backend has errors of its own
        raise errors.StartError(
            f"The keyring cannot be used ({type(error).__name__}). Name [storage] key_file or"
            " key_command, or install the package keyring (the extra ashd[keyring])."
        ) from None
    return answer
