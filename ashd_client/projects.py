"""The project of a folder: what is told while somebody works on it is read there alone.

A repository's id is its remote, the same for every copy of it on every machine. One without a
remote keeps a random id in its git directory, any other folder, and a repository that cannot be
written, in a list of the daemon's home. The path of a folder is never the id.
Standard library only.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ID_CHARS = 200
_READ_BYTES = 1 << 20
_ID_FILE = "ash-project"
_LIST = "projects"
_ID = re.compile(r"[0-9a-f]{32}")
_URL = re.compile(r"[a-z+]+://(?:[^/]*@)?(\[[^\]/]+\]|[^:/@]+)(?::\d*)?/+([^?#]+)", re.IGNORECASE)
"""The user ends at the last `@` before the path: a password may have one."""
_SHORT = re.compile(r"(?:[^/\[\]]*@)?([^/:@\[\]]{2,}):(?!:)([^?#]+)")
"""`git@host:owner/name`; one letter before the colon is a drive, two colons a program's name."""
_SECTION = re.compile(r'\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]')
_VALUE = re.compile(r"\s*url\s*=\s*(.*)", re.IGNORECASE)


def of_folder(folder: str, home: str | None = None) -> dict[str, str] | None:
    """Return the id and the name of the project that a folder is in; None if it is in none.

    The person's home directory is no project. `home` is the daemon's, with the list of folders that
    keep no id themselves; without it, they are no projects.
    """
    folder = os.path.realpath(folder)
    person = os.path.realpath(os.path.expanduser("~"))
    repositories = ((one, _git_directory(one)) for one in _upwards(folder, person))
    root, git = next(((one, git) for one, git in repositories if git is not None), (folder, None))
    if git is not None:
        remote = _remote(git)
        if remote is not None:
            return {"id": remote, "name": remote.rpartition("/")[2]}
        found = _kept_id(os.path.join(git, _ID_FILE))
        root = os.path.dirname(git) if os.path.basename(git) == ".git" else root
    elif folder == person or os.path.dirname(folder) == folder or home is None:
        return None
    else:
        found = None
    if found is None and home is not None:
        found = _listed_id(home, root)
    return None if found is None else {"id": found, "name": _name(root) or found}


def remote_id(url: str) -> str | None:
    """Return a remote as `host/owner/name`, however it is written; None for a path."""
    found = _URL.fullmatch(url) or (None if "://" in url else _SHORT.fullmatch(url))
    if found is None or url.lower().startswith("file:"):
        return None
    host, path = found[1].lower(), found[2].strip("/").lower()
    name = f"{host}/{path.removesuffix('.git').strip('/')}"
    is_id = len(name) <= ID_CHARS and name.isprintable() and not name.endswith("/")
    return name if is_id else None


def _upwards(folder: str, person: str) -> Iterator[str]:
    """Yield a folder and those above it; a repository of the home directory holds no project."""
    while folder != person:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _name(folder: str) -> str:
    """Return the name of a folder without what no call can carry."""
    spaced = " ".join(os.path.basename(folder).split())
    return "".join(filter(str.isprintable, spaced))[:ID_CHARS].strip()


def _git_directory(root: str) -> str | None:
    """Return the git directory that all working trees of a repository share; None without one."""
    path = os.path.join(root, ".git")
    if not os.access(path, os.F_OK):
        return None
    link = _read(path)
    if link.startswith("gitdir:"):
        path = os.path.join(root, link.partition(":")[2].strip())
    common = _read(os.path.join(path, "commondir")).strip()
    path = os.path.realpath(os.path.join(path, common))
    return path if _read(os.path.join(path, "HEAD")) else None


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
    """Return the id in a file; None where it can be neither read nor written.

    A file without an id is replaced. Whoever looks sees a whole id or none, and of two programs
    that write at once, both take the first one's.
    """
    if (found := _id_in(path)) is not None:
        return found
    made = _new_id()
    draft = f"{path}.{made}"
    try:
        try:
            _write_new(draft, f"{made}\n".encode())
            _link_or_replace(draft, path)
        finally:
            if os.access(draft, os.F_OK):
                os.unlink(draft)
    except OSError:
        return None
    return _id_in(path)


def _link_or_replace(draft: str, path: str) -> None:
    """Give a draft its name, unless a file with an id has it."""
    try:
        os.link(draft, path)
    except OSError:  # the name is taken, or the file system has no links
        if _id_in(path) is None:
            os.replace(draft, path)


def _write_new(path: str, content: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)


def _id_in(path: str) -> str | None:
    text = _read(path, os.O_NOFOLLOW).strip()
    return text if _ID.fullmatch(text) else None


def _listed_id(home: str, folder: str) -> str | None:
    """Return the id of a folder in the list of a home, to which it is added if it is missing.

    A line is an id, a tab and the folder. The first line of a folder counts, so that two programs
    that add it at once agree.
    """
    path = os.path.join(home, _LIST)
    line = b"\t" + os.fsencode(folder).replace(b"\n", b"\0") + b"\n"
    try:
        found = _id_before(line, path)
        for _ in range(2):  # the first may be appended to a line that a full disk cut
            if found is None:
                _append(path, _new_id().encode() + line)
                found = _id_before(line, path)
    except OSError:
        return None
    return found


def _append(path: str, line: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


def _id_before(ending: bytes, path: str) -> str | None:
    """Return the id that the first line with an ending begins with."""
    if not os.access(path, os.F_OK):
        return None
    with open(path, "rb") as file:
        for line in file:
            listed = line[: -len(ending)].decode("ascii", "replace")
            if line.endswith(ending) and _ID.fullmatch(listed):
                return listed
    return None


def _new_id() -> str:
    return os.urandom(16).hex()


def _read(path: str, flags: int = 0) -> str:
    """Return the text of a file; nothing for what is no file, such as a pipe."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | flags)
        try:
            return os.read(file, _READ_BYTES).decode(errors="surrogateescape")
        finally:
            os.close(file)
    except OSError:
        return ""
