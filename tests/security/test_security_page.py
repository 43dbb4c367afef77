"""The page on security promises nothing that no test shows."""

import ast
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "security.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@pytest.mark.parametrize(("path", "name"), NAMED.findall(PAGE.read_text(encoding="utf-8")))
def test_a_named_test_is_there(path: str, name: str) -> None:
    """The file, and in it the function."""
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    functions = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert name in functions


def test_every_promise_names_a_test() -> None:
    """Each part of what is promised."""
    page = PAGE.read_text(encoding="utf-8")
    promised = page[page.index("## What is promised") : page.index("## What is not promised")]
    parts = promised.split("\n### ")[1:]

    assert len(parts) > 5
    assert [part.splitlines()[0] for part in parts if not NAMED.search(part)] == []
