"""A scripted daemon: a real Unix socket with prepared answers.

The tests of `ash-sb` are about the client, so they contain the answers, in the shapes of the
interface; the client is a real process.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

REPOSITORY = Path(__file__).resolve().parents[2]
START = (
    f"import sys; sys.path.append({str(REPOSITORY)!r}); from ash_sb.__main__ import main; main()"
)
CLIENT = [sys.executable, "-I", "-S", "-c", START]

HANG_UP = b""
"""An answer: close the connection without one."""


class ScriptedDaemon:
    """Answers each call with the next of its answers, and repeats the last one.

    An answer is a result, bytes to send as they are, an error as `{"error": …}`, or a function of
    the call that returns one of these.
    """

    def __init__(self, path: Path, *answers: Any) -> None:
        self.path = path
        self.answers = list(answers)
        self.calls: list[dict[str, Any]] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._listener.bind(str(self.path))
        self._listener.listen(16)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    @property
    def call(self) -> dict[str, Any]:
        """The only call."""
        assert len(self.calls) == 1
        return self.calls[0]

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    answer = self._answer(json.loads(line))
                    connection.sendall(answer)
                    if answer == HANG_UP:
                        break

    def _answer(self, call: dict[str, Any]) -> bytes:
        self.calls.append(call)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Callable):
            answer = answer(call)
        if isinstance(answer, bytes):
            return answer
        said = answer if "error" in answer else {"result": answer}
        return json.dumps({"jsonrpc": "2.0", "id": call["id"], **said}).encode() + b"\n"


def ash_sb(
    *arguments: str | bytes,
    socket_path: Path | str | None = None,
    stdin: str | bytes = "",
    client: list[str] = CLIENT,
    folder: Path | str = "/",
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run the client to its end, in a folder, in an environment with nothing else in it."""
    if socket_path is not None:
        environment["ASH_RPC_SOCKET"] = str(socket_path)
    environment.setdefault("PATH", os.environ["PATH"])
    done = subprocess.run(
        [*client, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env=environment,
        timeout=120,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def error(kind: str, code: int = 200, message: str = "It is not so", **data: Any) -> dict[str, Any]:
    """Return an error in the daemon's form."""
    data = {"kind": kind, "hint": "Mend it.", "retryable": False, **data}
    return {"error": {"code": code, "message": message, "data": data}}


def memory(**changes: Any) -> dict[str, Any]:
    """A memory as the interface describes it."""
    return {
        "id": "3f2a1c2e-9c1d-4f0a-8a3e-0d6f5c1b2a3d",
        "version": 1,
        "content": "Sarah is allergic to peanuts",
        "memory_type": "knowledge",
        "created_at": "2026-02-09T10:00:00.123456Z",
        "observed_at": None,
        "owner_user_id": "123",
        "chat_id": None,
        "subject_person_ids": ["81bb0265-77aa-4d0c-9d5b-7f0a3a1c9f10"],
        "source": "rpc",
        "source_username": "david",
        "source_display_name": "David",
        "source_session_id": None,
        "source_message_id": None,
        "extraction_confidence": None,
        "sensitivity": "public",
        "portable": True,
        "expires_at": None,
        "superseded_at": None,
        "superseded_by_id": None,
        "archived_at": None,
        "archive_reason": None,
        "metadata": {},
        "revision": 1,
        "provider": "telegram",
        "valid_from": None,
        "valid_until": None,
        "tags": [],
        "last_accessed_at": None,
        "access_count": 0,
        **changes,
    }


def person(**changes: Any) -> dict[str, Any]:
    """A person as the interface describes it."""
    at = "2026-02-09T10:00:00Z"
    return {
        "id": "81bb0265-77aa-4d0c-9d5b-7f0a3a1c9f10",
        "version": 1,
        "created_by": "telegram:123",
        "name": "Sarah",
        "relationships": [{"relationship": "wife", "stated_by": "David", "created_at": at}],
        "aliases": [{"value": "Sally", "added_by": "David", "created_at": at}],
        "accounts": [{"provider": "telegram", "user_id": "456"}],
        "merged_into": None,
        "metadata": {},
        "created_at": at,
        "updated_at": at,
        **changes,
    }


def message(**changes: Any) -> dict[str, Any]:
    """A message of a conversation as the interface describes it."""
    return {
        "id": "0b7c2f7e-6a57-4f0e-9b06-1d1d3b1f6f3a",
        "external_id": "m7",
        "conversation_id": "s1",
        "index": 7,
        "role": "user",
        "speaker": "David",
        "content": "We fly to Lisbon in May",
        "at": "2026-02-09T10:00:00Z",
        "token_count": 6,
        **changes,
    }
