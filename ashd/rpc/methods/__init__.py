"""The methods of the wire, a module a namespace; importing them fills the table."""

from importlib import import_module
from pkgutil import iter_modules


def load() -> None:
    """Fill the method table."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
