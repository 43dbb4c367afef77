"""Layout of `ash`'s output for a person."""

import datetime as dt
import io
import json
import time
from collections.abc import Iterator

import pytest

from ashd.cli import memory_view, output
from ashd.cli.caller import Caller
from ashd.cli.formats import state
from ashd.cli.output import Column
from ashd_client.protocol import AshCallError

NOW = dt.datetime(2026, 2, 9, 12, 0, tzinfo=dt.UTC)
HOSTILE = "tea\x1b[2J\x1b]0;gone\x07\x9b31m\u202e\u200b\r\nrm"


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A zone and a terminal of known size."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    monkeypatch.setenv("COLUMNS", "60")
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-02-09T10:00:00Z", "2026-02-09 11:00 (2 hours ago)"),
        ("2026-02-08T11:59:00.5Z", "2026-02-08 12:59 (1 day ago)"),
        ("2026-07-09T12:00:00Z", "2026-07-09 14:00 (in 5 months)"),
        ("2024-02-09T12:00:00Z", "2024-02-09 13:00 (2 years ago)"),
        ("2026-02-09T11:59:30Z", "2026-02-09 12:59 (just now)"),
        ("2026-02-09T12:00:30Z", "2026-02-09 13:00 (in a moment)"),
        ("no time", "no time"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        (None, ""),
    ],
)
def test_a_time_is_local_and_relative(text: str | None, expected: str) -> None:
    """Other values, and times that cannot be shown, are printed unchanged."""
    assert output.when(text, NOW) == expected


@pytest.mark.parametrize("show", [output.shown, output.when, output.day, output.block])
def test_nothing_that_acts_on_a_terminal_is_shown(show: object) -> None:
    """Escape sequences, controls, direction overrides and hidden letters."""
    text = show(HOSTILE)

    assert text.startswith("tea")
    assert text.endswith("rm")
    assert not set(text) & set("\x1b\x07\x9b\u202e\u200b\r")


def test_a_value_in_a_list_or_a_dict_is_harmless_too() -> None:
    """Names and keys come from other people as well."""
    assert output.shown([HOSTILE, True, None, 0.5]) == "tea rm, yes, , 0.5"
    assert output.shown({HOSTILE: 1}) == "tea rm=1"


def test_a_table_fits_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """The flexing column gives way, with a sign that it did."""
    output.table(
        [Column("ID"), Column("CONTENT", flexes=True), Column("N", right=True)],
        [("a1", "word " * 40, 7), ("b", "short", 123)],
    )

    lines = capsys.readouterr().out.splitlines()
    assert [len(line) for line in lines] == [60, 60, 60]
    assert lines[1].endswith("…    7")
    assert lines[2].startswith("b   short ")


def test_a_cell_of_several_lines_is_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    """Up to so many lines, the other columns empty beside them."""
    output.table([Column("ID"), Column("CONTENT", flexes=True)], [("a", "word " * 40)], lines=2)

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert max(len(line) for line in lines) <= 60
    assert lines[2].startswith("    word")
    assert lines[2].endswith("…")


def test_wide_signs_take_two_cells(capsys: pytest.CaptureFixture[str]) -> None:
    """A column beside Chinese text stays straight, and the text within the terminal."""
    output.table([Column("NAME", flexes=True), Column("X")], [("花生过敏", 1), ("花" * 60, 2)])

    header, short, long = capsys.readouterr().out.splitlines()
    assert header.index("X") == 59
    assert len(short) + 4 == 60
    assert short.endswith(" 1")
    assert long == "花" * 28 + "…" + "  2"


def test_without_a_terminal_nothing_is_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe has no width."""
    monkeypatch.delenv("COLUMNS")
    output.table([Column("CONTENT", flexes=True)], [("word " * 100,)])

    assert ("word " * 100).strip() in capsys.readouterr().out


def test_a_narrow_terminal_leaves_out_what_is_spare_and_cuts_no_id(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Long cells wrap; spare columns return when there is space."""
    columns = [
        Column("ID", whole=True),
        Column("TEXT", flexes=True),
        Column("RIGHTS"),
        Column("NAME"),
        Column("PID", spare=True),
    ]
    row = ("0123456789abcdef", "word " * 9, "read, write, forget", "a name as long as this", 12_345)
    output.table(columns, [row])
    narrow = capsys.readouterr().out

    assert max(len(line) for line in narrow.splitlines()) <= 60
    assert "0123456789abcdef" in narrow
    assert "PID" not in narrow
    assert ["read,", "write,", "forget"] == [
        word for word in narrow.split() if word in {"read,", "write,", "forget"}
    ]
    output.table(columns, [(*row[:1], "", *row[2:])])
    assert "PID" not in capsys.readouterr().out
    output.table(columns, [("a1", "word", "read", "Bob", 12_345)])
    assert "12345" in capsys.readouterr().out


