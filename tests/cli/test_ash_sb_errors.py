"""The behaviour of `ash-sb` when the daemon refuses, disconnects, restarts or is missing."""

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from scripted_daemon import HANG_UP, ScriptedDaemon, ash_sb, error, memory

from ash_sb.errors import EXIT_OF_KIND
from ashd.errors import all_kinds

ADDED = {"memories": [{"outcome": "added", "memory": memory(), "superseded": [], "people": []}]}


def test_exit_statuses_are_the_daemons() -> None:
    """Each kind of the wire has the exit status that the daemon's error class states."""
    ours = {kind: status for kind, status in EXIT_OF_KIND.items() if kind != "unavailable"}

    assert ours == {each.kind: each.exit_status for each in all_kinds()} | {"internal_error": 7}


@pytest.mark.parametrize("kind", [each.kind for each in all_kinds() if each.code < 900])
def test_an_error_ends_with_its_status_and_remedy(tmp_path: Path, kind: str) -> None:
    """One line on standard error with kind, message and remedy; nothing on standard output."""
    with ScriptedDaemon(tmp_path / "s", error(kind, message="It is not so.")) as daemon:
        done = ash_sb("memory", "show", "3f2a1c", socket_path=daemon.path)

    assert done.returncode == EXIT_OF_KIND[kind]
    assert done.stdout == ""
    remedy = {
        "invalid_params": "See `ash-sb help memory show`",
        "method_not_found": "`ash-sb status` lists as capabilities what may be done here",
    }.get(kind, "Mend it")
    assert done.stderr == f"error: {kind}: It is not so. {remedy}.\n"
    assert len(daemon.calls) == 1


def test_an_error_as_json_is_the_daemons(tmp_path: Path) -> None:
    """The daemon's error object is printed unchanged on standard error with --json."""
    with ScriptedDaemon(tmp_path / "s", error("quota_exceeded", 302, limit=5)) as daemon:
        done = ash_sb("memory", "add", "x", "--json", socket_path=daemon.path)

    assert (done.returncode, done.stdout) == (5, "")
    assert json.loads(done.stderr) == error("quota_exceeded", 302, limit=5)


def test_errors_of_the_client_have_the_same_form() -> None:
    """A wrong command line and a missing daemon are error objects of the same shape."""
    wrong = ash_sb("memory", "search", "--json")
    absent = ash_sb("status", "--json", socket_path="/nonexistent/rpc.sock")
    objects = [json.loads(done.stderr)["error"] for done in (wrong, absent)]

    assert [wrong.returncode, absent.returncode] == [2, 6]
    assert [one["data"]["kind"] for one in objects] == ["invalid_params", "unavailable"]
    assert [one["code"] for one in objects] == [-32602, -32000]
    assert all(one["message"] and one["data"]["hint"] for one in objects)


def test_an_ambiguous_answer_lists_the_candidates(tmp_path: Path) -> None:
    """Candidates and what else the error says stand on lines of their own."""
    candidates = [{"id": "a1b2c3", "name": "Sarah"}, {"id": "d4e5f6", "name": "Sarah; Bob"}]
    answer = error("ambiguous", 201, candidates=candidates, retry_after_ms=5)
    with ScriptedDaemon(tmp_path / "s", answer) as daemon:
        done = ash_sb("person", "resolve", "Sarah", socket_path=daemon.path)

    assert done.returncode == 9
    assert done.stderr.splitlines()[1:] == [
        "candidate: id a1b2c3; name Sarah",
        'candidate: id d4e5f6; name "Sarah; Bob"',
        "retry_after_ms: 5",
    ]


def test_a_refused_fact_in_a_batch_sets_the_status(tmp_path: Path) -> None:
    """The rest of the batch is shown as stored, the exit status is the refusal's."""
    refused = {
        "outcome": "refused",
        "memory": None,
        "superseded": [],
        "people": [],
        "error": error("content_refused", 202, "It holds a password")["error"],
    }
    answer = {"memories": [*ADDED["memories"], refused]}
    with ScriptedDaemon(tmp_path / "s", answer) as daemon:
        done = ash_sb("memory", "add", "--facts-json", "-", stdin="[{}]", socket_path=daemon.path)

    assert done.returncode == 8
    assert "added: memory 3f2a1c2e" in done.stdout
    assert "refused: fact 2: content_refused: It holds a password. Mend it" in done.stdout
    assert "count: 1 added, 0 duplicate, 1 refused" in done.stdout


