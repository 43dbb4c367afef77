"""The pages of the documentation, as files of this installation."""

from pathlib import Path


def page(name: str) -> str:
    """Return the path of a page: in a clone beside the package, else where the wheel puts it."""
    package = Path(__file__).parent
    in_clone = package.parent / "docs" / name
    if in_clone.exists():
        return str(in_clone)
    # The package is in lib/pythonX.Y/site-packages. `sys.prefix` is another folder in `ash`, which
    # starts without `site`, and after `pip install --user`.
    return str(package.parents[3] / "share" / "doc" / "ashd" / "docs" / name)
