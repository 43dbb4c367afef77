"""A conversation with a language model that uses the daemon's memory: the loop of `ash chat`.

For each message: the context, a streamed answer, the calls of tools, and the turn ingested. Owns
the history. What must always hold: the texts of user and model are ingested, even if the answer was
interrupted; the context and the answers of tools never are.
"""

import datetime as dt
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio

from ashd import limits
from ashd.cli.caller import Caller
from ashd.providers import prompts
from ashd.providers.llm import LanguageModel
from ashd.providers.streamed import ToolCall
from ashd.token_estimate import estimate
from ashd_client.protocol import AshCallError

_TASK: Final = "chat"
_PROMPT_VERSION: Final = 1
_MOST_ROUNDS: Final = 6
"""The round of tool calls in which the model must answer instead."""
_HISTORY_TOKENS: Final = 6_000
_RECENT: Final = 10
_PREFIX: Final = "ash-chat-"
_CONTINUED_FOR: Final = dt.timedelta(hours=1)
"""The age from which a conversation is not continued, unless it is named."""
_ENOUGH: Final = "You have called tools often enough. Answer now with what you know."

Message = dict[str, Any]


@dataclass(slots=True)
class Turn:
    """A message of the user, and the result."""

    message: str
    answer: str = ""
    tool_calls: list[Message] = field(default_factory=list)
    memories: list[str] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    interrupted: bool = False
    ingested: bool = False


class Usage:
    """Counts the tokens of this process, on top of the daemon's count for today."""

    def __init__(self, tokens_today: int) -> None:
        self.tokens_today = tokens_today
        self.uncounted: list[tuple[int, int]] = []
        """Tokens sent and received, for each completion that was not reported to the daemon yet."""

    def count(self, task: str, sent: int, received: int) -> None:  # noqa: ARG002  required by Usage
        """Note one completion."""
        self.tokens_today += sent + received
        self.uncounted.append((sent, received))


