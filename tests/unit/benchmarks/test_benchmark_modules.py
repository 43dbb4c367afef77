"""The benchmarks keep up with the code that they measure. Budget: 5 s."""

import contextlib
import importlib
import pkgutil
import sqlite3
from pathlib import Path

import pytest

import benchmarks
from ashd.clock import SystemClock
from ashd.store.database import Database
from benchmarks.speed import stored

NEEDS_MORE = {"benchmarks.statements.fit", "benchmarks.statements.nets"}
"""Modules that train and need torch, which nothing else does."""
MODULES = [found.name for found in pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")]


@pytest.mark.parametrize("name", [name for name in MODULES if name not in NEEDS_MORE])
def test_a_module_can_be_imported(name: str) -> None:
    """Whatever it takes from the daemon is still there."""
    assert importlib.import_module(name).__doc__


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
