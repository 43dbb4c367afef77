"""The plans of the full-text index's own statements."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from ashd.store.connection import connect

pytestmark = pytest.mark.sqlite_file


def test_a_lookup_of_another_word_makes_no_new_plan(tmp_path: Path) -> None:
    """Each word is looked up in each segment of the index; to plan that took half of the time."""
    connection = connect(tmp_path / "words.db", read_only=False)
    connection.execute("create virtual table words using fts5 (body)")
    for body in ("one pear", "two plums", "three figs"):
        connection.execute("insert into words (body) values (?)", (body,))
    planned: dict[str, int] = {}

    def note(event: dict[str, Any]) -> None:
        planned[event["sql"]] = event["stmt_status"]["SQLITE_STMTSTATUS_REPREPARE"]

    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
    for word in ("pear", "plums", "figs"):
        assert connection.execute("select rowid from words where words match ?", (word,)).fetchall()
    connection.close()
    assert len(planned) > 1  # the statement above, and those of the index
    assert set(planned.values()) == {0}
