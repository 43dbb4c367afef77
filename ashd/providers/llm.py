"""A language model behind any OpenAI-compatible endpoint, through the `openai` client.

Owns the client, the circuit breaker before it, and what the endpoint was found to refuse. What must
always hold: every failure leaves as LlmUnavailable; no error and no log holds the key, the address,
a prompt or an answer; every call is counted, and none is made above the day's ceiling. The client
is imported before the first call, since that takes most of a second.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

import anyio
import anyio.to_thread
import msgspec

from ashd import errors
from ashd.config import Llm
from ashd.providers import structured
from ashd.providers.breaker import Breaker
from ashd.providers.openai_client import Failure, api_key, explain
from ashd.providers.streamed import Delta, Reading
from ashd.token_estimate import estimate

RETRY_WAITS_SECONDS: Final = (1.0, 2.0, 4.0)
LONGEST_WAIT_SECONDS: Final = 60.0
"""What an endpoint may ask to be left alone for within one call; for longer the call fails."""
_REPEATED_CHARS: Final = 8_000
"""So much of a wrong answer is shown to the model that is to mend it."""

_BROKEN_OFF: Final = Failure("broke off its answer", transient=True)

T = TypeVar("T", bound=msgspec.Struct)
_Result = TypeVar("_Result")
Sleep = Callable[[float], Awaitable[None]]
Message = Mapping[str, Any]
State = Literal["ready", "unauthorised", "ceiling", "unreachable"]


class Spent:
    """The tokens of the calls that were made within `metered`."""

    tokens: int = 0


_spent: ContextVar[Spent | None] = ContextVar("_spent", default=None)


@contextmanager
def metered() -> Iterator[Spent]:
    """Count the tokens of what is asked inside, by this task and those that it starts."""
    spent = Spent()
    token = _spent.set(spent)
    try:
        yield spent
    finally:
        _spent.reset(token)


class Usage(Protocol):
    """Counts calls and tokens by task and day."""

    @property
    def tokens_today(self) -> int:
        """Tokens sent and received since midnight, UTC."""
        ...

    def count(self, task: str, sent: int, received: int) -> None:
        """Note one call that was answered."""
        ...


class LanguageModel:
    """Asks the endpoint of `[llm]`. For one event loop."""

    def __init__(
        self,
        settings: Llm,
        usage: Usage,
        *,
        breaker: Breaker | None = None,
        sleep: Sleep = anyio.sleep,
        retry_waits_seconds: Sequence[float] = RETRY_WAITS_SECONDS,
    ) -> None:
        """Nothing is read, imported or asked yet."""
        self._settings = settings
        self._usage = usage
        self._breaker = breaker or Breaker()
        self._sleep = sleep
        self._retry_waits_seconds = tuple(retry_waits_seconds)
        self._connecting = anyio.Lock()
        self._client: Any = None
        self._unauthorised = False
        self._refused: dict[tuple[str, str], int] = {}
        """How many of the ways of asking a model were found to be refused, by way and model."""

    @property
    def state(self) -> State:
        """Whether a call would be made now, and if not, why."""
        if self._unauthorised:
            return "unauthorised"
        if self._at_ceiling():
            return "ceiling"
        return "unreachable" if self._breaker.pausing else "ready"

    def model_of(self, task: str) -> str:
        """The endpoint's name of the model for a task."""
        models = {str(name): model for name, model in self._settings.models.items()}
        model = models.get(task) or self._settings.model
        assert model is not None, "a section without a model is no language model"
        return model

    async def ask(
        self, task: str, system: str, user: str, answer: type[T], *, retries: bool = True
    ) -> T:
        """The model's answer to one question, of the type `answer`.

        Fields of `answer` that have a default may be missing from what the model writes; give none
        to a field whose absence is a mistake. `retries` False makes one try at each request.

        Raises:
            errors.MalformedAnswer: two answers in a row had another form.
            errors.LlmUnavailable: there is no answer; its `reason` says why.
        """
        schema = structured.schema(answer)
        messages: list[Message] = [
            {"role": "system", "content": f"Task: {task}\n{system}"},
            {"role": "user", "content": user},
        ]
        text = await self._answer(task, messages, schema, retries=retries)
        try:
            return structured.read(text, answer)
        except structured.Fault as fault:
            messages += _repair(text, fault, schema)
        text = await self._answer(task, messages, schema, retries=retries)
        try:
            return structured.read(text, answer)
        except structured.Fault as fault:
            raise errors.MalformedAnswer(
                f"The language model's answer to {task}: {fault}."
            ) from None

    async def stream(
        self, task: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncIterator[Delta]:
        """An answer as it is written; the calls of tools come last, each complete.

        Raises:
            errors.LlmUnavailable: there is no answer, or it broke off; its `reason` says why.
        """
        model = self.model_of(task)
        # Some endpoints refuse to count tokens in a stream, some models know no tools.
        ways = [{"stream_options": {"include_usage": True}, "tools": list(tools)}]
        ways += [{"tools": list(tools)}, {}]
        if not tools:
            ways = [{"stream_options": {"include_usage": True}}, {}]

        async def begin(way: Mapping[str, Any]) -> Any:
            client = await self._connected()
            return await client.chat.completions.create(
                model=model, messages=messages, stream=True, **way
            )

        chunks = await self._first_accepted("stream", model, ways, begin, retries=True)
        reading = Reading()
        try:
            async for chunk in chunks:
                if text := reading.take(chunk):
                    yield Delta(text)
        except Exception:  # noqa: BLE001  the client's errors and the transport's
            raise self._failed(_BROKEN_OFF) from None
        finally:
            with anyio.CancelScope(shield=True):
                await chunks.close()
            self._count(task, reading.usage, messages, reading.written)
        if not reading.finished:
            raise self._failed(_BROKEN_OFF)
        self._succeeded()
        if calls := reading.tool_calls():
            yield Delta(tool_calls=calls)

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _answer(
        self, task: str, messages: list[Message], schema: dict[str, Any], *, retries: bool
    ) -> str:
        """The text of one completion, asked for in the strictest way that the endpoint takes."""
        model = self.model_of(task)
        named = {"name": task, "schema": schema, "strict": True}
        described = [*messages, {"role": "system", "content": _described(schema)}]
        ways: list[dict[str, Any]] = [
            {
                "messages": messages,
                "response_format": {"type": "json_schema", "json_schema": named},
            },
            {"messages": described, "response_format": {"type": "json_object"}},
            {"messages": described},
        ]

        async def complete(way: Mapping[str, Any]) -> str:
            client = await self._connected()
            with anyio.fail_after(self._settings.timeout_s):
                made = await client.chat.completions.create(model=model, **way)
            text = _text(made)
            self._count(task, made.usage, messages, text)
            return text

        text = await self._first_accepted("ask", model, ways, complete, retries=retries)
        self._succeeded()
        return text

    async def _first_accepted(
        self,
        kind: str,
        model: str,
        ways: Sequence[Mapping[str, Any]],
        send: Callable[[Mapping[str, Any]], Awaitable[_Result]],
        *,
        retries: bool,
    ) -> _Result:
        """The result of the first way of asking that is not refused; later calls begin there.

        What is refused in every way is a fault of the request, and says nothing of the ways.
        """
        first = min(self._refused.get((kind, model), 0), len(ways) - 1)
        for number in range(first, len(ways)):
            try:
                result = await self._guarded(ways[number], send, retries=retries)
            except Failure as failure:
                if not failure.of_request or number == len(ways) - 1:
                    raise self._failed(failure) from None
            else:
                self._refused[kind, model] = number
                return result
        raise AssertionError("the last way returns or raises")

    async def _guarded(
        self,
        way: Mapping[str, Any],
        send: Callable[[Mapping[str, Any]], Awaitable[_Result]],
        *,
        retries: bool,
    ) -> _Result:
        """One request behind the ceiling and the breaker, with waits between the tries.

        Raises:
            Failure: the last try's.
            errors.LlmUnavailable: it was not asked.
        """
        for wait in (*(self._retry_waits_seconds if retries else ()), None):
            self._require_admitted()
            try:
                return await send(way)
            except TimeoutError:
                failure = Failure("did not answer in time", transient=True)
            except Exception as error:  # noqa: BLE001  its parsers' errors come through as they are
                failure = error if isinstance(error, Failure) else explain(error)
            pause = max(wait or 0.0, failure.retry_after_seconds or 0.0)
            if wait is None or not failure.transient or pause > LONGEST_WAIT_SECONDS:
                raise failure
            self._breaker.failed()
            await self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _require_admitted(self) -> None:
        if self._at_ceiling():
            raise errors.LlmUnavailable(
                f"The language model used the {self._settings.max_tokens_per_day:,} tokens that it"
                " may use a day.",
                "It is asked again after midnight UTC; [llm] max_tokens_per_day raises the limit.",
                reason="ceiling",
            )
        if not self._breaker.admits():
            raise errors.LlmUnavailable(
                "The language model's endpoint failed several times in a row and is left alone for"
                " a minute.",
                _UNAUTHORISED_HINT if self._unauthorised else _UNREACHABLE_HINT,
                reason="unauthorised" if self._unauthorised else "unreachable",
            )

    def _at_ceiling(self) -> bool:
        ceiling = self._settings.max_tokens_per_day
        return ceiling is not None and self._usage.tokens_today >= ceiling

    def _succeeded(self) -> None:
        self._unauthorised = False
        self._breaker.succeeded()

    def _failed(self, failure: Failure) -> errors.LlmUnavailable:
        """Note a failure; the error for the caller."""
        message = f"The language model's endpoint {failure.reason}."
        if failure.of_request:
            # It works, and a probe that it answers so is a success.
            self._succeeded()
            return errors.LlmUnavailable(message, _REFUSED_HINT, reason="refused")
        if failure.unauthorised:
            # The file may hold another key by the next call.
            self._client = None
            self._unauthorised = True
            self._breaker.trip()
            return errors.LlmUnavailable(message, _UNAUTHORISED_HINT, reason="unauthorised")
        self._breaker.failed()
        return errors.LlmUnavailable(message, _UNREACHABLE_HINT, reason="unreachable")

    def _count(self, task: str, usage: Any, messages: Sequence[Message], written: str) -> None:
        """Count a call by what the endpoint says it took, else by our own estimate."""
        sent = getattr(usage, "prompt_tokens", None)
        received = getattr(usage, "completion_tokens", None)
        if not isinstance(sent, int) or not isinstance(received, int):
            sent = sum(estimate(str(message.get("content") or "")) for message in messages)
            received = estimate(written)
        self._usage.count(task, max(sent, 0), max(received, 0))
        if (spent := _spent.get()) is not None:
            spent.tokens += max(sent, 0) + max(received, 0)

    async def _connected(self) -> Any:
        async with self._connecting:
            if self._client is None:
                self._client = await anyio.to_thread.run_sync(self._new_client)
            return self._client

    def _new_client(self) -> Any:
        import openai  # noqa: PLC0415  most of a second, for those only who use it

        file = self._settings.api_key_file
        try:
            key = api_key(Path(file).expanduser() if file else None)
        except (OSError, UnicodeDecodeError):
            raise Failure("needs a key, and its file cannot be read", unauthorised=True) from None
        if key is None and self._settings.base_url is None:
            raise Failure("needs a key, and there is none", unauthorised=True)
        # Tries and waits are counted here, before the breaker, so the client makes one.
        # An endpoint of one's own may need no key; the client insists on some text.
        return openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=self._settings.base_url,
            max_retries=0,
            timeout=self._settings.timeout_s,
        )


_UNAUTHORISED_HINT: Final = (
    "Put a valid key into [llm] api_key_file, or into OPENAI_API_KEY and start the daemon again."
)
_UNREACHABLE_HINT: Final = "Check [llm] base_url and model in config.toml, and the endpoint itself."
_REFUSED_HINT: Final = "The request may be too long for the model; name another in [llm]."


def _text(made: Any) -> str:
    """The text of a completion; a list of tool calls or a refusal has none."""
    try:
        content = made.choices[0].message.content
    except (AttributeError, IndexError, TypeError):
        raise Failure("sent an answer that is no completion") from None
    return content if isinstance(content, str) else ""


def _described(schema: Mapping[str, Any]) -> str:
    text = msgspec.json.encode(schema).decode()
    return f"Answer with one JSON object and nothing else. It conforms to this JSON schema: {text}"


def _repair(text: str, fault: structured.Fault, schema: Mapping[str, Any]) -> list[Message]:
    return [
        {"role": "assistant", "content": text[:_REPEATED_CHARS]},
        {"role": "user", "content": f"This answer is wrong: {fault}. {_described(schema)}"},
    ]
