"""The methods of the wire, a module a namespace; importing them fills the table."""

from importlib import import_module


def load() -> None:
    """Fill the method table."""
    for name in ("session", "memory", "conversation", "person", "grant", "model", "system"):
        import_module(f"{__name__}.{name}")
