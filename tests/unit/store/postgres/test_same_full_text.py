"""Both engines find the same rows by the same terms."""

from collections.abc import Callable, Iterator
from contextlib import closing
from random import Random
from typing import Any, get_args

import apsw
import pytest

from ashd.store import full_text_terms, migrations
from ashd.store.full_text_terms import Term, Where
from ashd.store.full_text_tokens import split
from ashd.store.postgres import full_text, schema
from ashd.store.postgres.connection import Connection
from ashd.store.transaction import Tx

SCOPES = ["c1", "c2", "p1", "p12", "kite"]
LATIN = "the The kite kites kiting walked walk café CAFÉ cafe naïve Straße don't a b c kit ki x'x"
OTHERS = (
    "日本語 東京都 日本 本語 한국어 한국 भाषा 😀 e\u0301 á ä \u0130 \ufb01sh ½"
    " \U0001d54f \U00020000\U00020001"
)
DATES = "2026-03-01 3.5 e-mail c1 p12 scope body"
MARKS = r"""\ ' \\ \' " "" * AND OR NEAR( : ^ - {body} & | ! <-> ( ) :A :* 'a':1A"""
CONTROLS = ["\x00", "a\x00b", "\x01", "\x01c1", "\t", "\n", "\u200b"]
WORDS = [*LATIN.split(), *OTHERS.split(), *DATES.split(), *MARKS.split(), *CONTROLS]
LONG = ["ab" * 200, "ab" * 499 + "yz", "ab" * 500, "ab" * 501, "ab" * 1500, "日" * 400, "日" * 900]


@pytest.fixture
def sqlite() -> Iterator[apsw.Connection]:
    """A new database of SQLite."""
    with closing(apsw.Connection(":memory:")) as connection:
        migrations.migrate(Tx(connection, 0, str))
        yield connection


@pytest.fixture
def postgres(empty: Callable[[], Connection]) -> Connection:
    """A new database at a server."""
    connection = empty()
    schema.migrate(connection.raw)
    return connection


def _text(chance: Random, most: int) -> str:
    """Words, often the same ones, some of them long, put together in many ways."""
    words = [chance.choice(LONG if chance.random() < 0.04 else WORDS) for _ in range(most)]
    return "".join(word + chance.choice(["", " ", " ", " ", ", "]) for word in words)


def _term(chance: Random, rows: list[tuple[str, ...]]) -> Term:
    """A term, most often of words beside each other in one of the rows."""
    where = chance.choice(get_args(Where))
    text = _text(chance, chance.randint(1, 3))
    if chance.random() < 0.8:
        words = chance.choice(chance.choice(rows)[1:]).split(" ")
        start = chance.randrange(len(words))
        text = " ".join(words[start : start + chance.randint(1, 3)])
        if chance.random() < 0.4:
            text = text[: chance.randint(1, len(text) or 1)]
    # SQLite reads an expression up to the first NUL; words of a question have none.
    text = text.replace("\x00", " ")
    last = "".join(split(text)[-1:])
    return Term(text, where, chance.random() < 0.3 and len(last.encode()) <= 1_000)


def _put(sqlite: apsw.Connection, postgres: Connection, rows: list[Any]) -> None:
    """Put rows of scope, body, names, dates and grams into both indexes."""
    for number, row in enumerate(rows, 1):
        sqlite.execute(
            "insert into passage_fts (rowid, scope, body, names, dates, grams)"
            " values (?, ?, ?, ?, ?, ?)",
            (number, *row),
        )
        postgres.execute(
            "insert into passage_fts (rowid, scope, body, names, dates, grams, terms)"
            " values (?, '', '', '', '', '', ?)",
            (number, full_text.terms(*row)),
        )


def _found(
    sqlite: apsw.Connection,
    postgres: Connection,
    terms: list[Term],
    scopes: list[str] | None = None,
) -> tuple[list[int], list[int]]:
    """Return the rows that each engine finds."""
    in_sqlite = sqlite.execute(
        "select rowid from passage_fts where passage_fts match ? order by rowid",
        (full_text_terms.expression(terms, scopes),),
    )
    on_server = postgres.execute(
        "select rowid from passage_fts where passage_fts match ? order by rowid",
        (full_text.expression(terms, scopes),),
    )
    return [row for (row,) in in_sqlite], [row for (row,) in on_server]


def test_both_engines_find_the_same_rows(sqlite: apsw.Connection, postgres: Connection) -> None:
    """The 120 rows are in any script, with marks of both query languages; 1,500 expressions."""
    chance = Random(32)
    rows = [
        (chance.choice(SCOPES), *(_text(chance, chance.randint(0, 12)) for _ in range(4)))
        for _ in range(120)
    ]
    _put(sqlite, postgres, rows)

    found = 0
    for _ in range(1_500):
        terms = [_term(chance, rows) for _ in range(chance.randint(1, 4))]
        scopes = chance.choice([None, chance.sample(SCOPES, chance.randint(1, 3))])
        one, other = _found(sqlite, postgres, terms, scopes)
        assert one == other, (terms, scopes)
        found += bool(one)
    assert found > 700


def test_a_word_is_found_in_each_column_of_a_long_text(
    sqlite: apsw.Connection, postgres: Connection
) -> None:
    """The server keeps 255 places of a word, and the first 16,383 places of a text."""
    often, far = " again" * 400, " filler" * 17_000
    _put(
        sqlite,
        postgres,
        [("c1", often, often, often, often), ("c1", far, "far", "far", far + " end")],
    )

    for where in get_args(Where):
        for text in ("again", "filler", "far", "end", "again again"):
            for scope in ("c1", "c2"):
                one, other = _found(sqlite, postgres, [Term(text, where)], [scope])
                assert one == other, (where, text)


def test_words_of_two_columns_are_no_phrase(sqlite: apsw.Connection, postgres: Connection) -> None:
    """Neither where columns meet, nor where the server has no more places for words."""
    far = " filler" * 17_000
    _put(
        sqlite,
        postgres,
        [("c1", "red", "kite", "", ""), ("c1", far + " red", "kite", "red", "kite")],
    )

    assert _found(sqlite, postgres, [Term("red kite")]) == ([], [])
    assert _found(sqlite, postgres, [Term("filler kite")]) == ([], [])
    assert _found(sqlite, postgres, [Term("kite")]) == ([1, 2], [1, 2])


def test_no_term_or_scope_is_an_error_as_in_sqlite() -> None:
    """An empty list of scopes does not mean every scope."""
    with pytest.raises(ValueError, match="at least one term"):
        full_text.expression([])
    for scopes in ([], ["c1'"], ["c1", "\\"]):
        with pytest.raises(ValueError, match="letters and digits"):
            full_text.expression([Term("tea")], scopes)
