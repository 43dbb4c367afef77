"""A language model's answer, put together from its chunks, or in one piece."""

import json
import re
from typing import Annotated, Any, Final

import msgspec

from ashd.providers.openai_client import Failure

NO_COMPLETION: Final = Failure("sent an answer that is no completion")
_LONGEST_BODY_BYTES: Final = 4_000_000
_MOST_TOKENS: Final = 100_000_000
_FENCED: Final = re.compile(r"\s*(?:```\w*)?\s*(.*?)\s*(?:```)?\s*", re.DOTALL)
_HALF: Final = re.compile("[\ud800-\udfff]")
_FIRST_HALF: Final = re.compile("[\ud800-\udbff]")


class ToolCall(msgspec.Struct, frozen=True):
    """A call of a tool; `arguments` is the JSON text that the model wrote."""

    id: str
    name: str
    arguments: str


class Delta(msgspec.Struct, frozen=True):
    """A part of a streamed answer: more text, or at the end the calls of tools."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: Any = None
    completion_tokens: Any = None


class _Function(msgspec.Struct, frozen=True):
    name: str
    arguments: Any = None


class _Call(msgspec.Struct, frozen=True):
    function: _Function
    id: str | None = None


class _Message(msgspec.Struct, frozen=True):
    content: Any = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct, frozen=True):
    """An answer in one piece, of an endpoint that does not stream."""

    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: _Usage | None = None


async def whole_body(response: Any) -> bytes | None:
    """Return the body of an answer in one piece, of an endpoint that does not stream; else None.

    Raises:
        Failure: it is too long for a completion.
    """
    if not response.headers.get("content-type", "").lower().startswith("application/json"):
        return None
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _LONGEST_BODY_BYTES:
            raise NO_COMPLETION
    return bytes(body)


def whole_characters(text: str) -> str:
    """Return a text whose halves of characters are joined; one alone becomes U+FFFD.

    A gateway that cuts UTF-16 may send an emoji in two chunks, and no UTF-8 can carry a half.
    """
    if not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Reading:
    """The parts of a streamed answer received so far."""

    def __init__(self) -> None:
        self.usage: Any = None
        self.finish_reason: str | None = None
        """The reason why the answer ended; None before its end."""
        self.is_refusal = False
        self.chars = 0
        """The length of the text so far, with the thoughts beside it."""
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._half = ""
        """The first half of a character at the end of the text, which the next chunk completes."""
        self._calls: list[list[str]] = []
        """The id, the name and the arguments of each call of a tool."""
        self._call_at: dict[int, list[str]] = {}
        """The call that each index means at the moment."""

    @property
    def stated_tokens(self) -> tuple[int, int] | None:
        """Return the tokens sent and received that the endpoint states, if they may be true."""
        sent = getattr(self.usage, "prompt_tokens", None)
        received = getattr(self.usage, "completion_tokens", None)
        if not isinstance(sent, int) or not isinstance(received, int):
            return None
        may_be = 0 < sent <= _MOST_TOKENS and 0 <= received <= _MOST_TOKENS
        return (sent, received) if may_be else None

    @property
    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._texts)

    @property
    def written(self) -> str:
        """Return everything the model wrote, for counting."""
        calls = ("".join(call) for call in self._calls)
        return "".join([*self._thoughts, *self._texts, *calls])

    @property
    def answer(self) -> str:
        """Return the text; without one, the arguments of tool calls, or thoughts that are JSON.

        Some endpoints make a tool of the schema that was asked for, and some take the whole of an
        answer for the model's thoughts.
        """
        if self.text.strip():
            return self.text
        if self._calls:
            return "\n".join(call[2] for call in self._calls)
        thoughts = whole_characters("".join(self._thoughts))
        return thoughts if _is_json(thoughts) else self.text

    def take(self, chunk: Any) -> str:
        """Return the new text of a chunk; store everything else."""
        self.usage = getattr(chunk, "usage", None) or self.usage
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self.finish_reason = choice.finish_reason or self.finish_reason
        delta = getattr(choice, "delta", None)
        if delta is None:
            return ""
        self.is_refusal = self.is_refusal or bool(getattr(delta, "refusal", None))
        thoughts = _thoughts_of(delta)
        self._thoughts.append(thoughts)
        for part in delta.tool_calls or ():
            # Id and name come once, the arguments in pieces.
            call = self._call(part)
            call[0] = part.id or call[0]
            if part.function is not None:
                call[1] = part.function.name or call[1]
                call[2] += part.function.arguments or ""
        text: str = self._half + _text_of(delta.content)
        self._half = text[-1:] if _FIRST_HALF.fullmatch(text[-1:]) else ""
        text = whole_characters(text.removesuffix(self._half))
        self._texts.append(text)
        self.chars += len(text) + len(thoughts)
        return text

    def _call(self, part: Any) -> list[str]:
        """Return the call that a part belongs to: a new one, if it has another id and a name.

        Some endpoints give all calls the same index.
        """
        call = self._call_at.get(part.index)
        is_named = part.id and part.function is not None and part.function.name
        if call is None or (is_named and call[1] and part.id != call[0]):
            call = self._call_at[part.index] = ["", "", ""]
            self._calls.append(call)
        return call

    def take_whole(self, body: bytes) -> None:
        """Store an answer that came in one piece.

        Raises:
            msgspec.MsgspecError, TypeError, AttributeError: it is no completion.
        """
        completion = msgspec.json.decode(body, type=_Completion)
        choice = completion.choices[0]
        self.usage = completion.usage
        self.finish_reason = choice.finish_reason or "stop"
        self.is_refusal = bool(choice.message.refusal)
        self._texts.append(_text_of(choice.message.content))
        self._thoughts.append(_thoughts_of(choice.message))
        for call in choice.message.tool_calls or ():
            given = call.function.arguments
            arguments = given if isinstance(given, str) else json.dumps(given or {})
            self._calls.append([call.id or "", call.function.name, arguments])

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls, in order."""
        return tuple(ToolCall(*map(whole_characters, call)) for call in self._calls)


def _is_json(text: str) -> bool:
    """Return whether a text is one JSON object or list, and nothing else but a fence."""
    fenced = _FENCED.fullmatch(text)
    assert fenced is not None
    try:
        return isinstance(json.loads(fenced[1], strict=False), dict | list)
    except (ValueError, RecursionError):
        return False


def _text_of(content: Any) -> str:
    """Return the text of a content, which some models send as parts, their thoughts among them.

    Raises:
        TypeError, AttributeError: it is no content.
    """
    if isinstance(content, list):
        texts = [part.get("text") for part in content if part.get("type", "text") == "text"]
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str | None):
        raise TypeError("no content")
    return content or ""


def _thoughts_of(message: Any) -> str:
    """Return the thoughts beside a text, by the names that endpoints have for them."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(given := getattr(message, name, None), str):
            return given
    return ""