class Chat:
    """A conversation. `show` gets the text of answers as it comes, `note` gets remarks."""

    def __init__(
        self,
        caller: Caller,
        llm: LanguageModel,
        usage: Usage,
        *,
        conversation_id: str | None,
        new: bool,
        show: Callable[[str], None],
        note: Callable[[str], None],
    ) -> None:
        self._caller = caller
        self._llm = llm
        self._usage = usage
        self._show = show
        self._note = note
        self._tools: list[Message] = caller.call("tools.list")["tools"]
        earlier = conversation_id or (None if new else self._latest())
        self.conversation_id = earlier or f"{_PREFIX}{uuid.uuid4().hex[:8]}"
        self._history = self._earlier() if earlier else []

    def say(self, message: str) -> Turn:
        """Answer a message, and ingest the turn.

        Raises:
            errors.LlmUnavailable: there is no answer, or it broke off.
            AshCallError: the daemon refused a call or does not answer.
        """
        turn = Turn(message)
        said_at = dt.datetime.now(dt.UTC)
        try:
            messages = self._prompt(turn)
            anyio.run(self._answer, turn, messages)
        except KeyboardInterrupt:
            turn.interrupted = True
        finally:
            with _uninterrupted():
                if turn.answer or turn.tool_calls or turn.interrupted:
                    self._ingest(turn, said_at)
                self._report()
        return turn

    def _prompt(self, turn: Turn) -> list[Message]:
        context = self._caller.call(
            "context.get", message=turn.message, recent=self._history[-_RECENT:]
        )
        turn.memories = [memory["id"] for memory in context["memories"]]
        turn.degraded = context["degraded"]
        system = f"Task: {_TASK}\n{prompts.load(_TASK, _PROMPT_VERSION)}\n\n{context['text']}"
        return [
            {"role": "system", "content": system},
            *self._history,
            {"role": "user", "content": turn.message},
        ]

    async def _answer(self, turn: Turn, messages: list[Message]) -> None:
        try:
            for number in range(_MOST_ROUNDS + 1):
                calls = await self._stream(turn, messages)
                if not calls:
                    return
                for call in calls:
                    enough = number + 1 >= _MOST_ROUNDS
                    content = _ENOUGH if enough else self._call_tool(turn, call)
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        finally:
            await self._llm.close()

    async def _stream(self, turn: Turn, messages: list[Message]) -> tuple[ToolCall, ...]:
        """Run one completion: show its text, and add its tool calls to the messages."""
        begun = len(turn.answer)
        calls: tuple[ToolCall, ...] = ()
        async for delta in self._llm.stream(_TASK, messages, self._tools):
            text = delta.text
            if text and turn.answer and begun == len(turn.answer):
                text = f"\n{text}"
            turn.answer += text
            self._show(turn.answer)
            calls = delta.tool_calls or calls
        if calls:
            messages.append(
                {
                    "role": "assistant",
                    "content": turn.answer[begun:].strip() or None,
                    "tool_calls": [
                        {
                            "id": call.id,
                            "type": "function",
                            "function": {"name": call.name, "arguments": call.arguments},
                        }
                        for call in calls
                    ],
                }
            )
        return calls

    def _call_tool(self, turn: Turn, call: ToolCall) -> str:
        """Call a tool and return its text for the model; errors that no retry mends are text too.

        Raises:
            AshCallError: the daemon does not answer.
        """
        try:
            result = self._caller.call(
                "tools.call",
                name=call.name,
                # An empty text means no arguments, and would be dropped as a parameter.
                arguments=call.arguments or "{}",
                idempotency_key=uuid.uuid4().hex,
            )
        except AshCallError as error:
            if error.retryable:
                raise
            result = {"content": f"{error.message} {error.hint}", "is_error": True}
        turn.tool_calls.append({"name": call.name, "is_error": result["is_error"]})
        content: str = result["content"]
        lines = content.splitlines()
        items = [line.removeprefix("- ") for line in lines if line.startswith("- [")]
        self._note(f"{call.name}: {next(iter(items or lines), '')}")
        return content

    def _ingest(self, turn: Turn, said_at: dt.datetime) -> None:
        """Send the turn to the daemon, and append it to the history."""
        at = said_at.isoformat()
        said = [("user", part) for part in _parts(turn.message)]
        said += [("assistant", part) for part in _parts(turn.answer)]
        turn_id = uuid.uuid4().hex
        messages = [
            {"role": role, "content": text, "at": at, "external_id": f"{turn_id}-{number}"}
            for number, (role, text) in enumerate(said)
        ]
        try:
            result = self._caller.call(
                "conversation.ingest", conversation_id=self.conversation_id, messages=messages
            )
        except AshCallError as error:
            self._note(f"This turn is not remembered: {error.message} {error.hint}")
        else:
            turn.ingested = result["ingested"] > 0
            for refused in result["refused"]:
                self._note(f"One message is not remembered: {refused['message']}")
        self._history += [{"role": role, "content": text} for role, text in said]
        while sum(estimate(one["content"]) for one in self._history) > _HISTORY_TOKENS:
            self._history.pop(0)

    def _report(self) -> None:
        """Report the tokens to the daemon; if that fails, they are reported with the next turn."""
        while self._usage.uncounted:
            sent, received = self._usage.uncounted[0]
            try:
                counted = self._caller.call("llm.count", task=_TASK, sent=sent, received=received)
            except AshCallError:
                return
            self._usage.uncounted.pop(0)
            self._usage.tokens_today = counted["tokens_today"]

    def _latest(self) -> str | None:
        """Return the conversation to continue: the latest of `ash chat`, unless it is too old."""
        for one in self._caller.call("conversation.list")["conversations"]:
            if one["conversation_id"].startswith(_PREFIX) and one["last_at"]:
                ago = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(one["last_at"])
                return str(one["conversation_id"]) if ago < _CONTINUED_FOR else None
        return None

    def _earlier(self) -> list[Message]:
        """Return the last messages of a conversation to continue; none for a new one."""
        try:
            found = self._caller.call(
                "conversation.get", conversation_id=self.conversation_id, limit=2 * _RECENT
            )
        except AshCallError as error:
            if error.kind == "not_found":
                return []
            raise
        return [
            {"role": one["role"], "content": one["content"]}
            for one in found["messages"]
            if one["role"] in {"user", "assistant"}
        ]


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C here: a second press was meant for the answer too."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _parts(text: str) -> list[str]:
    """Split a text into messages of the length that the daemon accepts."""
    size = limits.CONTENT_CHARS
    return [text[start : start + size] for start in range(0, len(text), size)]
