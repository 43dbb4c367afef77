"""Read an upstream's answer from a copy of its bytes while they pass. Pure."""

import json
from collections.abc import Iterator
from typing import Any, Final

_DATA: Final = b"data:"
_FINISHED: Final = ("stop", "length")
_STATUSES: Final = {"completed": "stop", "incomplete": "length"}
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_CALLS: Final = (
    *("function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call"),
    *("apply_patch_call", "mcp_approval_request"),
)
"""Items that the client has to answer before the exchange goes on."""


class Answer:
    """Collects an answer's text, from a stream of events or from one document.

    This is the first choice of a chat completion.
    """

    def __init__(self, *, streamed: bool) -> None:
        self._streamed = streamed
        self._unread = bytearray()
        self._text: list[str] = []
        self._called_tools = False
        self.finish: str | None = None
        """The upstream's reason for the end; None while the answer goes on, or if it broke off."""
        self.failed = False
        """Whether the upstream itself reported an error."""
        self.is_over = False
        """Whether a stream has announced its end."""
        self.id: str | None = None
        """The id by which a later request may continue from this answer."""

    @property
    def text(self) -> str:
        """Return the text of the answer so far."""
        return "".join(self._text)

    @property
    def is_reply(self) -> bool:
        """Return whether it is an answer to the user; after tool calls the exchange goes on."""
        return not self._called_tools and (self.finish is None or self.finish in _FINISHED)

    def feed(self, chunk: bytes) -> None:
        """Read more bytes."""
        self._unread += chunk
        if not self._streamed:
            return
        while (end := self._unread.find(b"\n")) >= 0:
            line = bytes(self._unread[:end]).strip()
            del self._unread[: end + 1]
            if line.startswith(_DATA):
                self._event(line[len(_DATA) :].strip())

    def end(self) -> None:
        """Read a whole document."""
        if not self._streamed:
            self._whole(_object(bytes(self._unread)))

    def _event(self, data: bytes) -> None:
        if data == b"[DONE]":
            self.is_over = True
        else:
            self._part(_object(data))

    def _whole(self, document: dict[str, Any]) -> None:
        self._choices(document, "message")

    def _part(self, event: dict[str, Any]) -> None:
        self._choices(event, "delta")

    def _choices(self, document: dict[str, Any], part: str) -> None:
        self.failed |= "error" in document
        for choice in _objects(document.get("choices")):
            if choice.get("index", 0) == 0:
                self._choice(choice, choice.get(part))

    def _choice(self, choice: dict[str, Any], said: Any) -> None:
        if isinstance(said, dict):
            self._text += _texts(said.get("content"))
            self._called_tools |= bool(said.get("tool_calls"))
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]


class ResponsesAnswer(Answer):
    """Collects the text of an answer of the Responses API."""

    def _whole(self, document: dict[str, Any]) -> None:
        self._named(document)
        self.failed |= document.get("error") is not None or document.get("status") == "failed"
        items = list(_objects(document.get("output")))
        if items:
            self._text = []
        for item in items:
            self._called_tools |= item.get("type") in _CALLS
            parts = _objects(item.get("content")) if item.get("type") == "message" else ()
            self._text += [part["text"] for part in parts if isinstance(part.get("text"), str)]
        self.finish = _STATUSES.get(str(document.get("status")), self.finish)

    def _part(self, event: dict[str, Any]) -> None:
        kind, response = event.get("type"), event.get("response")
        self.failed |= kind == "error" or "error" in event
        if isinstance(response, dict):
            self._named(response)
            if kind in _ENDS:
                self.is_over = True
                self._whole(response)
        elif kind == "response.output_text.delta" and isinstance(event.get("delta"), str):
            self._text.append(event["delta"])

    def _named(self, response: dict[str, Any]) -> None:
        if isinstance(response.get("id"), str):
            self.id = response["id"]


def _texts(content: Any) -> Iterator[str]:
    """Yield the text of a content, which some models send as parts, their thoughts among them."""
    if isinstance(content, str):
        yield content
    for part in _objects(content):
        if part.get("type", "text") == "text" and isinstance(part.get("text"), str):
            yield part["text"]


def _object(data: bytes) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _objects(listed: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list."""
    yield from (
        one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)
    )