def test_labelled_lines_leave_out_what_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    """A zero counts as a value."""
    output.fields([("id", "a"), ("tags", []), ("count", 0), ("chat", None)])

    assert capsys.readouterr().out == "id     a\ncount  0\n"


def test_a_nested_result_is_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    """The simple values first, then each part under its name."""
    output.tree({"part": {"n": 1, "deep": {"k": "v"}}, "ok": True, "none": {}})

    assert capsys.readouterr().out.splitlines() == [
        "ok  yes",
        "part",
        "  n  1",
        "  deep",
        "    k  v",
    ]


def test_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """The document is on one line, with every letter unescaped."""
    output.json_document({"content": "ß\x1b\n"})

    out = capsys.readouterr().out
    assert out == '{"content": "ß\\u001b\\n"}\n'
    assert json.loads(out) == {"content": "ß\x1b\n"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "utf-16"])
def test_json_is_json_in_every_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    """An escape of JSON is not a character that a stream replaced."""
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding, errors="backslashreplace")
    monkeypatch.setattr("sys.stdout", stream)

    output.json_document({"content": "é 😀"})
    stream.flush()

    assert json.loads(written.getvalue().decode(encoding)) == {"content": "é 😀"}


def test_an_error_is_what_happened_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    """Candidates stand between the two lines; standard output is empty."""
    output.error(
        AshCallError(
            "Two\nfit.",
            kind="ambiguous",
            code=201,
            hint="Give \x1b[1mmore.",
            data={"candidates": [{"id": "abc", "name": "Sa\x1brah", "relationships": ["wife"]}]},
        )
    )

    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "ash: Two fit."
    assert err.splitlines()[-1] == "Give more."
    assert err.splitlines()[1] == "  abc  Saah  wife"
    assert "\x1b" not in err


def test_remarks_are_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    """Remarks go to standard error; an unknown form is printed unchanged."""
    output.remarks(
        {
            "degraded": ["embedder"],
            "notices": [{"kind": "about_not_found", "message": "Nobody\x1b here."}, {"kind": "x"}],
        }
    )

    out, err = capsys.readouterr()
    assert out == ""
    assert "\x1b" not in err
    assert err.splitlines()[0] == "Not available now: embedder. Less may be found."
    assert err.splitlines()[1].startswith("Nobody")
    assert err.splitlines()[2] == "kind=x"


def test_a_memory_shows_why_it_is_out_of_the_way() -> None:
    """Archived with the reason, superseded, expired."""
    assert state({}) == ""
    assert state({"archived_at": "2026-01-01T00:00:00Z", "archive_reason": "evicted"}) == (
        "archived: evicted"
    )
    assert state({"superseded_at": "2026-01-01T00:00:00Z"}) == "superseded"
    assert state({"expires_at": "2026-01-01T00:00:00.123456Z"}) == "expired"
    assert state({"expires_at": "2999-01-01T00:00:00Z"}) == ""


def test_a_list_says_whose_only_where_that_differs(capsys: pytest.CaptureFixture[str]) -> None:
    """A column with the same value in every line is left out."""
    mine = {"id": "a" * 36, "content": "tea", "provider": "t", "owner_user_id": "1"}
    ours = {"id": "b" * 36, "content": "plan", "provider": "t", "chat_id": "-1"}

    memory_view.LISTED({"memories": [mine, mine], "total": 5, "next_cursor": "c\x1b1"})
    out, err = capsys.readouterr()
    assert "WHOSE" not in out
    assert err.startswith("2 of 5 memories.\nMore: --cursor c")
    assert "\x1b" not in err

    memory_view.LISTED({"memories": [mine, ours], "total": 2, "next_cursor": None})
    out = capsys.readouterr().out
    assert "t:1" in out
    assert "group -1" in out


def test_the_relation_that_brought_a_memory_is_shown_harmless(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A relation holds names that others gave; none of them acts on the terminal."""
    memory = {"id": "0" * 32, "content": "tea", "created_at": "2026-05-01T10:00:00Z"}
    memory_view.FOUND(
        {"results": [{"memory": memory, "score": 0.5, "weak": False, "via": HOSTILE}]}
    )
    printed = capsys.readouterr()
    assert "came by a relation: tea" in printed.err
    assert not set(printed.out + printed.err) & set("\x1b\x07\x9b\u202e\u200b\r")


@pytest.mark.parametrize(
    ("lacking", "said"), [("embedder", "The embedder is not ready"), ("judge", "There was no time")]
)
def test_a_fact_that_is_judged_later_is_said_to_be(
    capsys: pytest.CaptureFixture[str], lacking: str, said: str
) -> None:
    """One remark says so; the one about searches does not follow."""
    result = {"memories": [], "degraded": [lacking]}
    Caller(socket="/nonexistent").answer(result, memory_view.added)

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)
