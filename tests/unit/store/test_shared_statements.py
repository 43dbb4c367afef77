"""Statements are written in SQL that SQLite and PostgreSQL both read, except in named modules."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest

import ashd.store
from ashd.store import migrations
from ashd.store.transaction import Tx

STORE = Path(ashd.store.__file__).parent
LISTED = re.compile(r"^    ([a-z_/ ]+)$", re.MULTILINE)

FLAGS = "is_read|named|names_speaker|portable|first_person|by_join|across_accounts|for_groups"
"""Columns that are 1 or 0."""


class Form(NamedTuple):
    """A form that only SQLite reads, by a regular expression; an example that has it."""

    pattern: str
    instead: str
    example: str


FORMS = [
    Form(r"\b(insert|update) or \w|\breplace into\b", "on conflict", "insert or ignore into t"),
    Form(r"\bon conflict do update\b", "on conflict (columns)", "on conflict do update set a = 1"),
    Form(r"\bis (not )?([?:]|\w+\.\w)", "is [not] distinct from", "where a is not ?"),
    Form(r"\biif\(", "case", "select iif(a = 1, b, c)"),
    Form(r"\bsum\([^()]* (is|and|or|=|<>|<|>) ", "count(*) filter", "select sum(a is null)"),
    Form(r"\b(group_concat|total)\(", "string_agg, sum", "select group_concat(a, b)"),
    Form(r"\b(ifnull|char|printf|typeof|zeroblob|likely)\(", "other functions", "ifnull(a, b)"),
    Form(r"\bvec_", "the vectors, compared in Python", "select vec_distance_cosine(a, ?)"),
    Form(r"\bmatch\b", "dialect.matching", "where passage_fts match ?"),
    Form(r"\(passage_fts\b", "a module of SQLite's", "insert into passage_fts (passage_fts)"),
    Form(r"^(?!.*passage_fts).*(?<!\bf\.)\browid\b", "id", "delete from t where rowid = ?"),
    Form(r"\bglob\b", "a range", "where a glob 'b*'"),
    Form(r"->|\bjson_type\(", "json_extract", "select a ->> 1"),
    Form(r"\blimit -", "no limit", "select a from t limit -1"),
    Form(r"\b(not indexed|indexed by)\b", "another index", "select a from t indexed by i"),
    Form(r"\bpragma|\bsqlite_", "a module of SQLite's", "pragma page_count"),
    Form(r"\bx'", "a parameter", "values (x'00')"),
    Form(
        rf"\b(where|and|or|not|when) (not )?(\w+\.)?({FLAGS})\b(?! (=|<|>|is |in ))",
        *("= 1 or = 0", "where not s.is_read"),
    ),
    Form(
        r"\b(where|and|or|not|when) \(?[?:]\w+(?= (and|or|then)\b|\)|$)",
        *("= 1", "where :known and a = 1"),
    ),
    Form(
        r"\b(where|and|or) [\w.]+ (not )?in [a-z]",
        *("in (select …)", "where a in wanted"),
    ),
    Form(
        r"(?<! as text\))(?<! as bigint\))(\?\d?|:[a-z]\w*) is (not )?null",
        *("cast(… as bigint) is null", "where (:since is null or at >= :since)"),
    ),
    Form(
        r"\b(select|values \()\s*[?:]\w*\)? union",
        *("cast(… as bigint)", "with recursive one (id) as (select ?1 union select 2)"),
    ),
]
LISTS = re.compile(r"([\w.]+)\)?(?: not)? in \(select value from (\{text_list\(|json_each\()")


class Statement(NamedTuple):
    """A piece of SQL of a module; an inserted expression is its source in braces."""

    where: str
    sql: str


def shared_modules() -> list[Path]:
    """Return the modules whose statements are for both engines."""
    return [
        path
        for path in sorted(STORE.rglob("*.py"))
        if "postgres" not in path.parts
        and str(path.relative_to(STORE).with_suffix("")) not in {"dialect", *for_sqlite_alone()}
    ]


def for_sqlite_alone() -> list[str]:
    """Return the modules that the package's first lines name as SQLite's alone."""
    lines = LISTED.findall(ashd.store.__doc__ or "")
    return [name for line in lines for name in line.split()]


@cache
def statements() -> tuple[Statement, ...]:
    """Return every piece of SQL in the shared modules: the texts without capitals."""
    return tuple(
        Statement(f"{path.relative_to(STORE)}:{line}", text)
        for path in shared_modules()
        for line, text in texts(ast.parse(path.read_text()))
        if " " in text and without_inserted(text).islower()
    )


def texts(tree: ast.Module) -> list[tuple[int, str]]:
    """Return the texts of a module with their lines, without docstrings."""
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Expr)
        for part in (node.values if isinstance(node, ast.JoinedStr) else [node.value])
        if isinstance(part, ast.Constant)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value)
                if isinstance(part, ast.Constant)
                else "{" + ast.unparse(part.value) + "}"  # type: ignore[attr-defined]
                for part in node.values
            )
            found.append((node.lineno, text))
        elif isinstance(node, ast.Constant) and id(node) not in inside:
            found.append((node.lineno, str(node.value)))
    return found


def without_inserted(text: str) -> str:
    """Return a text without the expressions in it."""
    return re.sub(r"\{[^}]*\}", "", text)


def refused(sql: str) -> list[str]:
    """Return what to write in place of the forms that PostgreSQL cannot read."""
    return [form.instead for form in FORMS if re.search(form.pattern, sql)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_a_form_that_only_sqlite_reads_is_refused(form: Form) -> None:
    """Each form of the list is found in its example."""
    assert form.instead in refused(form.example)


def test_shared_statements_are_in_words_that_both_engines_read() -> None:
    """No shared statement has a form that only SQLite reads."""
    wrong = [(one.where, refused(one.sql), one.sql) for one in statements() if refused(one.sql)]

    assert not wrong


def test_the_scan_sees_the_statements() -> None:
    """The scan reads hundreds of texts, those with inserted conditions too."""
    assert sum(one.sql.startswith("select") for one in statements()) > 200
    assert any("m.learned_in = :chat" in one.sql and "{_PUBLIC}" in one.sql for one in statements())


def test_lists_of_texts_are_marked_where_a_column_of_texts_is_compared() -> None:
    """PostgreSQL compares numbers with numbers only, so a list says which of the two it has."""
    types = column_types()
    seen = {"integer": 0, "text": 0}
    for where, sql in statements():
        for column, table in LISTS.findall(sql):
            kinds = types.get(column.split(".")[-1], set())
            if len(kinds) == 1:  # one type in all tables that have such a column
                (kind,) = kinds
                assert table.startswith("{text") == (kind == "text"), (where, column)
                seen[kind] += 1
    assert min(seen.values()) > 3


def test_a_query_in_the_place_of_a_table_has_a_name() -> None:
    """PostgreSQL 15 asks for one."""
    named = [(one.where, bool(name)) for one in statements() for name in names_of_queries(one.sql)]

    assert len(named) > 20
    assert not [where for where, has_one in named if not has_one]


def names_of_queries(sql: str) -> list[str]:
    """Return the names of the queries in the place of tables; "" for one without."""
    sql = without_inserted(" ".join(sql.split()))
    found = []
    for begin in re.finditer(r"\b(?:from|join) \(", sql):
        depth = 1
        for end in range(begin.end(), len(sql)):
            depth += (sql[end] == "(") - (sql[end] == ")")
            if not depth:
                word = re.match(r" (?:as )?(\w+)", sql[end + 1 :])
                name = word[1] if word else ""
                found.append("" if name in {"cross", "group", "join", "order", "where"} else name)
                break
    return found


def test_the_place_of_nulls_in_an_order_is_written() -> None:
    """SQLite puts them before all values, PostgreSQL after."""
    nullable = columns_with_nulls()
    orders = [
        (one.where, column.split(".")[-1], one.sql)
        for one in statements()
        for order in re.findall(
            r"\border by ((?:[\w.]+(?: desc)?(?: nulls \w+)?(?:, )?)+)", one.sql
        )
        for column in order.split(", ")
    ]
    assert len(orders) > 80

    assert not [
        (where, column)
        for where, column, sql in orders
        if column.removesuffix(" desc") in nullable and f"{column} < " not in sql
    ]


def columns_with_nulls() -> set[str]:
    """Return the names of columns that may be null in each table that has one of the name."""
    connection = apsw.Connection(":memory:")
    migrations.migrate(Tx(connection, 0, str))
    found = connection.execute(
        "select c.name from pragma_table_list t, pragma_table_info(t.name) c"
        " where t.type = 'table' and t.schema = 'main'"
        ' group by c.name having not max(c."notnull" or c.pk)'
    ).fetchall()
    connection.close()
    return {name for (name,) in found}


def column_types() -> dict[str, set[str]]:
    """Return the types that columns of each name have in the schema."""
    connection = apsw.Connection(":memory:")
    migrations.migrate(Tx(connection, 0, str))
    found: dict[str, set[str]] = {}
    for name, kind in connection.execute(
        "select c.name, lower(c.type) from pragma_table_list t, pragma_table_info(t.name) c"
        " where t.type = 'table' and t.schema = 'main'"
    ):
        found.setdefault(name, set()).add(kind)
    connection.close()
    return found


def test_modules_named_as_those_of_sqlite_are_its_alone() -> None:
    """The list names no module that is gone, or that has become one for both."""
    for name in for_sqlite_alone():
        source = (STORE / f"{name}.py").read_text()
        sql = [text for _, text in texts(ast.parse(source)) if without_inserted(text).islower()]

        assert "import apsw" in source or any(refused(text) for text in sql), name
