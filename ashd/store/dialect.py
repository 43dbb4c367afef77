"""SQL of the shared statements that PostgreSQL writes in another way; here in SQLite's form.

A statement is written once, in words that both engines read, and
`tests/unit/store/test_shared_statements.py` refuses the others. Beside this module, they differ in

- parameters: `?`, `?1` and `:name`, as SQLite has them. A flag, as a column too, is 1 or 0, and is
  compared with them;
- lists: one parameter holds a whole list as JSON. `json_each(:numbers)` is the table of a list of
  numbers, `text_list(":names")` that of a list of texts. SQLite needs no types; PostgreSQL does;
- `cross join … on`: SQLite's planner keeps the order of such tables; for PostgreSQL it is a `join`;
- functions: `json_group_array`, `instr` and their like have other names in PostgreSQL;
- full text: `passage_fts` is a table whose row number is called `rowid`.
"""

from typing import Final

DATABASE_BYTES: Final = "select page_count * page_size from pragma_page_count, pragma_page_size"
"""The query for the size of the database."""


def text_list(parameter: str) -> str:
    """Return the table of a list of texts, with the column `value`."""
    # The path is the one that SQLite takes anyway: it tells the list from one of numbers.
    return f"json_each({parameter}, '$')"


def matching(parameter: str) -> str:
    """Return the condition on `passage_fts` that a row matches a full-text expression."""
    return f"passage_fts match {parameter}"
