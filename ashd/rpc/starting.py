"""Answer on the control socket while the daemon starts: a greeting, its status, else `starting`.

The socket listens before the database is open, which may take long: an upgrade, a backup before it.
"""

from typing import Any, Final

import anyio
import msgspec

import ashd
from ashd import errors
from ashd.access.actor import OPERATOR_RIGHTS
from ashd.access.scope import Scope
from ashd.clock import to_text
from ashd.ops.llm_status import LanguageModelStatus
from ashd.ops.progress import Progress
from ashd.ops.system import StatusResult
from ashd.rpc import dispatch, envelope
from ashd.rpc.app import App, Session
from ashd.rpc.envelope import Request
from ashd.rpc.hello import HelloParams, HelloResult, greeting
from ashd.rpc.methods import TABLE
from ashd.store.health import Warned

_PATIENCE_SECONDS: Final = 30.0
_WARNING: Final = Warned(
    "starting",
    "The daemon starts: it opens its database, and brings it up to date where that is due.",
    "Wait: calls are answered once it is done. `running` and the log name what takes long.",
)


class Starting:
    """The daemon before its parts are built."""

    def __init__(self, started_at: int, local_user: str, progress: Progress) -> None:
        self._app: App | None = None
        self._is_over = anyio.Event()
        self._patience_s = 0.0
        self._started_at = started_at
        self._user = Scope(provider="local", user_id=local_user)
        self._progress = progress

    def be_waited_for(self) -> None:
        """Make calls wait, because the first of them started the daemon through its socket."""
        self._patience_s = _PATIENCE_SECONDS

    def end(self, app: App) -> None:
        """Answer the waiting calls with these parts."""
        self._app = app
        self._is_over.set()

    async def reply_to(self, session: Session, frame: bytes) -> bytes | None:
        """Return the reply to a frame as one line; None for a notification."""
        reply = self._own_reply(session, frame)
        if not isinstance(reply, dict):
            return reply
        with anyio.move_on_after(self._patience_s):
            await self._is_over.wait()
        if self._app is not None:
            return await dispatch.reply_to(self._app, session, frame)
        return envelope.encode(reply)

    def _own_reply(self, session: Session, frame: bytes) -> bytes | dict[str, Any] | None:
        """Return the reply that needs no parts, or the error of a call that needs them."""
        if envelope.is_batch(frame):
            return envelope.error_reply(_not_yet(), None)
        request = envelope.read(frame, session.limits)
        if not isinstance(request, Request):
            return envelope.encode(request)
        if request.id is msgspec.UNSET:
            return None
        result = self._result(session, request)
        if result is None:
            return envelope.error_reply(_not_yet(), request.id)
        return envelope.encode({"jsonrpc": "2.0", "result": result, "id": request.id})

    def _result(self, session: Session, request: Request) -> StatusResult | HelloResult | None:
        """Return the answer to a call that needs no parts."""
        if request.method == "system.status":
            return self._status()
        if request.method != "session.hello" or not isinstance(request.params, dict):
            return None
        try:
            hello = msgspec.convert(request.params, HelloParams)
        except msgspec.ValidationError:
            return None
        if hello.token is not None or hello.bind or hello.client is None:
            return None
        session.client = hello.client
        session.read_only |= hello.read_only
        return greeting(TABLE, session, self._user, OPERATOR_RIGHTS, "loading")

    def _status(self) -> StatusResult:
        return StatusResult(
            version=ashd.__version__,
            state="starting",
            started_at=to_text(self._started_at) or "",
            embedder="loading",
            model=None,
            waiting_for_vectors=None,
            building=None,
            language_model=LanguageModelStatus("untried"),
            memory_on=None,
            warnings=[_WARNING],
            running=self._progress.running,
        )


def _not_yet() -> errors.Starting:
    return errors.Starting("The daemon is starting.")
