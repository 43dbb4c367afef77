"""A language model: typed answers and streamed ones from any OpenAI-compatible endpoint.

Owns the record of what each model refused (strict schemas, JSON mode, tools). What must always
hold: every call is counted; an answer that misses a field is asked for once more, then it is an
error; no error and no log holds a prompt or an answer.
"""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
import msgspec

from ashd import errors
from ashd.config import Llm
from ashd.language.template_tokens import defuse
from ashd.prometheus_text import ModelCalls
from ashd.providers import metering, structured
from ashd.providers.breaker import Breaker
from ashd.providers.llm_endpoint import RETRY_WAITS_SECONDS, LlmEndpoint, Sleep, State, Usage
from ashd.providers.openai_client import BROKEN_OFF, Failure
from ashd.providers.streamed import NO_COMPLETION, Delta, Reading, whole_body
from ashd.providers.structured import Written
from ashd.token_estimate import estimate

ANSWER_TOKENS: Final = 4_096
"""The longest answer: a model that has lost itself would go on to the end of its window."""
LONGEST_ANSWER_CHARS: Final = 400_000
"""More than ANSWER_TOKENS can be: the endpoint does not keep to its limit."""
_ESTIMATED: Final = 0.9
"""The part of a window that is filled by our estimate of tokens, which may be too low."""
_LEAST_ROOM: Final = 128
_ASK_WINDOW_AGAIN_SECONDS: Final = 600.0
_FIRST_PIECE_FACTOR: Final = 5
"""The first piece of an answer may take longer: before it the model reads the question."""
_MOST_CRASHES: Final = 3
"""A server may crash for other reasons, but hardly each time over the same format."""
_QUESTIONS: Final = 2
"""The question, and once more with the fault of the answer."""
_REFUSAL: Final = "it is a refusal"
_COUNTED: Final = {"include_usage": True}

T = TypeVar("T", bound=msgspec.Struct)
_Result = TypeVar("_Result")
Message = Mapping[str, Any]


