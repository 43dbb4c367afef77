"""The real `openai` client against a server on loopback that speaks /v1/embeddings.

The server fails in each usual way; every failure arrives as EmbeddingUnavailable, and nothing of
the key, the address, the texts or the answer is in it.
"""

import json
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ashd.errors import EmbeddingUnavailable
from ashd.providers.breaker import Breaker
from ashd.providers.openai_embedder import OpenAiEmbedder, recorded_model

KEY = "sk-a-key-that-nobody-may-see"
TEXT = "Anna keeps her savings in the yellow teapot."
NO_WAITS = (0.0, 0.0, 0.0)


def vector(text: str) -> list[float]:
    """A vector that tells texts apart; not of unit length."""
    return [float(len(text)), 1.0, 2.0, float(sum(text.encode()) % 97)]


class Endpoint(ThreadingHTTPServer):
    """Answers as the protocol says, after the failures that a test has put in `failures`."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.failures: list[Callable[[_Handler], None]] = []
        self.rows: Callable[[list[dict[str, Any]]], Any] = lambda rows: rows
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, **body})
        self.server.keys.append(self.headers["Authorization"])
        if self.server.failures:
            self.server.failures.pop(0)(self)
            return
        rows = [
            {"object": "embedding", "index": index, "embedding": vector(text)}
            for index, text in enumerate(body["input"])
        ]
        self.answer(200, json.dumps({"data": self.server.rows(rows), "model": body["model"]}))

    def answer(self, status: int, body: str) -> None:
        raw = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Print nothing on standard error."""


def status(code: int) -> Callable[[_Handler], None]:
    """A failure with an error body that repeats what nobody may see."""
    body = json.dumps({"error": {"message": f"{KEY} {TEXT}", "type": "x"}})
    return lambda handler: handler.answer(code, body)


def hang(handler: _Handler) -> None:
    """No answer until the test is over."""
    handler.server.released.wait()
    handler.close_connection = True


def hang_up(handler: _Handler) -> None:
    """The connection ends without an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


Make = Callable[..., OpenAiEmbedder]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint) -> Iterator[Make]:
    """Makes embedders for the endpoint that do not wait between tries; closes them at the end."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    made: list[OpenAiEmbedder] = []

    def new(**changes: Any) -> OpenAiEmbedder:
        options: dict[str, Any] = {"base_url": endpoint.url, "retry_waits_seconds": NO_WAITS}
        made.append(OpenAiEmbedder(**{**options, **changes}))
        return made[-1]

    yield new
    for embedder in made:
        embedder.close()


def failure(call: Callable[[], object]) -> str:
    """The message of the EmbeddingUnavailable that `call` ends in, free of every secret."""
    with pytest.raises(EmbeddingUnavailable) as caught:
        call()
    shown = f"{caught.value} {caught.value.hint} {caught.value.to_data()}"
    for secret in (KEY, "teapot", "127.0.0.1", "http"):
        assert secret not in shown
    logged = "".join(traceback.format_exception(caught.value))
    assert KEY not in logged
    assert "teapot" not in logged
    return str(caught.value)


def test_texts_get_their_vectors_in_order_and_of_unit_length(
    make: Make, endpoint: Endpoint
) -> None:
    """Vectors match their texts even if the endpoint reorders them; the default model is small."""
    endpoint.rows = lambda rows: rows[::-1]
    texts = ["one", "three", "five5"]
    embeddings = make().embed(texts)
    for text, embedding in zip(texts, embeddings, strict=True):
        expected = np.array(vector(text)) / np.linalg.norm(vector(text))
        assert np.allclose(expected, embedding.pooled, atol=1e-6)
        assert embedding.pooled.dtype == np.float32
        assert embedding.tokens is None
    assert endpoint.requests[0]["model"] == "text-embedding-3-small"
    assert endpoint.requests[0]["path"] == "/v1/embeddings"
    assert endpoint.requests[0]["encoding_format"] == "float"
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_nothing_is_asked_before_the_first_use(make: Make, endpoint: Endpoint) -> None:
    """Making an embedder and reading its name costs no request; its dimension costs one."""
    embedder = make()
    assert embedder.model == f"openai:text-embedding-3-small@127.0.0.1:{endpoint.server_port}/v1"
    assert embedder.token_dimension == 0
    assert not endpoint.requests
    assert embedder.dimension == 4
    assert embedder.dimension == 4
    assert len(endpoint.requests) == 1


