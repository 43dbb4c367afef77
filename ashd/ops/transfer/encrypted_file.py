"""Encrypted exports: files in the format of age (age-encryption.org/v1), by the package `pyrage`.

A key file is one of age's: who writes an export needs only its public part, the recipient. `age -d`
opens what is written here. The package is an extra.
"""

import importlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final

from ashd import atomic_file, errors

BEGINNING: Final = b"age-encryption.org/v1"
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


def decrypted(path: Path, key_file: str | None) -> BinaryIO:
    """Return the content of an encrypted file as one in memory, once all of it was verified.

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
    content = os.fdopen(os.memfd_create("export", os.MFD_CLOEXEC), "w+b")
    try:
        with path.open("rb") as file:
            age.decrypt_io(file, content, [identity])
    except (age.DecryptError, OSError) as error:
        content.close()
        if isinstance(error, OSError) and error.errno:  # without one: a changed byte
            raise
        raise errors.InvalidParams(
            f"{key_file} does not open {path}, or the file is damaged.", "Nothing was imported."
        ) from error
    except BaseException:
        content.close()
        raise
    content.seek(0)
    return content


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