class LanguageModel:
    """Asks the models of `[llm]`. For one event loop."""

    def __init__(
        self,
        settings: Llm,
        usage: Usage,
        *,
        breaker: Breaker | None = None,
        sleep: Sleep = anyio.sleep,
        calls: ModelCalls | None = None,
        retry_waits_seconds: Sequence[float] = RETRY_WAITS_SECONDS,
    ) -> None:
        """Reads, imports and asks nothing yet."""
        self._settings = settings
        self._usage = usage
        self._calls = calls or ModelCalls()
        self._endpoint = LlmEndpoint(
            settings,
            usage,
            breaker=breaker or Breaker(),
            sleep=sleep,
            retry_waits_seconds=retry_waits_seconds,
        )
        self._first_way: dict[tuple[str, str], int] = {}
        """The index of the first way of asking that is not refused, by kind and model."""
        self._crashes: Counter[tuple[str, str]] = Counter()
        """The number of answers that came only after a crash over another way of asking."""
        self._left_out: defaultdict[str, set[str]] = defaultdict(set)
        """The optional fields that each model refused."""
        self._windows: dict[str, tuple[float, int | None]] = {}
        """The window that the endpoint states for each model, and when it was asked."""
        self._has_answered = False
        """Whether a model has answered, and so is loaded."""
        self._slow_windows: set[str] = set()
        """The models whose window the endpoint has not stated yet since it was asked."""

    @property
    def state(self) -> State:
        """Return the state: whether a call would be made now, or why not; at first "untried"."""
        return self._endpoint.state

    @property
    def model(self) -> str:
        """The endpoint's name of the model, for every task without its own."""
        assert self._settings.model is not None, "a section without a model is no language model"
        return self._settings.model

    @property
    def graph(self) -> bool | None:
        """Whether it is asked for entities and relations; None: together with the facts."""
        return self._settings.graph

    @property
    def max_tokens_per_day(self) -> int | None:
        """The day's ceiling."""
        return self._settings.max_tokens_per_day

    def configure(self, settings: Llm) -> bool:
        """Apply other models, time limits and budgets; return False if the endpoint is another."""
        if not settings.model or not self._endpoint.configure(settings):
            return False
        self._settings = settings
        self._windows.clear()
        return True

    def model_of(self, task: str) -> str:
        """Return the endpoint's name of the model for a task."""
        models = {str(name): model for name, model in self._settings.models.items()}
        return models.get(task) or self.model

    async def room(self, task: str, system: str, schema: Mapping[str, Any]) -> int | None:
        """Return the tokens of a question that leave room for the answer; None: no known limit."""
        window = await self._window(task)
        if window is None:
            return None
        asked = estimate(system) + estimate(msgspec.json.encode(schema).decode())
        return max(int(window * _ESTIMATED) - _answer_tokens(window) - asked, _LEAST_ROOM)

    async def ask(
        self, task: str, system: str, user: str, answer: type[T], *, retries: bool = True
    ) -> T:
        """Return the model's answer to one question, of the type `answer`.

        Fields of `answer` with a default may be missing from the model's text; give no default to a
        field whose absence is a mistake. `retries` False makes one try at each request.

        Raises:
            errors.MalformedAnswer: two answers in a row had another form.
            errors.LlmUnavailable: there is no answer; its `reason` says why.
        """

        def read(written: Written) -> T:
            return structured.read(written.text, answer)

        schema = structured.schema(answer)
        return await self.ask_for(task, system, user, schema, read, retries=retries)

    async def ask_for(
        self,
        task: str,
        system: str,
        user: str,
        schema: Mapping[str, Any],
        read: Callable[[Written], _Result],
        *,
        retries: bool = True,
    ) -> _Result:
        """Return what `read` finds in the model's answer to one question, asked for by a schema.

        `read` runs in a thread. If it raises a Fault, the model is asked once more, and told of it.

        Raises:
            errors.MalformedAnswer: nothing was found in two answers.
            errors.LlmUnavailable: there is no answer; its `reason` says why.
        """
        with self._calls.timed(task):
            return await self._ask(task, system, user, schema, read, retries=retries)

    async def _ask(
        self,
        task: str,
        system: str,
        user: str,
        schema: Mapping[str, Any],
        read: Callable[[Written], _Result],
        *,
        retries: bool,
    ) -> _Result:
        messages: list[Message] = [
            {"role": "system", "content": f"Task: {task}\n{system}"},
            {"role": "user", "content": defuse(user)},
        ]
        why = ""
        for _ in range(_QUESTIONS):
            written = await self._answer(task, messages, schema, retries=retries)
            try:
                return await anyio.to_thread.run_sync(read, written)
            except structured.Fault as fault:
                why = _REFUSAL if written.is_refusal else str(fault)
            messages += structured.repair(written.text, why, schema)
        raise errors.MalformedAnswer(f"The language model's answer to {task}: {why}.")

    async def stream(
        self, task: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncIterator[Delta]:
        """Yield an answer as it is written; the calls of tools come last, each complete.

        Raises:
            errors.LlmUnavailable: there is no answer, or it broke off; its `reason` says why.
        """
        # Some models refuse tools.
        ways: list[dict[str, Any]] = [{"tools": list(tools)}, {}] if tools else [{}]

        async def begin(client: Any, way: Mapping[str, Any]) -> Any:
            counted = self._optional(task, stream_options=_COUNTED)
            return await client.chat.completions.create(
                model=self.model_of(task), messages=messages, stream=True, **counted, **way
            )

        chunks = await self._first_accepted("stream", task, ways, begin)
        reading = Reading()
        try:
            if (body := await whole_body(chunks.response)) is not None:
                reading.take_whole(body)
                yield Delta(reading.text)
            else:
                async for chunk in chunks:
                    if text := reading.take(chunk):
                        yield Delta(text)
        except Exception:  # noqa: BLE001  any error of client or transport ends the answer
            raise self._endpoint.failed(BROKEN_OFF) from None
        finally:
            with anyio.CancelScope(shield=True):
                await chunks.close()
            self._count(task, reading, messages)
        if reading.finish_reason is None:
            raise self._endpoint.failed(BROKEN_OFF)
        self._endpoint.succeeded()
        if calls := reading.tool_calls():
            yield Delta(tool_calls=calls)

    def ask_again(self) -> None:
        """Let the next call ask, whatever failed before; a refused key is read anew."""
        self._endpoint.ask_again()

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        await self._endpoint.close()

    async def _window(self, task: str, *, hurry: bool = False) -> int | None:
        """Return the window of a task's model: as it is configured, else as the endpoint says.

        An endpoint that does not say it may do so later, and surely may after its first answer,
        since then the model is loaded. One that took longer than a caller had time is not asked in
        a hurry again.
        """
        if self._settings.context_tokens is not None:
            return self._settings.context_tokens
        model, now = self.model_of(task), anyio.current_time()
        asked_at, window = self._windows.get(model, (-_ASK_WINDOW_AGAIN_SECONDS, None))
        is_due = now - asked_at >= _ASK_WINDOW_AGAIN_SECONDS
        if window is None and is_due and not (hurry and model in self._slow_windows):
            self._slow_windows.add(model)
            window = await self._endpoint.window_of(model)
            self._slow_windows.discard(model)
            self._windows[model] = (now, window)
        return window

    async def _answer(
        self, task: str, messages: list[Message], schema: Mapping[str, Any], *, retries: bool
    ) -> Written:
        """Return one completion, asked for in the strictest accepted way.

        Raises:
            errors.LlmUnavailable: there is no answer.
        """
        strict = {"name": task, "schema": schema, "strict": True}
        # Many models take a system message only at the beginning.
        system, *others = messages
        content = f"{system['content']}\n\n{structured.described(schema)}"
        described = [{"role": "system", "content": content}, *others]
        ways: list[dict[str, Any]] = [
            {
                "messages": messages,
                "response_format": {"type": "json_schema", "json_schema": strict},
            },
            {"messages": described, "response_format": {"type": "json_object"}},
            {"messages": described},
        ]

        most_tokens = _answer_tokens(await self._window(task, hurry=not retries))

        async def complete(client: Any, way: Mapping[str, Any]) -> Reading:
            optional = self._optional(
                task,
                temperature=self._settings.temperature,
                max_tokens=most_tokens,
                stream_options=_COUNTED,
            )
            with anyio.fail_after(self._settings.timeout_s):
                chunks = await client.chat.completions.create(
                    model=self.model_of(task), stream=True, **optional, **way
                )
                return await self._read(task, messages, chunks)

        reading = await self._first_accepted("ask", task, ways, complete, retries=retries)
        self._endpoint.succeeded()
        if not self._has_answered:
            self._has_answered = True
            self._windows = {name: one for name, one in self._windows.items() if one[1]}
        is_cut = reading.finish_reason == "length"
        return Written(reading.answer, is_cut, reading.is_refusal)

    def _optional(self, task: str, **fields: Any) -> dict[str, Any]:
        """Return the fields of a request that the task's model has not refused."""
        left_out = self._left_out[self.model_of(task)]
        return {name: value for name, value in fields.items() if name not in left_out}

    async def _read(self, task: str, messages: Sequence[Message], chunks: Any) -> Reading:
        """Return a streamed answer, once it is complete.

        Raises:
            TimeoutError: no piece of it came for too long.
            Failure: it broke off, or it is no completion.
        """
        idle = self._settings.idle_timeout_s
        reading, pieces, came = Reading(), aiter(chunks), False
        try:
            if (body := await whole_body(chunks.response)) is not None:
                reading.take_whole(body)
                came = True
                return reading
            while True:
                with anyio.fail_after(idle if came else idle * _FIRST_PIECE_FACTOR):
                    chunk = await anext(pieces, None)
                if chunk is None:
                    break
                came = True
                reading.take(chunk)
                if reading.chars > LONGEST_ANSWER_CHARS:
                    reading.finish_reason = "length"
                    break
        except (AttributeError, TypeError, msgspec.MsgspecError):
            raise NO_COMPLETION from None
        finally:
            with anyio.CancelScope(shield=True):
                await chunks.close()
            if came:
                self._count(task, reading, messages)
        if reading.finish_reason is None:
            raise BROKEN_OFF if came else NO_COMPLETION
        return reading

    async def _first_accepted(
        self,
        kind: str,
        task: str,
        ways: Sequence[Mapping[str, Any]],
        request: Callable[[Any, Mapping[str, Any]], Awaitable[_Result]],
        *,
        retries: bool = True,
    ) -> _Result:
        """Return the result of the first way of asking that is not refused; later calls use it.

        If every way is refused, the request is at fault, and nothing is remembered. Some servers
        crash (500) over a format that they do not know. So while no way has worked, the next one is
        tried at once; a way that keeps crashing so is given up.
        """
        key = (kind, self.model_of(task))
        number, crashed = self._first_way.get(key, 0), False
        while True:
            may_crash = key not in self._first_way and number < len(ways) - 1

            def asked(client: Any, way: Mapping[str, Any] = ways[number]) -> Awaitable[_Result]:
                return request(client, way)

            try:
                result = await self._endpoint.send(asked, retries=retries, crash_ends=may_crash)
            except Failure as failure:
                refused = failure.refuses - self._left_out[key[1]] if failure.of_request else None
                if refused:
                    self._left_out[key[1]] |= refused
                    continue
                falls_back = failure.of_request or (failure.is_crash and may_crash)
                if not falls_back or number == len(ways) - 1:
                    raise self._endpoint.failed(failure) from None
                crashed = crashed or failure.is_crash
                number += 1
            else:
                self._crashes[key] += crashed
                if not crashed or self._crashes[key] >= _MOST_CRASHES:
                    self._first_way[key] = number
                return result

    def _count(self, task: str, reading: Reading, messages: Sequence[Message]) -> None:
        """Count a call by the endpoint's figures, else by our own estimate."""
        sent, received = reading.stated_tokens or (
            sum(estimate(str(message.get("content") or "")) for message in messages),
            estimate(reading.written),
        )
        self._usage.count(task, sent, received)
        metering.note(sent + received)


def _answer_tokens(window: int | None) -> int:
    """Return the limit of an answer: at most a third of the window."""
    return ANSWER_TOKENS if window is None else min(ANSWER_TOKENS, window // 3)
