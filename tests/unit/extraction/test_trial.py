"""The trial of a language model, for `ash doctor`."""

from typing import Any

import anyio
import pytest
from endpoint import Endpoint, Hang

from ashd.clock import SystemClock
from ashd.config import Llm
from ashd.extraction import trial
from ashd.providers.llm import LanguageModel


class Uncounted:
    """A usage without a ceiling."""

    tokens_today = 0

    def count(self, task: str, sent: int, received: int) -> None:
        """Count nothing."""


def tried(endpoint: Endpoint, **bound: Any) -> trial.Fault | None:
    """Trials of an endpoint's model: the faults that they find."""
    llm = LanguageModel(Llm(base_url=endpoint.url, model="slow"), Uncounted())

    async def run() -> trial.Fault | None:
        try:
            return await trial.fault_of(llm, SystemClock(), 0.5, **bound)
        finally:
            await llm.close()

    return anyio.run(run)


def test_trial_ends_long_before_a_jobs_question_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody waits for it: it says for how long it waited, and nothing of what is wrong."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    endpoint = Endpoint()
    endpoint.always("extract_facts", Hang())
    try:
        fault = tried(endpoint, most_seconds=2)
    finally:
        endpoint.release()
        endpoint.end()

    assert fault is not None
    assert "with slow was ended after 2 seconds, before the answer was complete" in fault.detail
    assert "timeout_s" in fault.remedy
    assert Llm().timeout_s > trial.MOST_SECONDS
