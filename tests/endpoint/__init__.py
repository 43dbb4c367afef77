"""An OpenAI-compatible endpoint on loopback: chat completions and embeddings, scripted.

Answers come from `script` by task (the system message begins ``Task: <name>``), else from the
reader, which works by simple rules. Faults are entries of a script like answers. To try it by hand:
``python -m tests.endpoint --help``.
"""

import hashlib
import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import reader


@dataclass(frozen=True)
class Status:
    """Fault: an HTTP error; `retry_after` in seconds. The body repeats what was sent."""

    code: int
    retry_after: int | None = None


@dataclass(frozen=True)
class Hang:
    """Fault: no answer before `Endpoint.release` or its end."""


@dataclass(frozen=True)
class Cut:
    """Fault: the connection ends, in a stream after so many pieces of the text."""

    after: int = 0


@dataclass(frozen=True)
class Body:
    """Fault: an HTTP body that is no completion."""

    text: str = '{"choices": ['


@dataclass(frozen=True)
class Calls:
    """An answer that calls tools: (name, arguments) each; `text` comes before them."""

    calls: tuple[tuple[str, dict[str, Any]], ...]
    text: str = ""


@dataclass(frozen=True)
class Text:
    """A text, with the reason why it ended; `refusal` instead of it is a model that will not."""

    text: str
    finish_reason: str = "stop"
    refusal: str | None = None


Answer = Any
"""A text, an object (sent as JSON), Text, Calls, a fault, or a function of the request."""
WRAPS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "fence": lambda text: f"Here it is:\n```json\n{text}\n```\nAnything else?",
    "think": lambda text: f'<think>Perhaps {{"x": 1}}? No.</think>\n{text}',
}


