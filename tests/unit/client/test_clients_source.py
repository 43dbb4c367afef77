"""The files that `make docs` writes for the clients are fresh."""

import importlib.util
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
_spec = importlib.util.spec_from_file_location("clients", REPOSITORY / "docs" / "clients.py")
clients = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(clients)


FILES = clients.files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_file_is_fresh(path: Path) -> None:
    """A method, a type or an error that is new in the daemon is new in its clients."""
    assert path.read_text() == FILES[path], "run `make docs`"
