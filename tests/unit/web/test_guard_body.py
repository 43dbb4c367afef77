"""The guard's patience with a body that never comes."""

from typing import Any

import anyio
import pytest

from ashd.web import guard
from ashd.web.guard import Guard
from ashd.web.sessions import COOKIE, Sessions

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_late_body_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A form that stops half-way holds no place for ever."""
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.01)
    sent: list[dict[str, Any]] = []
    sessions = Sessions()
    cookie = sessions.log_in(sessions.login_token)

    async def reading(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()

    async def never() -> Any:
        await anyio.sleep_forever()

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

    await Guard(reading, unsigned=reading, host="a.test:1", sessions=sessions)(scope, never, send)

    assert sent[0]["status"] == 408
