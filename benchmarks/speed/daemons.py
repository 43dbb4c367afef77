"""Daemons to measure, filled with facts; the process fixture of the tests starts them."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from ashd import config
from ashd.providers import installed_models
from benchmarks.speed import facts
from tests.daemons import Daemon

BATCH = 100


def providers(models: Path | None) -> list[str]:
    """The embedders that can be had here without a network."""
    return ["none", "wordllama", *(["minilm"] if models is not None else [])]


def models_folder(given: Path | None) -> Path | None:
    """Return the folder of the installed MiniLM, or None."""
    folder = given or installed_models.folder(config.home(None))
    return folder.absolute() if (folder / "minilm").is_dir() else None


@contextmanager
def daemon(provider: str, models: Path | None) -> Iterator[Daemon]:
    """A daemon on a home of its own, started."""
    made = prepared(provider, models)
    try:
        yield made.start()
    finally:
        made.remove()
    if made.unexpected():
        raise SystemExit(f"The daemon logged errors: {made.unexpected()}")


def prepared(provider: str, models: Path | None) -> Daemon:
    """A daemon, not started."""
    made = Daemon(environment={"ASH_MODELS": str(models)} if models else {})
    made.config(f'[embedding]\nprovider = "{provider}"\n')
    return made


def owner(name: str) -> dict[str, str]:
    """The scope of somebody's private chat."""
    return {"provider": "bench", "user_id": name}


def fill(target: Daemon, name: str, count: int, *, seed: int) -> None:
    """Give an owner `count` memories; what is refused as said already is made up for."""
    source, added = facts.facts(seed), 0
    with target.client() as client:
        while added < count:
            batch = [{"content": text} for text in islice(source, min(BATCH, count - added))]
            result = client.call("memory.add", scope=owner(name), facts=batch)
            added += sum(entry["outcome"] == "added" for entry in result["memories"])


def talk(target: Daemon, name: str, count: int, *, seed: int) -> None:
    """Give an owner a conversation of `count` turns, twenty turns an hour."""
    said = facts.facts(seed)
    start = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
    turns = [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": text,
            "at": (start + dt.timedelta(hours=number // 20, minutes=number % 20)).isoformat(),
        }
        for number, text in enumerate(islice(said, count))
    ]
    with target.client() as client:
        for first in range(0, count, BATCH):
            client.call(
                "conversation.ingest",
                scope=owner(name),
                conversation_id="talk",
                messages=turns[first : first + BATCH],
            )
