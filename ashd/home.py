"""The daemon's home: a part of `config` that a command finds without the settings' libraries."""

import os


def home(option: str | os.PathLike[str] | None) -> str:
    """The home: option, ASH_HOME, systemd's STATE_DIRECTORY, else ~/.ash."""
    named = option or os.environ.get("ASH_HOME") or os.environ.get("STATE_DIRECTORY") or "~/.ash"
    found = os.path.expanduser(named)  # noqa: PTH111  pathlib takes long to import
    # The working directory may be gone, and matters only to a relative path. Nobody's ~ stays.
    return found if found.startswith(("/", "~")) else os.path.join(os.getcwd(), found)  # noqa: PTH109, PTH118  the same