def test_many_texts_go_in_batches(make: Make, endpoint: Endpoint) -> None:
    """No request carries more texts than endpoints take, and all come back in order."""
    texts = [f"text {number}" for number in range(300)]
    embeddings = make().embed(texts)
    assert [len(request["input"]) for request in endpoint.requests] == [128, 128, 44]
    last = np.array(vector("text 299"))
    assert np.allclose(last / np.linalg.norm(last), embeddings[-1].pooled, atol=1e-6)


def test_a_text_without_words_is_not_sent(make: Make, endpoint: Endpoint) -> None:
    """Endpoints refuse empty texts; their vector is zero, in its place between the others."""
    one, empty, two = make().embed(["one", " \n", "two"])
    assert not empty.pooled.any()
    assert empty.pooled.shape == one.pooled.shape == two.pooled.shape
    assert endpoint.requests[0]["input"] == ["one", "two"]


def test_a_long_text_is_cut(make: Make, endpoint: Endpoint) -> None:
    """A text beyond every endpoint's limit is cut rather than refused."""
    make().embed(["word " * 10_000])
    assert len(endpoint.requests[0]["input"][0]) == 8000


@pytest.mark.parametrize("fail", [status(429), status(500), status(503), hang_up])
def test_a_transient_failure_is_tried_again(
    make: Make, endpoint: Endpoint, fail: Callable[[_Handler], None]
) -> None:
    """Three failures and a good answer are a good answer."""
    endpoint.failures = [fail] * 3
    assert len(make().embed([TEXT])) == 1
    assert len(endpoint.requests) == 4


@pytest.mark.parametrize(
    ("fail", "words"),
    [(status(429), "HTTP 429"), (status(500), "HTTP 500"), (hang_up, "cannot be reached")],
)
def test_after_the_fourth_failure_it_gives_up(
    make: Make, endpoint: Endpoint, fail: Callable[[_Handler], None], words: str
) -> None:
    """Four tries, then an error that says what the endpoint did."""
    endpoint.failures = [fail] * 4
    assert words in failure(lambda: make().embed([TEXT]))
    assert len(endpoint.requests) == 4


@pytest.mark.parametrize(
    ("code", "words"), [(401, "refused the API key"), (403, "refused the API key"), (404, "404")]
)
def test_a_lasting_failure_is_not_tried_again(
    make: Make, endpoint: Endpoint, code: int, words: str
) -> None:
    """A refused key stays refused: one request, and the reason."""
    endpoint.failures = [status(code)]
    assert words in failure(lambda: make().embed([TEXT]))
    assert len(endpoint.requests) == 1


def test_a_question_does_not_wait(make: Make, endpoint: Endpoint) -> None:
    """A question is tried once: search goes on without vectors."""
    endpoint.failures = [status(500)]
    assert "HTTP 500" in failure(lambda: make().embed_query(TEXT))
    assert len(endpoint.requests) == 1


def test_no_answer_in_time_is_a_failure(make: Make, endpoint: Endpoint) -> None:
    """The time limit ends the call."""
    endpoint.failures = [hang]
    embedder = make(query_timeout_seconds=0.05)
    assert "in time" in failure(lambda: embedder.embed_query(TEXT))


