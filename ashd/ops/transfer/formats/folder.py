"""Read the text files of a folder, and nothing else: no links, pipes, binary or huge files.

Files are opened relative to their folder and without following links, so that a file replaced
meanwhile leads nowhere else.
"""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ashd import errors

ENDINGS: Final = (".md", ".markdown", ".mdc")
FOLDERS_OF_AGENTS: Final = frozenset({".claude", ".cursor", ".github"})
"""Hidden folders with files for coding agents; other hidden folders are those of programs."""
_NO_NOTES: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_DEPTH: Final = 100
_FILE_BYTES: Final = 4 * 1024 * 1024
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def is_read(name: str) -> bool:
    """Return whether a folder with this name is looked into."""
    return name in FOLDERS_OF_AGENTS or not (name.startswith(".") or name in _NO_NOTES)


def files(root: Path) -> Iterator[tuple[Path, int | errors.AshError | None]]:
    """Yield every file in the order of their names, with the folder that it is opened in.

    A symbolic link, or a folder that cannot be read, comes with an error. A root that is a link
    is followed, since somebody named it.
    """
    if root.is_dir():
        yield from _files(root, f"{root}/.", None, _DEPTH)
    else:
        yield root, None


def _files(
    here: Path, name: str, parent: int | None, depth: int
) -> Iterator[tuple[Path, int | errors.AshError]]:
    """Yield the files of the folder with this name in its parent, and of at most `depth` below."""
    if not depth:
        yield here, errors.TooLarge("Folders are nested too deep.", "Import it by itself.")
        return
    try:
        number = os.open(name, _OPEN | os.O_DIRECTORY, dir_fd=parent)
    except OSError as error:
        yield here, _cannot(error)
        return
    try:
        with os.scandir(number) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        folders = []
        for entry in entries:
            if entry.is_symlink():
                if entry.is_dir() or entry.name.casefold().endswith(ENDINGS):
                    yield here / entry.name, _a_link()
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif not entry.name.startswith("."):
                yield here / entry.name, number
        for folder in filter(is_read, folders):
            yield from _files(here / folder, folder, number, depth - 1)
    except OSError as error:
        yield here, _cannot(error)
    finally:
        os.close(number)


class Text(NamedTuple):
    """The text of a file, and when it was last changed, in seconds since 1970."""

    content: str
    changed_at: float


def text_of(file: Path, folder: int | None) -> Text | errors.AshError:
    """Read a file; return an error if it is no text, or too large."""
    try:
        number = os.open(file if folder is None else file.name, _OPEN, dir_fd=folder)
    except OSError as error:
        return _a_link() if error.errno == errno.ELOOP else _cannot(error)
    with os.fdopen(number, "rb") as opened:
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            return errors.InvalidParams("This is no file.", "It is left out.")
        if about.st_size > _FILE_BYTES:
            return errors.TooLarge(
                f"A note has at most {_FILE_BYTES // 1024**2} MB; this one has"
                f" {about.st_size / 1024**2:,.0f}.",
                "Split it; nothing of it was read.",
            )
        content = opened.read(_FILE_BYTES)
    if b"\0" in content:
        return errors.InvalidParams("This is binary data, no text.", "It is left out.")
    try:
        return Text(content.decode("utf-8-sig"), about.st_mtime)
    except UnicodeDecodeError:
        return errors.InvalidParams("The file is not in UTF-8.", "Save it in UTF-8.")


def _a_link() -> errors.AshError:
    return errors.InvalidParams(
        "A symbolic link is not followed.", "Import the folder that it leads to by itself."
    )


def _cannot(error: OSError) -> errors.AshError:
    return errors.InvalidParams(
        f"The daemon cannot read it ({error.strerror}).", "Let its user read it."
    )
