"""Statements of the store in PostgreSQL's way."""

from enum import StrEnum

import numpy as np
import pytest

from ashd.store import dialect
from ashd.store.postgres.translation import in_order, translated


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "select a from t where b = ? and c = ?",
            "select a from t where b = $1 and c = $2",
        ),
        ("select ?2, ?1", "select $1, $2"),
        ("select a from t where b = :name", "select a from t where b = $1"),
        ("select '?', ':name' where a = ?", "select '?', ':name' where a = $1"),
        ("select 'it''s ?' where a % 2 = ?", "select 'it''s ?' where a % 2 = $1"),
        ("select :b, :a, :b", "select $1, $2, $1"),
        ("select a::text", "select a::text"),
        ("select a from t cross join u on u.a = t.a", "select a from t join u on u.a = t.a"),
        ("select a from t cross join u b on b.a = 1", "select a from t join u b on b.a = 1"),
        ("select a from t cross join u where a = 1", "select a from t cross join u where a = 1"),
        (
            f"select 1 where {dialect.matching(':w')}",
            "select 1 where terms @@ cast($1 as tsquery)",
        ),
        ("select json_array(a, 1)", "select json_build_array(a, 1)"),
        ("select json_object('a', 1)", "select json_build_object('a', 1)"),
        (dialect.DATABASE_BYTES, "select pg_database_size(current_database())"),
    ],
)
def test_a_statement_is_translated(sql: str, expected: str) -> None:
    """Literals stay as they are; parameters, joins and functions have PostgreSQL's form."""
    assert translated(sql).sql == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "select 1 where a in (select value from json_each(?))",
            "select 1 where a = any (cast($1 as bigint[]))",
        ),
        (
            "select 1 where ?1 = 1 and a not in (select value from json_each(?2))",
            "select 1 where $1 = 1 and a <> all (cast($2 as bigint[]))",
        ),
        (
            "select b.value from json_each(:b) b where ?1 = 2",
            "select b.value from json_each(cast($1 as bigint[])) b where $2 = 2",
        ),
        (
            f"select a in (select value from {dialect.text_list('?')})",
            "select a in (select value from json_each($1, '$'))",
        ),
        ("select value from json_each(t.list)", "select value from json_each(t.list)"),
    ],
)
def test_a_list_of_numbers_is_an_array(sql: str, expected: str) -> None:
    """The parameter may be used as the text that it is, too."""
    assert translated(sql).sql == expected


def test_arrays_have_parameters_of_their_own() -> None:
    """They are made of the lists; no list is an empty one."""
    sql = "select a in (select value from json_each(:a)), :a from json_each(:b)"

    assert translated(sql).names == ("a[]", "a", "b[]")
    values = in_order({"a": "[1, 2]", "b": None}, ("a[]", "a", "b[]"))
    assert values == ["{1, 2}", "[1, 2]", "{}"]


def test_parameters_have_the_names_of_their_places() -> None:
    """Positional parameters are numbered; named ones keep their names."""
    assert translated("select ?2, ?1").names == ("p2", "p1")
    assert in_order((7, "x"), ("p2", "p1")) == ["x", 7]
    assert in_order({"a": None}, ("a",)) == [None]


class _Kind(StrEnum):
    ONE = "one"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (True, 1),
        (_Kind.ONE, "one"),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (memoryview(b"ab"), b"ab"),
        (bytearray(b"ab"), b"ab"),
        (1.5, 1.5),
    ],
)
def test_values_are_of_plain_types(value: object, plain: object) -> None:
    """The driver writes a value by its exact type, and columns hold no flags."""
    (found,) = in_order((value,), ("p1",))

    assert found == plain
    assert type(found) is type(plain)