def test_nobody_there_is_a_failure(make: Make) -> None:
    """A refused connection is said to be one."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        embedder = make(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        assert "cannot be reached" in failure(lambda: embedder.embed([TEXT]))


@pytest.mark.parametrize(
    "body", ["{not json", "", "null", "[]", '"text"', '{"data": null}', '{"data": [{}]}', "{}"]
)
def test_an_answer_of_another_kind_is_a_failure(make: Make, endpoint: Endpoint, body: str) -> None:
    """An answer with status 200 is checked before it is used."""
    endpoint.failures = [lambda handler: handler.answer(200, body)]
    assert "endpoint sent an" in failure(lambda: make().embed_query(TEXT))


@pytest.mark.parametrize(
    "rows",
    [
        lambda rows: rows[:1],
        lambda rows: [*rows, rows[0]],
        lambda rows: [rows[0], {**rows[1], "index": 0}],
    ],
)
def test_another_number_of_vectors_is_a_failure(
    make: Make, endpoint: Endpoint, rows: Callable[[Any], Any]
) -> None:
    """A missing, surplus or doubled vector is not given to some text."""
    endpoint.rows = rows
    assert "another number" in failure(lambda: make().embed([TEXT, "two"]))


@pytest.mark.parametrize("embedding", [[], ["a"], [None, 1.0], [[1.0, 2.0]], "text", [1e39, 1.0]])
def test_what_is_no_vector_is_a_failure(make: Make, endpoint: Endpoint, embedding: Any) -> None:
    """Empty, nested, infinite or made of something else: refused."""
    endpoint.rows = lambda rows: [{**rows[0], "embedding": embedding}]
    assert "no vectors" in failure(lambda: make().embed([TEXT]))


def test_another_dimension_than_before_is_a_failure(make: Make, endpoint: Endpoint) -> None:
    """Vectors of two dimensions cannot be compared, so the second is refused."""
    embedder = make()
    embedder.embed(["one"])
    endpoint.rows = lambda rows: [{**rows[0], "embedding": [1.0, 2.0, 3.0]}]
    assert "changed the dimension" in failure(lambda: embedder.embed([TEXT]))
    assert embedder.dimension == 4


def test_after_five_failures_the_endpoint_is_left_alone(make: Make, endpoint: Endpoint) -> None:
    """A minute without requests is followed by one probe, which restores the endpoint."""
    seconds = [0.0]
    embedder = make(breaker=Breaker(now=lambda: seconds[0]))
    endpoint.failures = [status(500)] * 5
    for _ in range(5):
        assert "HTTP 500" in failure(lambda: embedder.embed_query(TEXT))
    assert "left alone" in failure(lambda: embedder.embed_query(TEXT))
    assert len(endpoint.requests) == 5
    seconds[0] = 60.0
    embedder.embed_query(TEXT)
    embedder.embed_query(TEXT)
    assert len(endpoint.requests) == 7


def test_a_refused_text_does_not_count_against_the_endpoint(make: Make, endpoint: Endpoint) -> None:
    """An endpoint that objects to one text works for the next."""
    embedder = make()
    endpoint.failures = [status(400)] * 6
    for _ in range(6):
        assert "HTTP 400" in failure(lambda: embedder.embed_query(TEXT))
    assert embedder.embed_query("another").pooled.any()


def test_the_key_may_stand_in_a_file(make: Make, endpoint: Endpoint, tmp_path: Path) -> None:
    """The configured file goes before the environment; the line's end is not part of the key."""
    path = tmp_path / "key"
    path.write_text("sk-from-a-file\n")
    make(api_key_file=path).embed(["one"])
    assert endpoint.keys == ["Bearer sk-from-a-file"]


def test_a_refused_key_is_read_anew(make: Make, endpoint: Endpoint, tmp_path: Path) -> None:
    """A valid key put into the file counts without a restart of the daemon."""
    file = tmp_path / "key"
    file.write_text("expired", encoding="utf-8")
    embedder = make(api_key_file=file)
    endpoint.failures = [status(401)]
    with pytest.raises(EmbeddingUnavailable, match="refused the API key"):
        embedder.embed([TEXT])
    file.write_text("valid", encoding="utf-8")

    embedder.embed([TEXT])

    assert ["Bearer expired", "Bearer valid"] == endpoint.keys


def test_a_key_file_that_cannot_be_read_is_named_by_its_setting(make: Make, tmp_path: Path) -> None:
    """The error says which setting to look at, not where the file is."""
    message = failure(lambda: make(api_key_file=tmp_path / "none").embed(["one"]))
    assert "file with the API key" in message
    assert str(tmp_path) not in message


def test_without_key_and_endpoint_nothing_is_asked(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to set."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "no API key" in failure(lambda: make(base_url=None).embed(["one"]))


def test_an_endpoint_of_ones_own_needs_no_key(
    make: Make, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A local server gets requests without a key."""
    monkeypatch.delenv("OPENAI_API_KEY")
    make().embed(["one"])
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        (None, "openai:m"),
        ("http://me:secret@host:1/v1/", "openai:m@host:1/v1"),
        ("https://host/v1", "openai:m@host/v1"),
    ],
)
def test_the_recorded_name_tells_endpoints_apart(base_url: str | None, expected: str) -> None:
    """A different endpoint may mean different vectors; a password in its address is never
    recorded."""
    assert expected == recorded_model("m", base_url)
