"""The project of a folder: what is told while somebody works on it is read there alone.

A repository's id is its remote, the same for every copy of it on every machine. One without a
remote keeps a random id in its git directory, any other folder in a list of the daemon's home. The
path of a folder is never the id. Standard library only; `ash-sb` has a copy.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ID_CHARS = 200
_ID_FILE = "ash-project"
_LIST = "projects"
_URL = re.compile(r"[a-z+]+://(?:[^@/]*@)?(\[[^\]/]+\]|[^:/]+)(?::\d*)?/+([^?#]+)", re.IGNORECASE)
_SHORT = re.compile(r"(?:[^@/:]+@)?([^/:]{2,}):([^?#]+)")
"""`git@host:owner/name`; one letter before the colon is a drive."""
_SECTION = re.compile(r'\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]')
_VALUE = re.compile(r"\s*url\s*=\s*(.*)", re.IGNORECASE)


def of_folder(folder: str, home: str | None = None) -> dict[str, str] | None:
    """Return the id and the name of the project that a folder is in; None if it is in none.

    The person's home directory is no project. `home` is the daemon's, with the list of folders that
    are no repositories; without it, they are no projects either.
    """
    folder = os.path.realpath(folder)
    person = os.path.realpath(os.path.expanduser("~"))
    root = next((one for one in _upwards(folder, person) if _has(one, ".git")), None)
    if root is not None:
        common = os.path.realpath(_git_directory(root))
        remote = _remote(common)
        if remote is not None:
            return {"id": remote, "name": remote.rpartition("/")[2]}
        found = _kept_id(os.path.join(common, _ID_FILE))
        root = os.path.dirname(common) if os.path.basename(common) == ".git" else root
    elif folder == person or os.path.dirname(folder) == folder or home is None:
        return None
    else:
        root, found = folder, _listed_id(home, folder)
    return None if found is None else {"id": found, "name": os.path.basename(root)[:ID_CHARS]}


def remote_id(url: str) -> str | None:
    """Return a remote as `host/owner/name`, however it is written; None for a path."""
    found = _URL.fullmatch(url) or (None if "://" in url else _SHORT.fullmatch(url))
    if found is None or url.lower().startswith("file:"):
        return None
    host, path = found[1].lower(), found[2].strip("/").lower()
    name = f"{host}/{path.removesuffix('.git').strip('/')}"
    return name if len(name) <= ID_CHARS and not name.endswith("/") else None


def _upwards(folder: str, person: str) -> Iterator[str]:
    """Yield a folder and those above it; a repository of the home directory holds no project."""
    while folder != person:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _has(folder: str, name: str) -> bool:
    return os.access(os.path.join(folder, name), os.F_OK)


def _git_directory(root: str) -> str:
    """Return the git directory that all working trees of a repository share."""
    path = os.path.join(root, ".git")
    link = _read(path)
    if link.startswith("gitdir:"):
        path = os.path.join(root, link.partition(":")[2].strip())
    common = _read(os.path.join(path, "commondir")).strip()
    return os.path.join(path, common) if common else path


def _remote(git_directory: str) -> str | None:
    """Return the id of the remote `origin`, else of the first one that has an id."""
    remotes: dict[str, str] = {}
    section = None
    for line in _read(os.path.join(git_directory, "config")).splitlines():
        if line.lstrip().startswith("["):
            found = _SECTION.match(line.strip())
            section = found[1] if found else None
        elif section is not None and (value := _VALUE.fullmatch(line)) is not None:
            name = remote_id(value[1].partition(" #")[0].partition(" ;")[0].strip().strip('"'))
            if name is not None:
                remotes.setdefault(section, name)
    return remotes.get("origin") or next(iter(remotes.values()), None)


def _kept_id(path: str) -> str | None:
    """Return the id in a file, which is made if it is missing; None where it cannot be."""
    try:
        with open(path, "x", encoding="ascii") as file:
            file.write(f"{_new_id()}\n")
    except OSError:
        pass
    return _read(path).strip()[:ID_CHARS] or None


def _listed_id(home: str, folder: str) -> str | None:
    """Return the id of a folder in the list of a home, to which it is added if it is missing.

    A line is an id, a tab and the folder. The first line of a folder counts, so that two programs
    that add it at once agree.
    """
    path = os.path.join(home, _LIST)
    if "\n" in folder:
        return None
    for attempt in range(2):
        for line in _read(path).splitlines():
            kept, _, named = line.partition("\t")
            if named == folder:
                return kept[:ID_CHARS] or None
        if attempt:
            return None
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            file = os.open(path, flags, 0o600)
            try:
                os.write(file, f"{_new_id()}\t{folder}\n".encode(errors="surrogateescape"))
            finally:
                os.close(file)
        except OSError:
            return None
    return None


def _new_id() -> str:
    return os.urandom(16).hex()


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(1 << 20)
    except OSError:
        return ""
