"""Embeddings of any endpoint that speaks OpenAI's `/embeddings`, through the `openai` client.

Owns the client, the circuit breaker before it and the dimension, which the first answer shows. What
must always hold: every failure is raised as EmbeddingUnavailable; no error holds the key, the
address, a text or the endpoint's words; nothing is asked before the first use. The client is
imported then too, since that takes most of a second.

Stored texts can wait: a transient failure is tried again after 1, 2 and 4 seconds. A question
cannot: it gets one try and a short time limit, and search goes on without it.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import sleep
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np

from ashd.errors import EmbeddingUnavailable, TextRefused
from ashd.providers.breaker import Breaker
from ashd.providers.embedder import Embedding, FloatVector, unit
from ashd.providers.openai_client import Failure, api_key, explain

DEFAULT_MODEL: Final = "text-embedding-3-small"
_MODEL_PREFIX: Final = "openai:"
RETRY_WAITS_SECONDS: Final = (1.0, 2.0, 4.0)

_BATCH_TEXTS: Final = 128
_LONGEST_TEXT_CHARS: Final = 8000
"""Characters of a text that are sent, below every endpoint's limit in tokens."""


class OpenAiEmbedder:
    """Pooled vectors only, of the dimension that the endpoint answers with."""

    token_dimension: Final = 0
    reads_context: Final = True

    def __init__(
        self,
        *,
        model: str = DEFAULT_MODEL,
        base_url: str | None = None,
        api_key_file: Path | None = None,
        timeout_seconds: float = 30.0,
        query_timeout_seconds: float = 5.0,
        retry_waits_seconds: Sequence[float] = RETRY_WAITS_SECONDS,
        breaker: Breaker | None = None,
    ) -> None:
        """Reads and asks nothing yet. The key is in `api_key_file`, else in OPENAI_API_KEY."""
        self._api_model = model
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
        self._api_key_file = api_key_file
        self._timeout_seconds = timeout_seconds
        self._query_timeout_seconds = query_timeout_seconds
        self._retry_waits_seconds = tuple(retry_waits_seconds)
        self._breaker = breaker or Breaker()
        self._lock = threading.Lock()
        self._client: Any = None
        self._dimension: int | None = None

    @property
    def model(self) -> str:
        """The model and, unless it is OpenAI's own, the endpoint that runs it."""
        return recorded_model(self._api_model, self._base_url)

    @property
    def dimension(self) -> int:
        """Components of a vector; asks the endpoint if it has not answered yet."""
        if self._dimension is None:
            self.embed_query("dimension")
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed `texts`, in their order; on EmbeddingUnavailable no vector is stored."""
        return self._embed(texts, self._timeout_seconds, self._retry_waits_seconds)

    def embed_query(self, text: str) -> Embedding:
        """Return the vector of a question, in one try; raises EmbeddingUnavailable."""
        return self._embed([text], self._query_timeout_seconds, ())[0]

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _embed(
        self, texts: Sequence[str], timeout_seconds: float, waits: Sequence[float]
    ) -> list[Embedding]:
        # Some endpoints refuse a text without a word; its vector is zero by definition.
        asked = [text[:_LONGEST_TEXT_CHARS] for text in texts if text.strip()]
        vectors: list[FloatVector] = []
        for start in range(0, len(asked), _BATCH_TEXTS):
            batch = asked[start : start + _BATCH_TEXTS]
            vectors += self._guarded(batch, timeout_seconds, waits)
        remaining: Iterator[FloatVector] = iter(vectors)
        return [
            Embedding(next(remaining) if text.strip() else np.zeros(self.dimension, np.float32))
            for text in texts
        ]

    def _guarded(
        self, batch: list[str], timeout_seconds: float, waits: Sequence[float]
    ) -> list[FloatVector]:
        """Embed one batch behind the circuit breaker, with waits between the tries."""
        for wait in (*waits, None):
            if not self._breaker.admits():
                raise _unavailable("failed several times in a row and is left alone for a minute")
            try:
                vectors = self._request(batch, timeout_seconds)
            except Failure as failure:
                if not failure.of_request:
                    self._breaker.failed()
                if failure.unauthorised:
                    self.close()  # the file may hold another key by the next call
                if wait is None or not failure.transient:
                    if failure.of_request:
                        raise TextRefused(f"the embedding endpoint {failure.reason}") from None
                    raise _unavailable(failure.reason) from None
                sleep(wait)
            else:
                self._breaker.succeeded()
                return vectors
        raise AssertionError("the last try returns or raises")

    def _request(self, batch: list[str], timeout_seconds: float) -> list[FloatVector]:
        client = self._connect()
        try:
            # Not base64, the client's default, since not every endpoint supports it.
            answer = client.embeddings.create(
                model=self._api_model,
                input=batch,
                encoding_format="float",
                timeout=timeout_seconds,
            )
        except Exception as error:  # noqa: BLE001  the client lets errors of its parsers through
            raise explain(error) from None
        return self._checked(answer, len(batch))

    def _checked(self, answer: Any, count: int) -> list[FloatVector]:
        """Return the answer's vectors in the texts' order, scaled to unit length."""
        try:
            rows = sorted(answer.data, key=lambda row: row.index)
            places = [row.index for row in rows]
            with np.errstate(
                over="ignore"
            ):  # a value that is too large becomes infinite, and is refused
                matrix = np.array([row.embedding for row in rows], dtype=np.float32)
        except (AttributeError, TypeError, ValueError):
            raise Failure("sent an answer that holds no vectors") from None
        if places != list(range(count)):
            raise Failure("sent another number of vectors than texts")
        if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
            raise Failure("sent an answer that holds no vectors")
        with self._lock:
            self._dimension = self._dimension or matrix.shape[1]
        if matrix.shape[1] != self._dimension:
            raise Failure(
                "changed the dimension of its vectors; is it still the same model?",
            )
        return list(unit(matrix))

    def _connect(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._new_client()
            return self._client

    def _new_client(self) -> Any:
        import openai  # noqa: PLC0415  takes most of a second: only loaded where used

        key = self._api_key()
        if key is None and self._base_url is None:
            raise EmbeddingUnavailable(
                "there is no API key for the embedding endpoint",
                hint="Set OPENAI_API_KEY, or [embedding] api_key_file in config.toml.",
            )
        # Tries and waits are counted here, before the breaker, so the client makes only one try. A
        # local endpoint may need no key, but the client insists on some text.
        return openai.OpenAI(api_key=key or "none", base_url=self._base_url, max_retries=0)

    def _api_key(self) -> str | None:
        try:
            return api_key(self._api_key_file)
        except (OSError, UnicodeDecodeError):
            raise EmbeddingUnavailable(
                "the file with the API key cannot be read",
                hint="Check [embedding] api_key_file in config.toml and the file's owner and mode.",
            ) from None


def recorded_model(model: str, base_url: str | None) -> str:
    """Return the name recorded with the vectors of `model` at `base_url`, without a password."""
    if not base_url:
        return _MODEL_PREFIX + model
    parts = urlsplit(base_url)
    host = parts.netloc.rpartition("@")[2]
    return f"{_MODEL_PREFIX}{model}@{host}{parts.path.rstrip('/')}"


def stored_api_model(recorded: str | None) -> str | None:
    """Return the endpoint's name of the model in a recorded name; None for other embedders."""
    if recorded is None or not recorded.startswith(_MODEL_PREFIX):
        return None
    return recorded.removeprefix(_MODEL_PREFIX).partition("@")[0]


def _unavailable(reason: str) -> EmbeddingUnavailable:
    return EmbeddingUnavailable(f"the embedding endpoint {reason}")
