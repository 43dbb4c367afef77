"""The least that parts of an add can cost: a bare insert, an embedding, a pair read together."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw

from ashd.providers.embedder import Embedder, PairReader

_TABLES = "select sql from sqlite_schema where name in ('memories', 'passage_fts') order by name"
_ROWS = """
    select m.*, f.scope, f.body, f.names, f.dates, f.grams from memories m
    join passages p on p.kind = 0 and p.item = m.id join passage_fts f on f.rowid = p.id
    where m.owner = (select id from accounts where user_id = ?) order by m.id
"""
_TEXT_COLUMNS = 5


@contextmanager
def bare_inserts(database: Path, user: str, count: int) -> Iterator[Callable[[], float]]:
    """A function that inserts one more row with its full text; it returns the CPU in milliseconds.

    The rows are those of a user in a daemon's database. All but the last `count` are there already;
    the others are inserted one by one, each on disk before the next. There is no index beside the
    full text, and nothing that refers to the rows.
    """
    with closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)) as source:
        tables = [sql for (sql,) in source.execute(_TABLES)]
        rows = list(source.execute(_ROWS, (user,)))
    with (
        TemporaryDirectory(prefix="ash-floor-") as folder,
        closing(apsw.Connection(str(Path(folder) / "floor.db"))) as floor,
    ):
        floor.pragma("journal_mode", "wal")
        floor.pragma("synchronous", "full")
        for sql in tables:
            floor.execute(sql)
        with floor:
            for row in rows[:-count]:
                _insert(floor, row)
        left = iter(rows[-count:])

        def insert() -> None:
            with floor:
                _insert(floor, next(left))

        yield partial(_cpu, insert)


def of_models(embedder: Embedder, older: str, newer: str) -> dict[str, float]:
    """CPU of one embedding and of reading one pair of texts together, in milliseconds."""
    assert isinstance(embedder, PairReader)
    return {
        "embedding": _cpu(partial(embedder.embed, [newer])),
        "pair": _cpu(partial(embedder.pair_likelihoods, older, newer)),
    }


def _cpu(call: Callable[[], object]) -> float:
    begun = time.process_time_ns()
    call()
    return (time.process_time_ns() - begun) / 1e6


def _insert(floor: apsw.Connection, row: tuple[Any, ...]) -> None:
    number, *values = row[:-_TEXT_COLUMNS]
    places = ", ".join("?" * (1 + len(values)))
    floor.execute(f"insert into memories values ({places})", (number, *values))
    floor.execute(
        "insert into passage_fts (rowid, scope, body, names, dates, grams)"
        " values (?, ?, ?, ?, ?, ?)",
        (number, *row[-_TEXT_COLUMNS:]),
    )
