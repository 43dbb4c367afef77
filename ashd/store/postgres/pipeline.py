"""Statements of the store as the server gets them: several in one round trip, each planned once.

The driver's own pipeline waits for its turn of the interpreter at each statement.
"""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import generators
from psycopg.abc import PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult

from ashd.store.engine import Params
from ashd.store.postgres.translation import in_order, translated
from ashd.store.transaction import Row

_PREPARED: Final = 1_000
"""Statements that the server keeps planned for a connection; the store has fewer."""


class _Statement(NamedTuple):
    """A statement that the server plans once for a connection."""

    sql: str
    types: tuple[int, ...]
    """The types of the values; 0 where their place decides."""


class Pipeline:
    """Runs statements over a connection of the driver."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self._raw = raw
        self._values = Transformer(raw)
        self._prepared = dict[_Statement, bytes]()
        self._names = count(1)

    def run(self, statements: Sequence[tuple[str, Params]]) -> list[PGresult]:
        """Run statements in one round trip; return the result of each.

        Raises:
            psycopg.Error: one failed; those after it were not run.
        """
        asked = [self._asked(sql, params) for sql, params in statements]
        while len(self._prepared) >= _PREPARED:
            oldest = self._prepared.pop(next(iter(self._prepared)))
            self._raw.execute(b"deallocate " + oldest)
        pgconn = self._raw.pgconn
        pgconn.enter_pipeline_mode()
        try:
            new = [self._send(*one) for one in asked]
            pgconn.pipeline_sync()
            answers = self._raw.wait(_answers(pgconn))
        finally:
            if not self._raw.closed:
                pgconn.exit_pipeline_mode()
        return self._checked(answers, new)

    def _asked(self, sql: str, params: Params) -> tuple[_Statement, Sequence[Any], list[Format]]:
        """Return a statement of the store, with its values and their formats."""
        translation = translated(sql)
        values = in_order(params, translation.names)
        sent = self._values.dump_sequence(values, [PyFormat.AUTO] * len(values))
        statement = _Statement(translation.sql, tuple(self._values.types or ()))
        return statement, sent, list(self._values.formats or ())

    def _send(
        self, statement: _Statement, values: Sequence[Any], formats: list[Format]
    ) -> _Statement | None:
        """Send a statement into the pipeline; return it if the server is to prepare it first."""
        name = self._prepared.get(statement)
        is_new = name is None
        if name is None:
            name = self._prepared[statement] = b"ash%d" % next(self._names)
            self._raw.pgconn.send_prepare(name, statement.sql.encode(), statement.types)
        self._raw.pgconn.send_query_prepared(name, values, formats)
        return statement if is_new else None

    def _checked(
        self, answers: Iterable[PGresult], new: Sequence[_Statement | None]
    ) -> list[PGresult]:
        """Return the results of statements from the server's answers; the new ones have two.

        Raises:
            psycopg.Error: one failed.
        """
        answer, results = iter(answers), list[PGresult]()
        failed = None
        for statement in new:
            if statement is not None:
                prepared = next(answer)
                if prepared.status != ExecStatus.COMMAND_OK:
                    del self._prepared[statement]
                    failed = failed or prepared
            results.append(next(answer))
            if results[-1].status == ExecStatus.FATAL_ERROR:
                failed = failed or results[-1]
        if failed is not None:
            raise psycopg.errors.error_from_result(failed)
        return results

    def rows(self, result: PGresult) -> list[Row]:
        """Return the rows of a result, if it has any."""
        if result.status != ExecStatus.TUPLES_OK:
            return []
        self._values.set_pgresult(result)
        rows: list[Row] = self._values.load_rows(0, result.ntuples, tuple)
        return rows


def _answers(pgconn: PGconn) -> PQGen[list[PGresult]]:
    """Wait for the server's answers to what is in the pipeline, up to its end."""
    yield from generators.send(pgconn)
    answers: list[PGresult] = []
    while True:
        try:
            found = yield from generators.fetch_many(pgconn)
        except psycopg.OperationalError:
            if not answers or answers[-1].status != ExecStatus.FATAL_ERROR:
                raise
            raise psycopg.errors.error_from_result(answers[-1]) from None  # why it hung up
        if found[0].status == ExecStatus.PIPELINE_SYNC:
            return answers
        answers += found
