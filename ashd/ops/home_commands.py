"""Commands of `ash` in messages, for a person who may be another user than the daemon's.

They name a home that is not the daemon's user's `~/.ash`: root mends the database of a service, and
without the name would act on the one of root.
"""

import os
import re
import shlex
from pathlib import Path


def command(home: Path, *words: str) -> str:
    """Return a command for a shell."""
    return shlex.join(["ash", *_named(home), *words])


def addressed(text: str, home: Path) -> str:
    """Return a text with the home in its commands, which stand in backticks."""
    named = shlex.join(_named(home))
    return re.sub("`ash (?=[a-z])", lambda _: f"`ash {named} ", text) if named else text


def _named(home: Path) -> list[str]:
    is_own = str(home) == os.path.expanduser("~/.ash")  # noqa: PTH111  as it is without a home
    return [] if is_own else ["--home", str(home)]
