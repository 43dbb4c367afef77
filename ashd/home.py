"""The daemon's home: a part of `config` that a command finds without the settings' libraries."""

import os


def home(option: str | os.PathLike[str] | None) -> str:
    """The home: option, ASH_HOME, systemd's STATE_DIRECTORY, else ~/.ash."""
    named = option or os.environ.get("ASH_HOME") or os.environ.get("STATE_DIRECTORY") or "~/.ash"
    return os.path.join(os.getcwd(), os.path.expanduser(named))  # noqa: PTH109, PTH111, PTH118  pathlib is one
