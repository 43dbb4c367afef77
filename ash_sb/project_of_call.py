"""The project of a command: the one that `--project` names, else the repository it is run in.

A command that is run in no repository loads nothing for it.
"""

from __future__ import annotations

from posix import getcwd, stat

from ash_sb.errors import usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def named(text: str) -> dict[str, str] | str | None:
    """Return the project that --project names: by a folder of a repository, by its id, or none.

    Raises:
        Failure: there is no such folder, or it is in no repository.
    """
    if text in {"none", "*"}:
        return None if text == "none" else text
    if not _is_there(text):
        if text.startswith((".", "/", "~")):
            raise usage(f"there is no folder {text}")
        return {"id": text}
    found = _of_folder(text)
    if found is None:
        raise usage(f"{text} is in no repository", "Give a repository's folder, an id, or none")
    return found


def of_working_folder() -> dict[str, str] | None:
    """Return the project of the repository that the command is run in; None outside of any."""
    try:
        folder = above = getcwd()
        while not _is_there(f"{above}/.git"):
            if not above:
                return None
            above = above.rpartition("/")[0]
        return _of_folder(folder)
    except (OSError, ValueError):  # the folder is gone
        return None


def _is_there(path: str) -> bool:
    try:
        stat(path)
    except (OSError, ValueError):
        return False
    return True


def _of_folder(folder: str) -> dict[str, str] | None:
    from ash_sb import projects

    return projects.of_folder(folder)


def is_bound(greeting: dict[str, Any]) -> bool:
    """Return whether the answer to `session.hello` names a project, or says that there is none."""
    scope = greeting.get("scope")
    return isinstance(scope, dict) and "project" in scope
