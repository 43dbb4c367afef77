"""Answers to `judge_conflicts` as models write them, read verdict by verdict."""

import json
from typing import Any

import pytest

from ashd.memory import verdict_reading
from ashd.providers.structured import Fault, Written


def read(answer: Any) -> dict[int, str]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return dict(verdict_reading.read(Written(text)))


def one(candidate: Any, verdict: Any, **more: Any) -> dict[str, Any]:
    return {"candidate": candidate, "verdict": verdict, **more}


GOOD = one(1, "replaces", reason="moved")


@pytest.mark.parametrize(
    "answer",
    [
        {"verdicts": [GOOD]},
        {"verdicts": GOOD},
        {"Verdicts": [{"Candidate": 1, "Verdict": "Replaces."}]},
        {"verdicts": [one("[1]", "replace", reason=None)]},
        {"verdicts": [one("candidate 1", "replaced"), one(1.0, "keep") | {"candidate": None}]},
        [GOOD],
        f"```json\n{json.dumps(GOOD)}\n```",
    ],
)
def test_a_verdict_is_read_in_whatever_form_it_comes(answer: Any) -> None:
    assert {1: "replaces"} == read(answer)


@pytest.mark.parametrize(
    "wrong",
    [
        one(2, "not replaces"),
        one(2, None),
        one(2, ["keep", "replaces"]),
        one(True, "keep"),
        one("-2", "keep"),
        one(1.5, "keep"),
        one("the first", "keep"),
        {"verdict": "keep"},
        "2: keep",
        None,
    ],
)
def test_a_wrong_verdict_costs_itself_alone(wrong: Any) -> None:
    assert {1: "replaces"} == read({"verdicts": [wrong, GOOD]})


@pytest.mark.parametrize("second", ["replaces", "keep", "perhaps"])
def test_no_verdict_of_numbers_that_come_twice_is_read(second: str) -> None:
    """A model that counts anew for each new statement would hide what another one is about."""
    assert {} == read({"verdicts": [GOOD, one(1, second), one(2, "replaces")]})


def test_no_verdict_of_numbers_from_zero_is_read() -> None:
    """Each is another statement's."""
    assert {} == read({"verdicts": [one(0, "keep"), one(1, "replaces")]})


def test_no_verdict_of_two_answers_that_differ_is_read() -> None:
    """The first may be the one that is meant, or the second."""
    kept, replaced = ({"verdicts": [one(1, verdict)]} for verdict in ("keep", "replaces"))
    assert {} == read(f"{json.dumps(kept)}\nNo: {json.dumps(replaced)}")


def test_no_verdicts_are_an_answer() -> None:
    assert {} == read({"verdicts": []})


@pytest.mark.parametrize("text", ["", "I cannot say.", "{}", '{"verdict": "keep"}'])
def test_text_without_an_answer_is_a_fault(text: str) -> None:
    with pytest.raises(Fault):
        read(text)
