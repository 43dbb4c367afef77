"""Encrypted exports: files in the format of age (age-encryption.org/v1), by the package `pyrage`.

A key file is one of age's: who writes an export needs only its public part, the recipient. `age -d`
opens what is written here. The package is an extra.
"""

import importlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from ashd import atomic_file, errors
from ashd.ops.transfer import piped

BEGINNING: Final = b"age-encryption.org/v1"
_READ_BYTES: Final = 64 * 1024
_SECRET: Final = "AGE-SECRET-KEY-"  # noqa: S105  how one begins


def is_one(path: Path) -> bool:
    """Return whether a file begins like an encrypted export; False if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def write(file: BinaryIO, lines: Iterable[bytes], recipient: str | None) -> None:
    """Write lines, encrypted for a recipient if there is one.

    Raises:
        errors.InvalidParams: it is no recipient, or the package is missing.
    """
    if recipient is None:
        file.writelines(lines)
        return
    age = _age()
    try:
        to = age.x25519.Recipient.from_str(recipient)
    except age.RecipientError as error:
        raise errors.InvalidParams(
            "The recipient is no public key of age.", "It begins with age1."
        ) from error
    source = _Lines(lines)
    try:
        age.encrypt_io(source, file, [to])
    except Exception:
        if source.failure is not None:  # which the library wraps
            raise source.failure from None
        raise


class Content(NamedTuple):
    """The content of a file, and its size in bytes."""

    file: BinaryIO
    size: int


def decrypted(path: Path, key_file: str | None) -> Content:
    """Return the content of an encrypted file, once all of it was verified.

    It is read twice: verified to its end first, then decrypted again while the caller reads. So the
    content is whole neither in memory nor on a disk, however much it is.

    Raises:
        errors.InvalidParams: there is no key, it does not open the file, or the file was changed.
        OSError: the file cannot be read.
    """
    if key_file is None:
        raise errors.InvalidParams(
            f"{path} is encrypted.", "`ash db import FILE --key KEY` names the file of its key."
        )
    age = _age()
    identity = _identity(age, Path(key_file))
    size = _Size()
    closed = errors.InvalidParams(
        f"{key_file} does not open {path}, or the file is damaged.", "Nothing was imported."
    )
    changed = errors.InvalidParams(
        f"{path} was changed while it was imported.", "What was stored until then stays."
    )
    file = path.open("rb")
    try:
        _decrypt(age, file, size, identity, closed)
        file.seek(0)
    except BaseException:
        file.close()
        raise

    def again(output: BinaryIO) -> None:
        with file:
            _decrypt(age, file, output, identity, changed)

    return Content(io.BufferedReader(piped.Piped(again), _READ_BYTES), size.count)


def _decrypt(
    age: Any, file: BinaryIO, output: "BinaryIO | _Size", identity: Any, wrong: errors.AshError
) -> None:
    """Write the content of a file to another, each block once it was verified."""
    try:
        age.decrypt_io(file, output, [identity])
    except (age.DecryptError, OSError) as error:
        if isinstance(error, OSError) and error.errno:  # without one: a changed byte
            raise
        raise wrong from error


class _Size:
    """A file that keeps nothing but the number of bytes written to it."""

    count = 0

    def write(self, data: bytes) -> int:
        """Count the bytes."""
        self.count += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing."""


def recipient_of(key_file: Path) -> str:
    """Return the public part of a key file, which is made, for its owner alone, if it is missing.

    Raises:
        errors.InvalidParams: it is no key file, it cannot be used, or the package is missing.
    """
    age = _age()
    if not key_file.exists():
        _make(age, key_file)
    return str(_identity(age, key_file).to_public())


def _make(age: Any, key_file: Path) -> None:
    made = age.x25519.Identity.generate()
    text = f"# public key: {made.to_public()}\n{made}\n"
    try:
        atomic_file.write(key_file, text.encode())
    except OSError as error:
        raise errors.InvalidParams(
            f"{key_file} cannot be written ({error.strerror}).", "Name another file for the key."
        ) from error


def _identity(age: Any, key_file: Path) -> Any:
    try:
        lines = key_file.read_text(encoding="ascii", errors="replace").split()
    except OSError as error:
        raise errors.InvalidParams(
            f"The key {key_file} cannot be read ({error.strerror}).", "Look who owns it."
        ) from error
    secret = next((line for line in lines if line.startswith(_SECRET)), "")
    try:
        return age.x25519.Identity.from_str(secret)
    except age.IdentityError:  # without its text: nobody knows what is in the file
        raise errors.InvalidParams(
            f"{key_file} holds no key of age.", "`ash db export FILE --encrypt KEY` makes one."
        ) from None


def _age() -> Any:
    try:
        return importlib.import_module("pyrage")
    except ModuleNotFoundError:
        raise errors.InvalidParams(
            "Encrypted exports need the package pyrage.", "pip install 'ashd[age]'"
        ) from None


class _Lines:
    """Lines as a file that can be read."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self._rest = b""
        self.failure: BaseException | None = None
        """The reason why there is no next line."""

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most so many; none at the end."""
        try:
            while not self._rest and (line := next(self._lines, None)) is not None:
                self._rest = line
        except BaseException as failure:
            self.failure = failure
            raise
        part, self._rest = self._rest[:size], self._rest[size:]
        return part
