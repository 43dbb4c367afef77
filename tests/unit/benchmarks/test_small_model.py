"""The benchmark with a real small model, here with the scripted endpoint in its place.

Budget: 20 s.
"""

from typing import Any

import pytest

from benchmarks.extraction import scripted, small_model, small_model_table
from benchmarks.speed import machine
from tests.endpoint import Endpoint, Status


def test_part_that_fails_is_reported_beside_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    """A model of which one way of asking is too much still has its figures; progress is shown."""
    fact = {"content": "Vera moved.", "turn": 1, "quote": "Vera moved to Graz"}

    def answer(request: dict[str, Any]) -> Any:
        asked = request["messages"][1]["content"]
        if "facts, entities" in asked:
            return Status(400)
        return {"facts": [fact] if "facts and profile" in asked else []}

    endpoint = Endpoint()
    endpoint.always("extract_facts", answer)
    try:
        result = small_model.measure(endpoint.url, "scripted")
    finally:
        endpoint.end()

    assert "HTTP 400" in result["graph"]["together"]["error"]
    assert 1 == result["graph"]["apart"]["facts_with_evidence"]
    assert 1 == result["graph"]["not at all"]["facts_with_evidence"]
    reading = [job for job in result["daemon"]["jobs"] if job["kind"] == "extract_facts"]
    assert ["set_aside"] * len(small_model.CONVERSATIONS) == [job["state"] for job in reading]
    assert "A trial of fact extraction failed" in result["daemon"]["doctor"][0]
    said = capsys.readouterr().err
    assert "entities: apart\nconversation 1 of 3\n" in said
    assert "| together | LlmUnavailable" in page(result)


def test_daemon_that_does_not_start_costs_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error stands in the place of its figures."""

    def fail(_: object) -> None:
        raise AssertionError("the daemon ended")

    monkeypatch.setattr(scripted.Daemon, "start", fail)
    endpoint = Endpoint()
    endpoint.always("extract_facts", {"facts": []})
    try:
        result = small_model.measure(endpoint.url, "scripted")
    finally:
        endpoint.end()

    assert {"error": "AssertionError: the daemon ended"} == result["daemon"]
    assert "the daemon ended" in page(result)


def page(result: dict[str, Any]) -> str:
    """The section of the README."""
    return small_model_table.page({**result, "machine": machine.describe(("ashd",))})