class Endpoint(ThreadingHTTPServer):
    """The server, running in a thread from the start. In vectors a word is a direction."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.requests: list[dict[str, Any]] = []
        """Bodies of the chat completions that were asked for, with `task` added."""
        self.keys: list[str | None] = []
        self.refused: set[str] = set()
        """Features answered with 400: json_schema, json_object, tools, stream_options."""
        self.never_streams = False
        """Whether answers come in one piece, even if a stream was asked for."""
        self.crashes_over: set[str] = set()
        """Formats answered with 500."""
        self.wrap: Callable[[str], str] = WRAPS["plain"]
        self.stated_tokens: dict[str, int] | None = {}
        """Counts that are stated instead of the true ones; None: no count at all."""
        self.every: tuple[int, Answer] | None = None
        """A fault for each nth chat completion."""
        self.delay_seconds = 0.0
        self.states: dict[str, Any] = {}
        """Documents by path, such as what llama.cpp answers to `/props`."""
        self.pause_after: int | None = None
        """A stream waits after so many pieces until `release`."""
        self._asked = threading.Condition()
        self._scripts: defaultdict[str, deque[Answer]] = defaultdict(deque)
        self._always: dict[str, Answer] = {}
        self._lock = threading.Lock()
        self._released = threading.Event()
        # Of the embeddings:
        self.status = 200
        self.dimension = 64
        self.refuses: str | None = None
        """A request with a text that contains this word is refused."""
        self.asked: list[str] = []
        self.calls = 0
        self.holds_from: int | None = None
        """The number of the call from which requests hang, until `open` is set again."""
        self.open = threading.Event()
        self.open.set()
        self.came = threading.Event()
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def config(self) -> str:
        """The daemon's configuration for this embedder."""
        return f'[embedding]\nprovider = "openai"\nbase_url = "{self.url}"\nmodel = "words"\n'

    @property
    def llm_config(self) -> str:
        """Return the daemon's configuration for this language model."""
        return f'[llm]\nbase_url = "{self.url}"\nmodel = "scripted"\n'

    def reset(self) -> None:
        """Forget requests and scripts; chat completions have no fault any more."""
        self.release()
        with self._lock:
            self._scripts.clear()
            self._always.clear()
        self.requests.clear()
        self.keys.clear()
        self.refused = set()
        self.wrap = WRAPS["plain"]
        self.every = self.pause_after = None

    def script(self, task: str, *answers: Answer) -> None:
        """Answer the next requests of a task with these, one each."""
        with self._lock:
            self._scripts[task] += answers

    def always(self, task: str, answer: Answer) -> None:
        """Answer every request of a task with this, once its script is used up."""
        with self._lock:
            self._always[task] = answer

    def asked_for(self, task: str) -> list[dict[str, Any]]:
        """The requests of a task."""
        return [request for request in self.requests if request["task"] == task]

    def answer_to(self, request: dict[str, Any]) -> Answer:
        """The answer or the fault for a chat completion."""
        task = request["task"]
        with self._asked:
            self.requests.append(request)
            self._asked.notify_all()
        with self._lock:
            script = self._scripts[task]
            if self.every is not None and len(self.requests) % self.every[0] == 0:
                answer = self.every[1]
            elif script:
                answer = script.popleft()
            else:
                answer = self._always.get(task, reader.answer)
        made = answer(request) if callable(answer) else answer
        return Calls(tuple(made)) if isinstance(made, list) else made

    def vector(self, text: str) -> list[float]:
        """A vector of unit length or shorter."""
        made = [0.0] * self.dimension
        for word in text.lower().split():
            digest = hashlib.blake2b(word.strip(".,?!").encode(), digest_size=4).digest()
            made[int.from_bytes(digest, "big") % self.dimension] += 1.0
        return made if any(made) else [1.0] + [0.0] * (self.dimension - 1)

    def wait_for_request(self, task: str, seconds: float = 30.0) -> None:
        """Wait for a request of a task."""
        with self._asked:
            assert self._asked.wait_for(lambda: self.asked_for(task), seconds), "nothing was asked"

    def release(self) -> None:
        """Let every hanging request go on; its connection ends."""
        self._released.set()
        self._released = threading.Event()

    def wait_released(self) -> None:
        """Block until released."""
        self._released.wait()

    def end(self) -> None:
        """Answer no more; the port refuses connections."""
        self.open.set()
        self.release()
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_GET(self) -> None:
        if (stated := self.server.states.get(self.path)) is not None:
            self._answer(200, stated)
        elif self.path.endswith("/models"):
            self._answer(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        else:
            self._answer(404, {"error": {"message": "not found"}})

    def do_POST(self) -> None:
        # One request a connection, so that an ended server answers nobody.
        self.close_connection = True
        size = int(self.headers["Content-Length"])
        sent = self.rfile.read(size)
        if len(sent) < size:  # whoever asked was killed
            return
        body = json.loads(sent)
        try:
            if self.path.endswith("/embeddings"):
                self._embed(body)
            elif self.path.endswith("/chat/completions"):
                self._complete(body)
            else:
                self._answer(404, {"error": {"message": "not found"}})
        except OSError:
            pass  # the caller has given up waiting

    def _embed(self, body: dict[str, Any]) -> None:
        self.server.calls += 1
        if self.server.calls == self.server.holds_from:
            self.server.open.clear()
        self.server.came.set()
        self.server.open.wait()
        refused = self.server.refuses
        if refused is not None and any(refused in text for text in body["input"]):
            self._answer(400, {"error": {"message": "not this text"}})
            return
        if self.server.status != 200:
            self._answer(self.server.status, {"error": {"message": "out of order"}})
            return
        self.server.asked += body["input"]
        rows = [
            {"object": "embedding", "index": index, "embedding": self.server.vector(text)}
            for index, text in enumerate(body["input"])
        ]
        self._answer(200, {"object": "list", "data": rows, "model": body["model"]})

    def _complete(self, body: dict[str, Any]) -> None:
        self.server.keys.append(self.headers["Authorization"])
        form = (body.get("response_format") or {}).get("type")
        if refused := {form, *body} & self.server.refused:
            message = f"unknown field: {', '.join(map(str, refused))}"
            self._answer(400, {"error": {"message": message, "type": "invalid"}})
            return
        if form in self.server.crashes_over:
            self._answer(500, {"error": {"message": "internal error"}})
            return
        answer = self.server.answer_to({**body, "task": reader.task_of(body)})
        time.sleep(self.server.delay_seconds)
        match answer:
            case Status(code, retry_after):
                headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
                self._answer(code, {"error": {"message": json.dumps(body)}}, headers)
            case Hang():
                self.server.wait_released()
            case Cut() if not (answer.after and body.get("stream")):
                pass
            case Body(text):
                self._send(200, text.encode(), {})
            case _ if body.get("stream") and not self.server.never_streams:
                self._stream(body, answer)
            case _:
                self._completion(body, answer)

    def _completion(self, body: dict[str, Any], answer: Answer) -> None:
        calls = _tool_calls(answer)
        text = self.server.wrap(_text(answer))
        message = {"role": "assistant", "content": text or None}
        if isinstance(answer, Text) and answer.refusal:
            message["refusal"] = answer.refusal
        made = {
            **_head(body, "chat.completion"),
            "choices": [
                {
                    "index": 0,
                    "message": {**message, **({"tool_calls": calls} if calls else {})},
                    "finish_reason": _finish_reason(answer, calls),
                }
            ],
        }
        if (usage := self._usage(body, text)) is not None:
            made["usage"] = usage
        self._answer(200, made)

    def _stream(self, body: dict[str, Any], answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        cut = answer.after if isinstance(answer, Cut) else None
        answer = reader.answer(body) if isinstance(answer, Cut) else answer
        calls = _tool_calls(answer)
        text = self.server.wrap(_text(answer))
        pieces = [f"{word} " for word in text.split(" ")]
        pieces[-1] = pieces[-1][:-1]
        deltas: list[dict[str, Any]] = [{"content": piece} for piece in pieces if piece]
        for index, call in enumerate(calls):
            # As endpoints do: the name first, then the arguments in pieces.
            made = call["function"]["arguments"]
            begun = {**call, "function": {**call["function"], "arguments": made[:5]}}
            rest = {"function": {"arguments": made[5:]}}
            deltas += [{"tool_calls": [{"index": index, **part}]} for part in (begun, rest)]
        for number, delta in enumerate(deltas):
            if number == cut:
                return
            if number == self.server.pause_after:
                self.server.wait_released()
            self._event(body, {"index": 0, "delta": delta, "finish_reason": None})
        if cut is not None:
            return
        if isinstance(answer, Text) and answer.refusal:
            delta = {"refusal": answer.refusal}
            self._event(body, {"index": 0, "delta": delta, "finish_reason": None})
        reason = _finish_reason(answer, calls)
        self._event(body, {"index": 0, "delta": {}, "finish_reason": reason})
        usage = self._usage(body, text)
        if usage is not None and (body.get("stream_options") or {}).get("include_usage"):
            self._chunk({**_head(body, _CHUNK), "choices": [], "usage": usage})
        self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _usage(self, body: dict[str, Any], text: str) -> dict[str, int] | None:
        stated = self.server.stated_tokens
        return None if stated is None else {**_usage(body, text), **stated}

    def _event(self, body: dict[str, Any], choice: dict[str, Any]) -> None:
        self._chunk({**_head(body, _CHUNK), "choices": [choice]})

    def _chunk(self, document: dict[str, Any]) -> None:
        self._write(b"data: " + json.dumps(document).encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _answer(self, status: int, document: object, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(document).encode(), headers or {})

    def _send(self, status: int, raw: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Print nothing on standard error."""


_CHUNK = "chat.completion.chunk"


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "scripted-1", "object": kind, "created": 0, "model": body.get("model")}


def _finish_reason(answer: Answer, calls: list[dict[str, Any]]) -> str:
    if isinstance(answer, Text):
        return answer.finish_reason
    return "tool_calls" if calls else "stop"


def _text(answer: Answer) -> str:
    if isinstance(answer, Calls | Text):
        return answer.text
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _tool_calls(answer: Answer) -> list[dict[str, Any]]:
    if not isinstance(answer, Calls):
        return []
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(answer.calls)
    ]


def _usage(body: dict[str, Any], text: str) -> dict[str, int]:
    sent = sum(len(str(message.get("content") or "")) for message in body["messages"])
    made = {"prompt_tokens": sent // 4 + 1, "completion_tokens": len(text) // 4 + 1}
    return {**made, "total_tokens": sum(made.values())}
