"""A language model: typed answers and streamed ones from any OpenAI-compatible endpoint.

Owns the record of what each model refused (strict schemas, JSON mode, tools). What must always
hold: every call is counted; an answer that misses a field is asked for once more, then it is an
error; no error and no log holds a prompt or an answer.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

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
from ashd.providers.openai_client import Failure
from ashd.providers.streamed import Delta, Reading
from ashd.providers.structured import Written
from ashd.token_estimate import estimate

_REPEATED_CHARS: Final = 8_000
"""Characters of a wrong answer that are shown to the model for repair."""
ANSWER_TOKENS: Final = 4_096
"""The longest answer: a model that has lost itself would go on to the end of its window."""
_BROKEN_OFF: Final = Failure("broke off its answer", transient=True)

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
        self._left_out: defaultdict[str, set[str]] = defaultdict(set)
        """The optional fields that each model refused."""

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
    def max_tokens_per_day(self) -> int | None:
        """The day's ceiling."""
        return self._settings.max_tokens_per_day

    def configure(self, settings: Llm) -> bool:
        """Apply other models, time limits and budgets; return False if the endpoint is another."""
        if not settings.model or not self._endpoint.configure(settings):
            return False
        self._settings = settings
        return True

    def model_of(self, task: str) -> str:
        """Return the endpoint's name of the model for a task."""
        models = {str(name): model for name, model in self._settings.models.items()}
        return models.get(task) or self.model

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

        return await self.ask_for(task, system, user, answer, read, retries=retries)

    async def ask_for(
        self,
        task: str,
        system: str,
        user: str,
        form: type[msgspec.Struct],
        read: Callable[[Written], _Result],
        *,
        retries: bool = True,
    ) -> _Result:
        """Return what `read` finds in the model's answer to one question, asked for in a form.

        `read` runs in a thread. If it raises a Fault, the model is asked once more, and told of it.

        Raises:
            errors.MalformedAnswer: nothing was found in two answers, or the model refused.
            errors.LlmUnavailable: there is no answer; its `reason` says why.
        """
        with self._calls.timed(task):
            return await self._ask(task, system, user, form, read, retries=retries)

    async def _ask(
        self,
        task: str,
        system: str,
        user: str,
        form: type[msgspec.Struct],
        read: Callable[[Written], _Result],
        *,
        retries: bool,
    ) -> _Result:
        schema = structured.schema(form)
        messages: list[Message] = [
            {"role": "system", "content": f"Task: {task}\n{system}"},
            {"role": "user", "content": defuse(user)},
        ]
        written = await self._answer(task, messages, schema, retries=retries)
        try:
            return await anyio.to_thread.run_sync(read, written)
        except structured.Fault as fault:
            messages += _repair(written.text, fault, schema)
        written = await self._answer(task, messages, schema, retries=retries)
        try:
            return await anyio.to_thread.run_sync(read, written)
        except structured.Fault as fault:
            raise errors.MalformedAnswer(
                f"The language model's answer to {task}: {fault}."
            ) from None

    async def stream(
        self, task: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncIterator[Delta]:
        """Yield an answer as it is written; the calls of tools come last, each complete.

        Raises:
            errors.LlmUnavailable: there is no answer, or it broke off; its `reason` says why.
        """
        # Some endpoints refuse to count the tokens of a stream, some models refuse tools.
        counted = {"stream_options": {"include_usage": True}}
        with_tools = {"tools": list(tools)} if tools else {}
        ways: list[dict[str, Any]] = [{**counted, **with_tools}, with_tools, {}]

        async def begin(client: Any, way: Mapping[str, Any]) -> Any:
            return await client.chat.completions.create(
                model=self.model_of(task), messages=messages, stream=True, **way
            )

        chunks = await self._first_accepted("stream", task, ways, begin)
        reading = Reading()
        try:
            async for chunk in chunks:
                if text := reading.take(chunk):
                    yield Delta(text)
        except Exception:  # noqa: BLE001  any error of client or transport ends the answer
            raise self._endpoint.failed(_BROKEN_OFF) from None
        finally:
            with anyio.CancelScope(shield=True):
                await chunks.close()
            self._count(task, reading.usage, messages, reading.written)
        if not reading.finished:
            raise self._endpoint.failed(_BROKEN_OFF)
        self._endpoint.succeeded()
        if calls := reading.tool_calls():
            yield Delta(tool_calls=calls)

    def ask_again(self) -> None:
        """Let the next call ask, whatever failed before; a refused key is read anew."""
        self._endpoint.ask_again()

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        await self._endpoint.close()

    async def _answer(
        self, task: str, messages: list[Message], schema: dict[str, Any], *, retries: bool
    ) -> Written:
        """Return one completion, asked for in the strictest accepted way.

        Raises:
            errors.MalformedAnswer: the model refused.
            errors.LlmUnavailable: there is no answer.
        """
        strict = {"name": task, "schema": schema, "strict": True}
        # Many models take a system message only at the beginning.
        system, *others = messages
        content = f"{system['content']}\n\n{_described(schema)}"
        described = [{"role": "system", "content": content}, *others]
        ways: list[dict[str, Any]] = [
            {
                "messages": messages,
                "response_format": {"type": "json_schema", "json_schema": strict},
            },
            {"messages": described, "response_format": {"type": "json_object"}},
            {"messages": described},
        ]

        async def complete(client: Any, way: Mapping[str, Any]) -> _Completion:
            model = self.model_of(task)
            limits = {"temperature": self._settings.temperature, "max_tokens": ANSWER_TOKENS}
            for name in self._left_out[model]:
                limits.pop(name)
            with anyio.fail_after(self._settings.timeout_s):
                made = await client.chat.completions.create(model=model, **limits, **way)
            completion = _completion(made)
            self._count(task, made.usage, messages, completion.written.text)
            return completion

        completion = await self._first_accepted("ask", task, ways, complete, retries=retries)
        self._endpoint.succeeded()
        if completion.is_refusal:
            raise errors.MalformedAnswer(f"The language model refused {task}.")
        return completion.written

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
        crash (500) over a format that they do not know: where the tries at it end so, the next way
        is tried once.
        """
        key = (kind, self.model_of(task))
        number, crashed = self._first_way.get(key, 0), False
        while True:

            def asked(client: Any, way: Mapping[str, Any] = ways[number]) -> Awaitable[_Result]:
                return request(client, way)

            try:
                result = await self._endpoint.send(asked, retries=retries and not crashed)
            except Failure as failure:
                refused = failure.refuses - self._left_out[key[1]] if failure.of_request else None
                if refused:
                    self._left_out[key[1]] |= refused
                    continue
                falls_back = failure.of_request or (failure.is_crash and retries and not crashed)
                if not falls_back or number == len(ways) - 1:
                    raise self._endpoint.failed(failure) from None
                crashed = crashed or failure.is_crash
                number += 1
            else:
                self._first_way[key] = number
                return result

    def _count(self, task: str, usage: Any, messages: Sequence[Message], written: str) -> None:
        """Count a call by the endpoint's figures, else by our own estimate."""
        sent = getattr(usage, "prompt_tokens", None)
        received = getattr(usage, "completion_tokens", None)
        if not isinstance(sent, int) or not isinstance(received, int):
            sent = sum(estimate(str(message.get("content") or "")) for message in messages)
            received = estimate(written)
        self._usage.count(task, max(sent, 0), max(received, 0))
        metering.note(max(sent, 0) + max(received, 0))


class _Completion(NamedTuple):
    written: Written
    is_refusal: bool


def _completion(made: Any) -> _Completion:
    """Return what a completion says; one that calls tools has no text."""
    try:
        choice = made.choices[0]
        content, refusal = choice.message.content, getattr(choice.message, "refusal", None)
    except (AttributeError, IndexError, TypeError):
        raise Failure("sent an answer that is no completion") from None
    text = content if isinstance(content, str) else ""
    is_cut = getattr(choice, "finish_reason", None) == "length"
    return _Completion(Written(text, is_cut), bool(refusal) and not text)


def _described(schema: Mapping[str, Any]) -> str:
    text = msgspec.json.encode(schema).decode()
    return f"Answer with one JSON object and nothing else. It conforms to this JSON schema: {text}"


def _repair(text: str, fault: structured.Fault, schema: Mapping[str, Any]) -> list[Message]:
    return [
        {"role": "assistant", "content": text[:_REPEATED_CHARS]},
        {"role": "user", "content": f"This answer is wrong: {fault}. {_described(schema)}"},
    ]
