"""The server's plans: a statement is planned once, and the functions it calls become part of it."""

import re
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from server_databases import opened, put, stored_names
from services import FixedClock, House

from ashd import errors
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.postgres.catalog import PostgresCatalog
from ashd.store.postgres.translation import translated
from ashd.store.visibility import Viewer

PRIVATE = Viewer(False, 1, (1,), (1,), 1, False, (1,), (1,), audience_known=True)
CALLS = 12
"""More than the server plans anew before it compares plans."""


async def test_a_statement_is_planned_once(url: str, tmp_path: Path) -> None:
    """Whatever the server expects of other plans: planning takes longer than running."""

    def work(tx: Tx) -> list[tuple[int, int]]:
        for number in range(CALLS):
            tx.all("select id from people where id = ? and named = 1", number)
        return tx.all(
            "select generic_plans, custom_plans from pg_prepared_statements"
            " where statement = 'select id from people where id = $1 and named = 1'"
        )

    with opened(url, tmp_path) as db:
        assert await db.read(work) == [(CALLS, 0)]


async def test_a_rollback_leaves_statements_prepared(url: str, tmp_path: Path) -> None:
    """A job that fails, or a rehearsal, makes the next ones no slower."""

    def prepared(tx: Tx) -> int:
        put("a")(tx)
        tx.run("delete from copies")
        return int(tx.value("select count(*) from pg_prepared_statements"))

    def fail(tx: Tx) -> None:
        tx.rehearse(lambda: put("a")(tx))
        raise ValueError("refused")

    with opened(url, tmp_path) as db:
        for _ in range(2):
            before = await db.write(prepared)
        with pytest.raises(ValueError, match="refused"):
            await db.write(fail)

        assert await db.write(prepared) >= before > 0


async def test_a_commit_that_rolls_back_leaves_the_connection_usable(
    url: str, tmp_path: Path
) -> None:
    """The server answers it so after an error, and the driver forgets what is prepared."""

    def fail(tx: Tx) -> None:
        with suppress(psycopg.errors.DivisionByZero):
            tx.one("select 1 / 0")

    with opened(url, tmp_path) as db:
        with pytest.raises(errors.StorageError):
            await db.write(fail, quiet=True)
        await db.write(put("a"))

        assert await db.read(stored_names) == ["a"]


async def test_the_newest_with_a_word_are_found_by_the_word(url: str, tmp_path: Path) -> None:
    """In the order of their numbers the server would read the texts of all owners to the first."""
    newest = "select rowid from passage_fts where passage_fts match ? order by rowid desc limit ?"

    def work(tx: Tx) -> str:
        tx.run(
            "insert into passage_fts (rowid, scope, body, names, dates, grams, terms)"
            " select n, 'p1', 'a', '', '', '', to_tsvector('simple', 'word' || n % 50)"
            " from generate_series(1, 3000) n"
        )
        tx.run("analyze passage_fts")
        return "\n".join(row[0] for row in tx.all(f"explain {newest}", "'word7'", 3))

    with opened(url, tmp_path) as db:
        assert "passage_fts_by_terms" in await db.write(work)


class _Plans(Tx):
    """A transaction that looks how the server would answer a query, and answers none."""

    plan = ""

    def named(self, sql: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:  # noqa: ARG002  the plan is for any
        asked = translated(sql)
        run = self.connection.raw.execute
        run(f"prepare looked_at as {asked.sql}".encode())
        values = ", ".join(["null"] * len(asked.names))
        rows = run(f"explain execute looked_at ({values})".encode()).fetchall()
        self.plan = "\n".join(row[0] for row in rows)
        return []


async def test_named_memories_are_read_alone(url: str, tmp_path: Path) -> None:
    """A server that has not looked at its tables yet would read all memories of their owner."""

    def copy(tx: Tx) -> None:
        columns = PostgresCatalog().columns(tx.connection, "memories")
        copied = [{"id": "n", "uuid": "uuid || n"}.get(name, name) for name in columns]
        tx.run(
            f"insert into memories ({', '.join(columns)}) select {', '.join(copied)}"
            " from memories cross join generate_series(2, 2000) n"
        )

    def plan(tx: Tx) -> str:
        looking = _Plans(tx.connection, tx.now, tx.new_id, dialect=tx.dialect)
        memories.by_ids(looking, PRIVATE, [3, 5, 8])
        return looking.plan

    with opened(url, tmp_path) as db:
        nothing = CurrentEmbedder(db, lambda _provider, _model: None, is_configured=True)
        await nothing._started()
        home = House(db, FixedClock(), nothing)
        await home.add("The lamp in the hall is broken")
        await db.write(copy)

        found = await db.read(plan)
        assert "memories_pkey" in found
        assert "memories_by_" not in found


@pytest.mark.parametrize(
    ("function", "rest"),
    [
        ("json_each", "('{1,2}'::bigint[])"),
        ("json_each", "('[1,2]')"),
        ("json_each", """('["a"]', '$')"""),
        ("max", "(id, said_at) from people"),
        ("max", "(id, said_at, named) from people"),
        ("min", "(id, said_at) from people"),
        ("lower", "(name) from people"),
        ("instr", "(name, uuid) from people"),
    ],
)
async def test_functions_become_part_of_a_statement(
    url: str, tmp_path: Path, function: str, rest: str
) -> None:
    """Otherwise the server parses and plans what the function says whenever it is called."""
    source = "* from" if function == "json_each" else ""
    with opened(url, tmp_path) as db:
        lines = await db.read(
            lambda tx: tx.all(f"explain (verbose, costs off) select {source} {function}{rest}")
        )

    plan = "\n".join(line for (line,) in lines)
    assert not re.search(rf"(?<![.\w]){function}\(", plan), plan


async def test_the_greatest_and_the_least_are_those_of_sqlite(url: str, tmp_path: Path) -> None:
    """Null beside anything is null; of equals, one is given."""
    rows = ", ".join(
        f"(cast({a} as bigint), cast({b} as bigint), cast({c} as bigint))"
        for a, b, c in product(("null", "1", "2"), repeat=3)
    )
    query = (
        "select a, b, c, max(a, b), min(a, b), max(a, b, c)"
        f" from (with n (a, b, c) as (values {rows}) select * from n) n"
    )
    with opened(url, tmp_path) as db:
        found = await db.read(lambda tx: tx.all(query))

    assert found == apsw.Connection(":memory:").execute(query).fetchall()
