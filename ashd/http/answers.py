"""Read an upstream's answer from a copy of its bytes while they pass. Pure."""

import json
from typing import Any, Final

_DATA: Final = b"data:"
_FINISHED: Final = ("stop", "length")


class Answer:
    """Collects the text of the first choice, from a stream of events or from one document."""

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
            self._read(bytes(self._unread), "message")

    def _event(self, data: bytes) -> None:
        if data == b"[DONE]":
            self.is_over = True
        else:
            self._read(data, "delta")

    def _read(self, data: bytes, part: str) -> None:
        try:
            document = json.loads(data)
        except ValueError:
            return
        if not isinstance(document, dict):
            return
        self.failed |= "error" in document
        choices = document.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                self._choice(choice, choice.get(part))

    def _choice(self, choice: dict[str, Any], said: Any) -> None:
        if isinstance(said, dict):
            if isinstance(said.get("content"), str):
                self._text.append(said["content"])
            self._called_tools |= bool(said.get("tool_calls"))
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]
