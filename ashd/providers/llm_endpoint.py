"""The endpoint of `[llm]`: one client, guarded by the day's ceiling and a circuit breaker.

Owns the client and its key, the breaker, and the waits between tries. What must always hold: every
failure is raised as LlmUnavailable, and is recorded here before that; nothing is asked above the
ceiling or while the breaker pauses. The client is imported by `preload` or the first call: it takes
most of a second.
"""

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

import anyio
import anyio.to_thread

from ashd import errors
from ashd.config import Llm
from ashd.providers import context_window
from ashd.providers.breaker import Breaker
from ashd.providers.openai_client import BROKEN_OFF, Failure, api_key, explain

RETRY_WAITS_SECONDS: Final = (1.0, 2.0, 4.0)
LONGEST_WAIT_SECONDS: Final = 60.0
"""The longest wait that an endpoint may ask for within one call; a longer one fails the call."""
_WINDOW_SECONDS: Final = 5.0

_UNAUTHORISED_HINT: Final = (
    "Put a valid key into [llm] api_key_file, or into OPENAI_API_KEY and start the daemon again."
)
_UNREACHABLE_HINT: Final = "Check [llm] base_url and model in config.toml, and the endpoint itself."
_REFUSED_HINT: Final = "The request may be too long for the model; name another in [llm]."

_Result = TypeVar("_Result")
Sleep = Callable[[float], Awaitable[None]]
State = Literal["untried", "ready", "unauthorised", "ceiling", "unreachable"]


class Usage(Protocol):
    """Counts calls and tokens by task and day."""

    @property
    def tokens_today(self) -> int:
        """Tokens sent and received since midnight, UTC."""
        ...

    def count(self, task: str, sent: int, received: int) -> None:
        """Note one call that was answered."""
        ...


def preload() -> None:
    """Import the client ahead of the first call."""
    import openai  # noqa: F401, PLC0415  only loads it: that takes most of a second


