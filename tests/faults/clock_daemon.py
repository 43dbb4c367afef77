"""`ashd` with a wrong clock: off by the seconds in the file ASH_CLOCK_FILE."""

import os
import time
from pathlib import Path

from ashd.cli import ashd

_FILE = Path(os.environ["ASH_CLOCK_FILE"])
_right = time.time_ns


def _wrong() -> int:
    return _right() + int(float(_FILE.read_text()) * 1_000_000_000)


if __name__ == "__main__":
    time.time_ns = _wrong
    ashd.main()
