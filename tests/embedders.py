"""Embedders for tests: where MiniLM is installed, and an endpoint that speaks /v1/embeddings."""

import hashlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ashd.providers.minilm_install import FOLDER, installed


def minilm_models() -> Path:
    """The folder of installed models; without MiniLM there the test fails in CI, else it skips."""
    models = Path(os.environ.get("ASH_MODELS") or Path.home() / ".ash" / "models")
    if installed(models / FOLDER) is None:
        reason = "MiniLM is not installed (ash model install minilm)"
        if os.environ.get("ASH_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return models


class Endpoint(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint on loopback, which can fail, hang and count.

    A word is a direction of the vector, so texts that share words are near.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.status = 200
        self.dimension = 64
        self.refuses: str | None = None
        """A word: a request with a text that has it is refused."""
        self.asked: list[str] = []
        self.calls = 0
        self.holds_from: int | None = None
        """The call from which on it is shut, until `open` is set again."""
        self.open = threading.Event()
        self.open.set()
        self.came = threading.Event()
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    @property
    def config(self) -> str:
        """The daemon's configuration for this endpoint."""
        url = f"http://127.0.0.1:{self.server_port}/v1"
        return f'[embedding]\nprovider = "openai"\nbase_url = "{url}"\nmodel = "words"\n'

    def vector(self, text: str) -> list[float]:
        """A vector of unit length or shorter."""
        made = [0.0] * self.dimension
        for word in text.lower().split():
            digest = hashlib.blake2b(word.strip(".,?!").encode(), digest_size=4).digest()
            made[int.from_bytes(digest, "big") % self.dimension] += 1.0
        return made if any(made) else [1.0] + [0.0] * (self.dimension - 1)

    def end(self) -> None:
        """Answer no more; the port refuses connections."""
        self.open.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
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

    def _answer(self, status: int, document: object) -> None:
        raw = json.dumps(document).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)
        except OSError:
            pass  # whoever asked has given up waiting

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""
