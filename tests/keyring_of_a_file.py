"""A backend of the package `keyring` that keeps its entries in a file, in the place of a desktop's.

`PYTHON_KEYRING_BACKEND=keyring_of_a_file.OfFile` makes the package use it, ASH_TEST_KEYRING names
the file.
"""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class OfFile(KeyringBackend):
    """Entries by service and user."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self._path = Path(os.environ["ASH_TEST_KEYRING"])

    def _entries(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return found

    def get_password(self, service: str, username: str) -> str | None:
        """Return an entry."""
        return self._entries().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        """Write an entry."""
        self._path.write_text(json.dumps(self._entries() | {f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        """Remove an entry."""
        entries = self._entries()
        if entries.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError(username)
        self._path.write_text(json.dumps(entries))
