"""The part of the clients that needs no socket."""

import json

import pytest

from ashd.errors import all_kinds
from ashd_client import protocol
from ashd_client.protocol import AshCallError

HOME = "/home/ada"


def test_a_named_socket_is_the_only_place() -> None:
    """A fallback would work on somebody else's memories."""
    environ = {"ASHD_SOCKET": "/a/ashd.sock", "XDG_RUNTIME_DIR": "/run/user/1"}

    assert protocol.candidates(environ) == ["/a/ashd.sock"]
    assert protocol.candidates(environ, socket="/b.sock") == ["/b.sock"]


def test_a_named_run_directory_is_the_only_place() -> None:
    """ASH_RUN_DIR overrides both run directories."""
    environ = {"ASH_RUN_DIR": "/tmp/run", "XDG_RUNTIME_DIR": "/run/user/1"}

    assert protocol.candidates(environ) == ["/tmp/run/ashd.sock"]


def test_the_session_comes_before_the_home_and_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default is the session's run directory, then the home's, then /run/ash."""
    monkeypatch.setenv("HOME", str(HOME))

    assert protocol.candidates({"XDG_RUNTIME_DIR": "/run/user/1"}) == [
        "/run/user/1/ash/ashd.sock",
        f"{HOME}/.ash/run/ashd.sock",
        "/run/ash/ashd.sock",
    ]
    assert protocol.candidates({}) == [f"{HOME}/.ash/run/ashd.sock", "/run/ash/ashd.sock"]


@pytest.mark.parametrize("by_option", [True, False])
def test_a_named_home_is_looked_in_first(by_option: bool) -> None:
    """Else a daemon of the session would answer for that of the home."""
    environ = {"XDG_RUNTIME_DIR": "/run/user/1"} | ({} if by_option else {"ASH_HOME": "/h"})

    found = protocol.candidates(environ, home="/h" if by_option else None)

    assert found[:2] == ["/h/run/ashd.sock", "/run/user/1/ash/ashd.sock"]


def test_a_request_is_one_line_of_utf_8() -> None:
    """Line ends inside a text are escaped, other letters are not."""
    line = protocol.write_request(7, "memory.add", {"content": "a\nß"})

    assert line.count(b"\n") == 1
    assert "ß".encode() in line
    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "memory.add",
        "params": {"content": "a\nß"},
    }


@pytest.mark.parametrize("value", ["\udc80", float("nan"), {1, 2}])
def test_what_is_no_json_is_refused_before_it_is_sent(value: object) -> None:
    """Text that is no Unicode, numbers that are none, and types that JSON lacks."""
    with pytest.raises(AshCallError) as caught:
        protocol.write_request(1, "memory.add", {"content": value})

    assert (caught.value.kind, caught.value.exit_status) == ("invalid_params", 2)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b"hello\n",
        b"[]\n",
        b'{"jsonrpc":"2.0","id":2,"result":{}}\n',
        b'{"jsonrpc":"2.0","id":1,"result":[]}\n',
        b'{"jsonrpc":"2.0","id":2,"error":{"code":200,"message":"No."}}\n',
    ],
)
def test_what_is_no_reply_to_the_call_is_a_lost_connection(line: bytes) -> None:
    """Cut off, no JSON, no object, another call's."""
    with pytest.raises(AshCallError) as caught:
        protocol.read_reply(line, 1)

    assert (caught.value.kind, caught.value.exit_status) == ("unavailable", 6)
    assert "look before you repeat" in caught.value.hint


@pytest.mark.parametrize("request_id", ["1", "null"])
def test_an_error_carries_what_the_daemon_says(request_id: str) -> None:
    """The id is null where the daemon could not read the frame."""
    data = {"kind": "ambiguous", "hint": "Give more.", "retryable": False, "candidates": ["a"]}
    line = (
        f'{{"jsonrpc":"2.0","id":{request_id},"error":'
        f'{{"code":201,"message":"Two fit.","data":{json.dumps(data)}}}}}\n'
    ).encode()

    with pytest.raises(AshCallError, match="Two fit") as caught:
        protocol.result_of(protocol.read_reply(line, 1))

    error = caught.value
    assert (error.kind, error.code, error.hint) == ("ambiguous", 201, "Give more.")
    assert error.exit_status == 9
    assert error.data["candidates"] == ["a"]
    assert error.to_json() == {"code": 201, "message": "Two fit.", "data": data}


def test_every_kind_has_its_exit_status() -> None:
    """The statuses are those of the error tree; a kind of a newer daemon is a plain failure."""
    for cls in all_kinds():
        assert AshCallError("", kind=cls.kind, code=cls.code).exit_status == cls.exit_status
    assert AshCallError("", kind="of_tomorrow", code=999).exit_status == 1


def test_without_a_daemon_the_places_and_the_remedy_are_named() -> None:
    """The error has one line of cause and one of remedy."""
    error = protocol.no_daemon({"/x/ashd.sock": FileNotFoundError(2, "none")})

    assert error.exit_status == 6
    assert "/x/ashd.sock" in error.message
    assert "ashd serve" in error.hint


def test_a_socket_that_is_there_says_more_than_one_that_is_missing() -> None:
    """The cause of the one that is there is told."""
    missing = {"/x/ashd.sock": FileNotFoundError(2, "none")}

    refused = protocol.no_daemon(missing | {"/y.sock": ConnectionRefusedError(111, "refused")})
    denied = protocol.no_daemon(missing | {"/y.sock": PermissionError(13, "denied")})

    assert "/y.sock (refused)" in refused.message
    assert "group" in denied.hint
