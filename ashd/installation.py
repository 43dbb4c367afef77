"""The environment in which this program is installed; `ash` starts without `site`, which knows."""

import sys
from pathlib import Path


def environment() -> Path | None:
    """Return the folder of the virtual environment that runs this program, if one does."""
    folder = Path(sys.executable).parent.parent
    return folder if (folder / "pyvenv.cfg").exists() else None
