"""`ashd` with a wrong clock: off by the seconds in the file ASH_CLOCK_FILE."""

import os
from pathlib import Path

from ashd import clock
from ashd.cli import ashd

_FILE = Path(os.environ["ASH_CLOCK_FILE"])
_right = clock.SystemClock.now


def _now(self: clock.SystemClock) -> int:
    return _right(self) + int(float(_FILE.read_text()) * clock.SECOND)


if __name__ == "__main__":
    clock.SystemClock.now = _now  # type: ignore[method-assign]
    ashd.main()
