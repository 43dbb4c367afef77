"""Views: templates, tables and fields as data, and the one renderer of all."""

import re
from pathlib import Path

import pytest

from ashd.cli import views
from ashd.cli.views import Each, Fields, Line, Note, Table, Title, View

HOSTILE = "tea\x1b[2J\x1b]0;gone\x07\x9b31m\u202e\u200b\r\nrm"
RESULT = {
    "id": "0123456789abcdef",
    "at": None,
    "role": "user",
    "speaker": None,
    "score": 0.456,
    "total": 0,
    "people": [{"name": "Ann", "aliases": ["A"]}, {"name": HOSTILE, "aliases": []}],
    "rows": {"memories": 2, "people": 1},
}


@pytest.mark.parametrize(
    ("template", "printed"),
    [
        ("Memory {id:short}.", "Memory 01234567."),
        ("{at:day|never}", "never"),
        ("{speaker or role}", "user"),
        ("{score:.2f}", "0.46"),
        ("{people.name}", "Ann, tea rm"),
        ("{people:count person/people}, {total:count memory/memories}", "2 people, 0 memories"),
        ("{people:count} of {total}", "2 of 0"),
        ("{role:<6}|", "user  |"),
        ("{people.name:brackets}", " (Ann, tea rm)"),
        ("{missing.below}", ""),
    ],
)
def test_a_template_takes_values_from_a_result(
    capsys: pytest.CaptureFixture[str], template: str, printed: str
) -> None:
    """By path and format, with a word for what is empty."""
    View(Line(template))(RESULT)

    assert capsys.readouterr().out == f"{printed}\n"


@pytest.mark.parametrize("form", ["", ":short", ":<4", ":brackets", ":block", ":day", ":when"])
def test_no_format_lets_a_text_act_on_the_terminal(
    capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """In lines, tables and fields, and in a list."""
    template = f"{{text{form}}}"
    View(
        Line(template, verb="Stored"),
        Title(template),
        Table("all", f"TEXT~ {template}"),
        Fields(f"text {template}"),
        Line(f"{{all.text{form}}}"),
    )({"text": HOSTILE, "all": [{"text": HOSTILE}]})

    out = capsys.readouterr().out
    assert out.count("tea") == 5
    assert not set(out) & set("\x1b\x07\x9b\u202e\u200b\r")


def test_a_table_has_a_row_for_each_entry_and_no_titles_without_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Entries of a list, or keys and values of an object; a number stands to the right."""
    View(
        Table("rows", "TABLE {key} | ROWS> {value}"),
        Table("none", "NAME {name}"),
        Table("people", "NAME {name} | ALSO CALLED {aliases:|nothing}"),
    )(RESULT)

    assert capsys.readouterr().out.splitlines() == [
        "TABLE     ROWS",
        "memories     2",
        "people       1",
        "NAME    ALSO CALLED",
        "Ann     A",
        "tea rm  nothing",
    ]


def test_fields_leave_out_what_is_empty_and_repeat_a_label(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A label with a path has a line for each entry."""
    View(Fields("id {id} | at {at} | is[people] {name}", "  "))(RESULT)

    assert capsys.readouterr().out == "  id  0123456789abcdef\n  is  Ann\n  is  tea rm\n"


def test_a_part_is_printed_only_with_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    """A line, a remark on standard error and a view of parts; `!` means without."""
    View(
        Line("has a role", "role"),
        Line("has a time", "at"),
        Note("has no time", "!at"),
        View(Line("not this"), only="!role"),
        Each("people", View(Line("{name} has aliases", "aliases"))),
    )(RESULT)

    printed = capsys.readouterr()
    assert printed.out == "has a role\nAnn has aliases\n"
    assert printed.err == "has no time\n"


def test_word_for_an_empty_value_follows_a_format() -> None:
    """Without the colon before it, `{conversation_id|in no turn}` is an unknown path: empty."""
    sources = Path(views.__file__).parent.glob("*.py")
    wrong = re.compile(r'"[^"]*\{[\w.]+\|')
    assert [] == [file.name for file in sources if wrong.search(file.read_text(encoding="utf-8"))]