class LlmEndpoint:
    """Sends requests, and tracks the state of the endpoint. For one event loop."""

    def __init__(
        self,
        settings: Llm,
        usage: Usage,
        *,
        breaker: Breaker,
        sleep: Sleep,
        retry_waits_seconds: Sequence[float],
    ) -> None:
        """Reads, imports and asks nothing yet."""
        self._settings = settings
        self._usage = usage
        self._breaker = breaker
        self._sleep = sleep
        self._retry_waits_seconds = tuple(retry_waits_seconds)
        self._connecting = anyio.Lock()
        self._turn = anyio.Lock()
        self._one_at_a_time = False
        """Whether the endpoint breaks off an answer when the next request comes."""
        self._begun = 0
        """The number of requests that were begun."""
        self._client: Any = None
        self._unauthorised = False
        self._answered = False

    def configure(self, settings: Llm) -> bool:
        """Apply another budget; return False if endpoint, key or time limit are others."""
        before = self._settings
        same = ("base_url", "api_key_file", "timeout_s")
        if any(getattr(before, name) != getattr(settings, name) for name in same):
            return False
        self._settings = settings
        return True

    @property
    def state(self) -> State:
        """Return the state: whether a call would be made now, or why not; at first "untried"."""
        if self._unauthorised:
            return "unauthorised"
        if self._at_ceiling():
            return "ceiling"
        if self._breaker.pausing:
            return "unreachable"
        return "ready" if self._answered else "untried"

    async def send(
        self,
        request: Callable[[Any], Awaitable[_Result]],
        *,
        retries: bool = True,
        crash_ends: bool = False,
    ) -> _Result:
        """Return the result of a request made with the client; transient failures are tried again.

        With `crash_ends` a crash of the server (500) is not.

        Raises:
            Failure: the last try's; `failed` makes an error of it.
            errors.LlmUnavailable: nothing was asked.
        """
        for number, wait in enumerate((*(self._retry_waits_seconds if retries else ()), None)):
            self._require_admitted(asked=number > 0)
            try:
                return await self._in_turn(request)
            except TimeoutError:
                failure = Failure("did not answer in time", transient=True)
            except Exception as error:  # noqa: BLE001  the client lets errors of its parsers through
                failure = error if isinstance(error, Failure) else explain(error)
            pause = max(wait or 0.0, failure.retry_after_seconds or 0.0)
            is_last = wait is None or (crash_ends and failure.is_crash)
            if is_last or not failure.transient or pause > LONGEST_WAIT_SECONDS:
                raise failure
            self._breaker.failed()
            await self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _in_turn(self, request: Callable[[Any], Awaitable[_Result]]) -> _Result:
        """Return the result of a request, which waits for the others if it must.

        A server of one model, such as llama-cpp-python's, may break off the answer that it writes
        when the next request comes: jobs side by side would end each other's answers for ever.
        """
        async with self._turn if self._one_at_a_time else nullcontext():
            client = await self._connected()
            self._begun += 1
            begun = self._begun
            try:
                return await request(client)
            except TimeoutError:
                raise
            except Exception as error:
                failure = error if isinstance(error, Failure) else explain(error)
                if failure is BROKEN_OFF and self._begun > begun:
                    self._one_at_a_time = True
                raise

    async def window_of(self, model: str) -> int | None:
        """Return the window of a model in tokens, if the endpoint states it."""
        base_url = self._base_url()
        if base_url is None or self.state not in {"untried", "ready"}:
            return None

        async def get(address: str) -> Any:
            client = await self._connected()
            with anyio.fail_after(_WINDOW_SECONDS):
                return await client.get(address, cast_to=object)

        return await context_window.stated(base_url, model, get)

    def succeeded(self) -> None:
        """Note that the endpoint answered."""
        self._unauthorised = False
        self._answered = True
        self._breaker.succeeded()

    def ask_again(self) -> None:
        """End a pause after failures: somebody has mended the endpoint or its key."""
        self._breaker.succeeded()

    def failed(self, failure: Failure) -> errors.LlmUnavailable:
        """Note a failure, and return the error for the caller."""
        message = f"The language model's endpoint {failure.reason}."
        if failure.of_request:
            # This failure shows that it works: a probe that gets it has succeeded.
            self.succeeded()
            return errors.LlmUnavailable(message, _REFUSED_HINT, reason="refused")
        if failure.unauthorised:
            self._unauthorised = True
            self._breaker.trip()
            return errors.LlmUnavailable(message, _UNAUTHORISED_HINT, reason="unauthorised")
        self._breaker.failed()
        return errors.LlmUnavailable(message, _UNREACHABLE_HINT, reason="unreachable")

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _require_admitted(self, *, asked: bool) -> None:
        """Refuse a try while the endpoint is paused; `asked`: whether an earlier try was made."""
        if self._at_ceiling():
            raise errors.LlmUnavailable(
                f"The language model used the {self._settings.max_tokens_per_day:,} tokens that it"
                " may use a day.",
                "It is asked again after midnight UTC; [llm] max_tokens_per_day raises the limit.",
                reason="ceiling",
                asked=asked,
            )
        if not self._breaker.admits():
            why = "refused the key" if self._unauthorised else "failed several times in a row"
            raise errors.LlmUnavailable(
                f"The language model's endpoint {why} and is left alone for a minute.",
                _UNAUTHORISED_HINT if self._unauthorised else _UNREACHABLE_HINT,
                reason="unauthorised" if self._unauthorised else "unreachable",
                asked=asked,
            )

    def _base_url(self) -> str | None:
        return self._settings.base_url or os.environ.get("OPENAI_BASE_URL") or None

    def _at_ceiling(self) -> bool:
        ceiling = self._settings.max_tokens_per_day
        return ceiling is not None and self._usage.tokens_today >= ceiling

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._unauthorised:
                # The file may hold another key by now.
                await self.close()
            if self._client is None:
                self._client = await anyio.to_thread.run_sync(
                    self._new_client, abandon_on_cancel=True
                )
            return self._client

    def _new_client(self) -> Any:
        import openai  # noqa: PLC0415  takes most of a second: only loaded where used

        base_url = self._base_url()
        file = self._settings.api_key_file
        try:
            key = api_key(Path(file).expanduser() if file else None)
        except (OSError, UnicodeDecodeError):
            raise Failure("needs a key, and its file cannot be read", unauthorised=True) from None
        if key is None and base_url is None:
            raise Failure("needs a key, and there is none", unauthorised=True)
        # Tries and waits are counted here, before the breaker, so the client makes only one try. A
        # local endpoint may need no key, but the client insists on some text.
        return openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=self._settings.timeout_s,
        )