# ------------------------------------------------------------------ not there


def test_without_a_mount_the_remedy_is_a_grant(tmp_path: Path) -> None:
    """No directory: exit 6, one line that names it and who can help."""
    done = ash_sb("status", socket_path=tmp_path / "ash" / "rpc.sock")

    assert (done.returncode, done.stdout) == (6, "")
    assert f"{tmp_path}/ash is not mounted in this sandbox" in done.stderr
    assert "ash grant create" in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_settings_the_usual_place_is_tried() -> None:
    """The default socket is /run/ash/rpc.sock."""
    done = ash_sb("status")

    assert done.returncode == 6
    assert "/run/ash" in done.stderr


def test_a_mount_without_a_socket_has_lost_its_daemon_or_grant(tmp_path: Path) -> None:
    """The directory is there, the socket is not: exit 6 with both possible causes."""
    done = ash_sb("status", socket_path=tmp_path / "rpc.sock")

    assert done.returncode == 6
    assert "ashd is stopped, or the grant of this sandbox has ended" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_socket_without_a_listener_is_a_stopped_daemon(tmp_path: Path) -> None:
    """Connection refused: exit 6 after some tries."""
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(str(tmp_path / "s"))
    done = ash_sb("status", socket_path=tmp_path / "s")

    assert done.returncode == 6
    assert "nobody listens" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "path", ["x" * 200, "{}/a-file/s", "{}"], ids=["too long", "below a file", "a directory"]
)
def test_a_path_that_cannot_be_a_socket_is_said(tmp_path: Path, path: str) -> None:
    """Any unusable path gives exit status 6 and one line."""
    (tmp_path / "a-file").touch()
    done = ash_sb("status", socket_path=path.format(tmp_path))

    assert done.returncode == 6
    assert done.stderr.startswith("error: unavailable: ")
    assert done.stderr.count("\n") == 1


def test_tcp_without_a_port_is_a_wrong_setting() -> None:
    """ASH_RPC_HOST alone is exit 2 and names the missing variable."""
    done = ash_sb("status", ASH_RPC_HOST="127.0.0.1")

    assert done.returncode == 2
    assert "ASH_RPC_PORT" in done.stderr


