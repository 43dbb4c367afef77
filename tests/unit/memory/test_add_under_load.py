"""The work of adding a fact that is done outside the writer thread, which all callers share."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
from services import house

from ashd import errors, limits
from ashd.memory import add as remember
from ashd.memory import incoming_facts
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Fact
from ashd.store.database import Tx


async def test_a_long_text_is_read_before_the_writer_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cleaning, fingerprint, form and n-grams come before; the writer thread does far less."""
    chosen = random.Random(1)
    texts = ["".join(chr(chosen.randint(0x4E00, 0x6FFF)) for _ in range(10_000)) for _ in range(12)]
    before, writing = [], []
    add = remember._add

    def timed(*arguments: Any, **more: Any) -> Any:
        began = time.thread_time()
        result = add(*arguments, **more)
        writing.append(time.thread_time() - began)
        return result

    monkeypatch.setattr(remember, "_add", timed)
    async with house(tmp_path) as at:
        for text in texts:
            began = time.thread_time()
            incoming_facts.prepare(Fact(content=text))
            before.append(time.thread_time() - began)
            await at.add(text)

    assert 2 * sorted(writing)[6] < sorted(before)[6]


async def test_what_was_refused_for_want_of_time_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call repeated with its key stores the rest, and nothing twice."""
    params = AddParams(
        facts=[{"content": "I live in Ghent."}, {"content": "My cat is called Pim."}],
        idempotency_key="k",
    )
    looked: list[int] = []

    def late(_: Tx) -> None:
        looked.append(1)
        if len(looked) == 2:
            raise errors.TimedOut("Too long.", "Later.")

    async with house(tmp_path) as home:
        with monkeypatch.context() as patched:
            patched.setattr(Tx, "check_time", late)
            first = await home.remember.add(home.call(key=b"d"), params)
        again = await home.remember.add(home.call(key=b"d"), params)
        once_more = await home.remember.add(home.call(key=b"d"), params)

        assert [entry.outcome for entry in first.memories] == ["added", "refused"]
        assert [entry.outcome for entry in again.memories] == ["duplicate", "added"]
        assert [entry.outcome for entry in once_more.memories] == ["duplicate", "added"]
        assert len(await home.listed()) == 2


async def test_facts_that_there_is_no_time_to_read_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one is stored however late it is, so a call that is sent again comes to its end."""
    facts = [{"content": "I live in Ghent."}, {"content": "My cat is called Pim."}]
    async with house(tmp_path) as home:
        monkeypatch.setattr(limits, "LEAST_READING_SECONDS", 0.0)
        now = remember.anyio.current_time
        monkeypatch.setattr(remember.anyio, "current_effective_deadline", now)
        read = await remember._read(home.db, AddParams(facts=facts))

    assert [isinstance(fact, errors.TimedOut) for fact in read] == [False, True]
