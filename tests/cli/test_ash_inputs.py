"""The parsing of the command line of `ash`."""

import datetime as dt
import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest

from ashd.cli import inputs, memory
from ashd.cli.caller import account_of, scope_of
from ashd.memory.model import GivenType
from ashd.wire_times import micros


def _in_zone(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    monkeypatch.setenv("TZ", name)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from _in_zone(monkeypatch, "Europe/Berlin")


@pytest.fixture(params=["Europe/Berlin", "America/New_York"])
def zone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A zone on either side of UTC."""
    yield from _in_zone(monkeypatch, request.param)


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (inputs.start_of_day, "2026-03-01", "2026-03-01T00:00:00+01:00"),
        (inputs.end_of_day, "2026-07-01", "2026-07-01T23:59:59.999999+02:00"),
        (inputs.end_of_day, "2026-03-01T18:00", "2026-03-01T18:00:00+01:00"),
        (inputs.end_of_day, "2026-03-01T18:00:00Z", "2026-03-01T19:00:00+01:00"),
        (inputs.expiry, "14", 14.0),
        (inputs.expiry, "2026-03-01", "2026-03-01T23:59:59.999999+01:00"),
        (inputs.expiry, "2w", 14.0),
        (inputs.expiry, "36h", 1.5),
        (inputs.duration, "90s", 90),
        (inputs.duration, "8h", 28_800),
        (inputs.duration, "2w", 1_209_600),
        (inputs.provider_and_id, "matrix:@a:b", ("matrix", "@a:b")),
        (inputs.rights, "read,write", ["read", "write"]),
        (inputs.rights, "read, forget", ["read", "forget"]),
    ],
)
def test_what_is_typed_becomes_what_is_sent(
    read: Callable[[str], Any], text: str, expected: object
) -> None:
    """Dates are in the local zone; a last day is included to its end."""
    assert read(text) == expected


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("read", [inputs.start_of_day, inputs.end_of_day, inputs.expiry])
def test_the_ends_of_time_can_be_typed_in_every_zone(read: Callable[[str], Any], text: str) -> None:
    """The last day is how people write "never"; the daemon takes what is sent for it."""
    sent = read(text)

    assert sent.startswith(text)
    assert micros(sent, "at") is not None


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (inputs.start_of_day, "tomorrow"),
        (inputs.end_of_day, "2026-02-30"),
        (inputs.expiry, "soon"),
        (inputs.expiry, "9" * 400 + "d"),
        (inputs.expiry, "9" * 5_000 + "d"),
        (inputs.duration, "8 hours"),
        (inputs.duration, "-5"),
        (inputs.duration, "90"),
        (inputs.rights, "read,all"),
        (inputs.rights, ""),
        (inputs.provider_and_id, "telegram"),
        (inputs.provider_and_id, "telegram:"),
    ],
)
def test_what_cannot_be_read_is_wrong_usage(read: Callable[[str], Any], text: str) -> None:
    """The error says what would be right."""
    with pytest.raises(click.BadParameter):
        read(text)


def test_an_account_is_a_provider_and_a_user() -> None:
    """A user id may contain colons; without a provider it is a user of this machine."""
    assert account_of("telegram:12") == {"provider": "telegram", "user_id": "12"}
    assert account_of("matrix:@ada:example.org")["user_id"] == "@ada:example.org"
    assert account_of("ada") == {"provider": "local", "user_id": "ada"}


def test_as_and_chat_make_the_scope() -> None:
    """The daemon decides without either; a group may lack a user, never a provider."""
    assert scope_of(None, None, "group") is None
    assert scope_of("t:1", None, "group") == {"provider": "t", "user_id": "1"}
    assert scope_of("t:1", "-100", "group") == {
        "provider": "t",
        "user_id": "1",
        "chat_id": "-100",
        "chat_type": "group",
    }
    assert scope_of("t:", "-100", "private") == {
        "provider": "t",
        "chat_id": "-100",
        "chat_type": "private",
    }
    with pytest.raises(click.UsageError, match="--as"):
        scope_of(None, "-100", "group")


def test_a_text_loses_only_its_last_line_end(tmp_path: Path) -> None:
    """The line end added by an editor or `echo` is dropped."""
    path = tmp_path / "text"
    path.write_bytes(b" one\n\ntwo \r\n")
    assert inputs.read_text(str(path)) == " one\n\ntwo "


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as UTF-8 whatever the locale."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Grüße\n".encode()), "ascii"))
    assert inputs.read_text("-") == "Grüße"


def test_json_may_be_a_document_or_lines(tmp_path: Path) -> None:
    """Exports of chats come in either form."""
    path = tmp_path / "facts"
    facts = [{"content": "a"}, {"content": "b"}]
    path.write_text(json.dumps(facts))
    assert inputs.read_json(str(path)) == facts
    path.write_text("\n".join(json.dumps(fact) for fact in facts) + "\n")
    assert inputs.read_json(str(path)) == facts


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_json_of_other_programs_is_read(tmp_path: Path, mark: bytes) -> None:
    """A line separator is part of a text, and a byte order mark of nothing."""
    path = tmp_path / "facts"
    facts = [{"content": "a\u2028b"}, {"content": "c\x85d"}]
    text = "\r\n".join(json.dumps(fact, ensure_ascii=False) for fact in facts)
    path.write_bytes(mark + text.encode())

    assert inputs.read_json(str(path)) == facts
    assert memory.read_messages(inputs.read_text(str(path))) == facts


@pytest.mark.parametrize("content", [b"\xff", b"{", b"[" * 100_000, None])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    """Files that are missing, not UTF-8 or not JSON."""
    path = tmp_path / "facts"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(click.UsageError, match="facts"):
        inputs.read_json(str(path))


def test_messages_are_a_list_or_one_text() -> None:
    """JSON of another kind is taken as plain text."""
    assert memory.read_messages('[{"role": "user", "content": "a"}]') == [
        {"role": "user", "content": "a"}
    ]
    assert memory.read_messages("I like tea") == [{"role": "user", "content": "I like tea"}]
    deep = "[" * 100_000
    assert memory.read_messages(deep) == [{"role": "user", "content": deep}]
    assert memory.read_messages("5") == [{"role": "user", "content": "5"}]


def test_the_types_to_choose_from_are_the_daemons() -> None:
    """Each can be asked for, and no other."""
    assert set(memory._TYPES) == set(get_args(GivenType))


def test_the_local_zone_is_that_of_the_machine() -> None:
    """A moment says its zone, so the daemon need not know it."""
    assert dt.datetime.fromisoformat(inputs.start_of_day("2026-03-01")).tzinfo is not None
