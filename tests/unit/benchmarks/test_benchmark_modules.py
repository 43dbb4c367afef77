"""The benchmarks keep up with the code that they measure. Budget: 5 s."""

import ast
import contextlib
import datetime as dt
import importlib
import importlib.util
import sqlite3
from pathlib import Path

import pytest

import benchmarks
from ashd.clock import SystemClock
from ashd.search import fusion
from ashd.store.database import Database
from benchmarks.recall.bench import Bench
from benchmarks.recall.locomo import Conversation, Turn
from benchmarks.speed import stored

NEEDS_MORE = {
    "benchmarks.context.fit_bearing",
    *("benchmarks.statements.fit", "benchmarks.statements.nets"),
    *("benchmarks.tuning.bert", "benchmarks.tuning.multilingual"),
    *("benchmarks.tuning.pairs", "benchmarks.tuning.recall"),
    *("benchmarks.recall.peers", "benchmarks.speed.peers"),
}
"""Modules that need torch, or the environment that `make peers` installs."""
FOLDER = Path(benchmarks.__path__[0])
# The folders are namespace packages, which `pkgutil.walk_packages` does not enter.
MODULES = [
    ".".join(("benchmarks", *file.relative_to(FOLDER).with_suffix("").parts))
    for file in sorted(FOLDER.rglob("*.py"))
]


@pytest.mark.parametrize("name", [name for name in MODULES if name not in NEEDS_MORE])
def test_a_module_can_be_imported(name: str) -> None:
    """The imports that a benchmark takes from the daemon still exist."""
    assert importlib.import_module(name).__doc__


@pytest.mark.parametrize("name", sorted(NEEDS_MORE))
def test_a_module_that_cannot_be_imported_here_takes_names_that_exist(name: str) -> None:
    """It may need torch, but not what the daemon no longer has."""
    tree = ast.parse(FOLDER.parent.joinpath(*name.split(".")).with_suffix(".py").read_text())
    missing = [
        f"{node.module}.{one.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module not in NEEDS_MORE
        if node.module.partition(".")[0] in {"ashd", "benchmarks", "tests"}
        for one in node.names
        if f"{node.module}.{one.name}" not in NEEDS_MORE
        if not _is_in(node.module, one.name)
    ]

    assert not missing


def _is_in(name: str, part: str) -> bool:
    """Return whether a module has a name, or a package a module of that name."""
    module = importlib.import_module(name)
    if hasattr(module, part):
        return True
    return hasattr(module, "__path__") and importlib.util.find_spec(f"{name}.{part}") is not None


@pytest.mark.parametrize("embeds", [False, True], ids=["words alone", "vectors"])
def test_memories_are_written_as_the_daemon_has_them(tmp_path: Path, *, embeds: bool) -> None:
    """A database filled directly opens, and has a row for each text."""
    path = tmp_path / "ash.db"
    Database.open(path, SystemClock()).close()
    embed = stored.made_up(8, 4, seed=1) if embeds else None
    stored.fill(path, {"provider": "test", "user_id": "a"}, ["I like tea", "I sail"], embed)
    with contextlib.closing(sqlite3.connect(path)) as db:
        rows = db.execute("select content from memories order by id").fetchall()

    assert rows == [("I like tea",), ("I sail",)]


def test_turns_are_ranked_as_the_daemon_ranks_them() -> None:
    """The pipeline in memory that weights are fitted with puts what answers first."""
    at = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
    said = ["I planted tomatoes.", "My violin has a new string.", "The bus was late."]
    turns = [Turn(str(place), 1, "Ann", text, at) for place, text in enumerate(said)]
    bench = Bench(Conversation("talk", turns, []), None)

    assert bench.rank("violin string", fusion.weights_for("none"))[0] == "1"