def test_tcp_reaches_a_daemon_with_its_token() -> None:
    """Host, port and token stand in for the mount."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        seen: list[Any] = []

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    seen.append(json.loads(line))
                    connection.sendall(b'{"jsonrpc":"2.0","id":1,"result":{"total":0}}\n')

        thread = threading.Thread(target=serve)
        thread.start()
        done = ash_sb(
            *("memory", "list", "--json"),
            ASH_RPC_HOST="127.0.0.1",
            ASH_RPC_PORT=str(listener.getsockname()[1]),
            ASH_CONTEXT_TOKEN="t0k",
        )
        thread.join()

    assert (done.returncode, done.stdout) == (0, '{"total":0}\n')
    assert [call["method"] for call in seen] == ["session.hello", "memory.list"]


# ------------------------------------------------------------------ tried again


@pytest.mark.parametrize("kind", ["shutting_down"])
def test_a_restart_is_waited_for(tmp_path: Path, kind: str) -> None:
    """A daemon that starts or stops is asked again, with the same idempotency key."""
    answers = (error(kind, 901, retryable=True), error(kind, 901, retryable=True), ADDED)
    with ScriptedDaemon(tmp_path / "s", *answers) as daemon:
        done = ash_sb("memory", "add", "x", socket_path=daemon.path)

    assert done.returncode == 0
    assert len(daemon.calls) == 3
    assert daemon.calls[0] == daemon.calls[1] == daemon.calls[2]


def test_waiting_for_a_restart_ends(tmp_path: Path) -> None:
    """A daemon that never gets ready is exit 6 after seven calls."""
    with ScriptedDaemon(tmp_path / "s", error("shutting_down", 902)) as daemon:
        done = ash_sb("status", socket_path=daemon.path)

    assert done.returncode == 6
    assert len(daemon.calls) == 7


def test_a_broken_connection_is_tried_again(tmp_path: Path) -> None:
    """An add whose answer was lost is sent again as it was, so that it is stored once."""
    with ScriptedDaemon(tmp_path / "s", HANG_UP, ADDED) as daemon:
        done = ash_sb("memory", "add", "x", socket_path=daemon.path)

    assert done.returncode == 0
    assert len(daemon.calls) == 2
    assert daemon.calls[0] == daemon.calls[1]


@pytest.mark.parametrize("typed", ["memory delete 3f2a1c", "memory update 3f2a1c x"])
def test_what_cannot_be_repeated_is_not(tmp_path: Path, typed: str) -> None:
    """A lost answer to a delete or an update is told, with how to look, and not tried again."""
    with ScriptedDaemon(tmp_path / "s", HANG_UP) as daemon:
        done = ash_sb(*typed.split(), socket_path=daemon.path)

    assert done.returncode == 6
    assert "whether it was done" in done.stderr
    assert len(daemon.calls) == 1


# ------------------------------------------------------------------ sizes and nonsense


def test_too_much_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    """A call over 4 MiB, and an input over 8 MiB, are exit 5 without asking the daemon."""
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        call = ash_sb("memory", "add", "-", stdin="a" * 4_200_000, socket_path=daemon.path)
        text = ash_sb("memory", "add", "-", stdin="a" * 8_400_000, socket_path=daemon.path)

    assert [call.returncode, text.returncode] == [5, 5]
    assert call.stderr.startswith("error: too_large: ")
    assert text.stderr.startswith("error: too_large: ")
    assert daemon.calls == []


def test_the_largest_batch_is_sent(tmp_path: Path) -> None:
    """A hundred facts of 10,000 characters each, of a script with three bytes a letter."""
    facts = json.dumps([{"content": "日" * 10_000}] * 100)
    with ScriptedDaemon(tmp_path / "s", ADDED) as daemon:
        done = ash_sb("memory", "add", "--facts-json", "-", stdin=facts, socket_path=daemon.path)

    assert (done.returncode, done.stderr) == (0, "")
    assert daemon.call["params"]["facts"] == json.loads(facts)


def test_the_answer_to_a_refused_frame_is_still_read(tmp_path: Path) -> None:
    """A daemon that answers and hangs up before it has read everything is heard."""
    answer = json.dumps({"jsonrpc": "2.0", "id": None, **error("too_large", 300)}).encode() + b"\n"

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(10)
            connection.sendall(answer)
            connection.shutdown(socket.SHUT_RD)
            connection.recv(1)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        done = ash_sb("memory", "add", "-", stdin="a" * 2_500_000, socket_path=tmp_path / "s")
        thread.join()

    assert done.returncode == 5
    assert done.stderr.startswith("error: too_large: It is not so. Mend it.")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\n",
        b"[]\n",
        b"\xff\n",
        b'{"jsonrpc":"2.0","id":1}\n',
        b'{"jsonrpc":"2.0","id":1,"result":[]}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{}} {}\n',
        b'{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}\n',
        b'{"error":"no"}\n',
        b"[" * 100_000 + b"\n",
    ],
)
def test_nonsense_for_an_answer_is_an_internal_error(tmp_path: Path, answer: bytes) -> None:
    """An invalid answer gives exit status 7, one line and no trace."""
    with ScriptedDaemon(tmp_path / "s", answer) as daemon:
        done = ash_sb("status", "--json", socket_path=daemon.path)

    assert (done.returncode, done.stdout) == (7, "")
    assert json.loads(done.stderr)["error"]["data"]["kind"] == "internal_error"


def test_a_result_of_another_shape_is_no_trace(tmp_path: Path) -> None:
    """A result that cannot be shown says so and points to --json, which still works."""
    with ScriptedDaemon(tmp_path / "s", {"results": [{"new": "shape"}]}) as daemon:
        lines = ash_sb("memory", "search", "x", socket_path=daemon.path)
        raw = ash_sb("memory", "search", "x", "--json", socket_path=daemon.path)

    assert lines.returncode == 7
    assert "--json" in lines.stderr
    assert "Traceback" not in lines.stderr
    assert json.loads(raw.stdout) == {"results": [{"new": "shape"}]}
