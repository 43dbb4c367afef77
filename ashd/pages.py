"""The pages of the documentation, as files of this installation."""

import sys
from pathlib import Path


def page(name: str) -> str:
    """Return the path of a page: in a clone beside the package, else where the wheel puts it."""
    in_clone = Path(__file__).parents[1] / "docs" / name
    in_wheel = Path(sys.prefix, "share", "doc", "ashd", "docs", name)
    return str(in_clone if in_clone.exists() else in_wheel)
