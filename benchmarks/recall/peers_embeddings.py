"""A loopback server with OpenAI's `/v1/embeddings`, so that every peer has the daemon's model.

No torch, no download: the vectors are the ones that `ashd` computes. Each text is computed once.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import Embedder


class _Cache:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}
        self._lock = Lock()

    def of(self, texts: list[str]) -> list[NDArray[np.float32]]:
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._known]
            for text, made in zip(new, self._embedder.embed(new), strict=True):
                self._known[text] = made.pooled
            return [self._known[text] for text in texts]


@contextmanager
def serving(embedder: Embedder) -> Iterator[str]:
    """The server, for as long as the block lasts; its base URL."""
    cache = _Cache(embedder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept, as real endpoints do

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            packed = asked.get("encoding_format") == "base64"
            body = json.dumps(
                {
                    "object": "list",
                    "model": asked.get("model"),
                    "data": [
                        {"object": "embedding", "index": place, "embedding": _value(made, packed)}
                        for place, made in enumerate(cache.of(texts))
                    ],
                    "usage": {"prompt_tokens": 0, "total_tokens": 0},
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _value(vector: NDArray[np.float32], packed: bool) -> Any:
    if packed:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return vector.tolist()
