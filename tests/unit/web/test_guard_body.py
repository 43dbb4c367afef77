"""The guard's patience with a body that never comes."""

from typing import Any

import anyio
import pytest

from ashd.web import guard
from ashd.web.guard import Guard
from ashd.web.sessions import COOKIE, Sessions


async def answered(app: Any, *parts: dict[str, Any]) -> list[int]:
    """The status of the answer to a form whose body comes in these parts; after them nothing."""
    sent: list[dict[str, Any]] = []
    sessions = Sessions()
    cookie = sessions.log_in(sessions.login_token)
    waiting = list(parts)

    async def receive() -> Any:
        if not waiting:
            await anyio.sleep_forever()
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {
        "host": "a.test:1",
        "origin": "http://a.test:1",
        "content-type": "application/x-www-form-urlencoded",
        "content-length": "10",
        "cookie": f"{COOKIE}={cookie}",
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/sync",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await Guard(app, unsigned=app, host="a.test:1", sessions=sessions)(scope, receive, send)
    return [message["status"] for message in sent if "status" in message]


async def test_late_body_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A form that stops half-way holds no place for ever, whatever of it came."""
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.01)

    async def reading(_scope: Any, receive: Any, _send: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    assert await answered(reading) == [408]
    assert await answered(reading, {"body": b"a", "more_body": True}) == [408]


async def test_messages_after_a_body_have_no_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that waits for its reader to go is not late."""
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.01)

    async def waiting(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()
        with anyio.move_on_after(0.05):
            await receive()

    assert await answered(waiting, {"body": b"a"}) == []
