"""`python -m ash_sb`, and the entry of the installed command and of `ash-sb.pyz`."""

from __future__ import annotations

import sys
from posix import _exit

from ash_sb.cli import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process.

    Everything is written and flushed by then, so taking the interpreter apart, which is a sixth
    of its whole life, is left out.
    """
    _exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
