"""`benchmarks/locomo_answer`: the official F1, and a whole run against the scripted endpoint.

The data are invented. Budget: 40 s.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo_answer import report, run
from benchmarks.locomo_answer.token_f1 import score
from tests.endpoint import Endpoint, Status

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I keep two geese, Hugo and Vera."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "I repaired the mill yesterday."},
        ],
    },
    "qa": [
        {
            "question": "Which geese does Ann keep?",
            "answer": "Hugo, Vera",
            "category": 1,
            "evidence": ["D1:1"],
        },
        {
            "question": "When did Bob repair the mill?",
            "answer": "7 May 2023",
            "category": 2,
            "evidence": ["D1:2"],
        },
        {
            "question": "Would Ann like a pond?",
            "answer": "Likely yes; geese swim",
            "category": 3,
            "evidence": [],
        },
        {
            "question": "How many geese does Ann keep?",
            "answer": 2,
            "category": 4,
            "evidence": ["D1:1"],
        },
        {
            "question": "When did Ann repair the mill?",
            "adversarial_answer": "7 May 2023",
            "category": 5,
            "evidence": ["D1:2"],
        },
    ],
}
SAID = {
    "Which geese": "Hugo",
    "When did Bob": "7 May 2023",
    "Would Ann": "Yes, likely",
    "How many": "three",
    "When did Ann": "Not mentioned in the memory",
}


@pytest.mark.parametrize(
    ("category", "said", "answer", "expected"),
    [
        (4, "The geese swim.", "A goose swims", 0.5),
        (4, "the and a", "geese", 0.0),
        (4, "1,000 geese", "1000 geese", 1.0),
        (2, "7 May 2023", "May 7, 2023", 1.0),
        (2, "May 2023", "7 May 2023", 0.8),
        (1, "Hugo", "Hugo, Vera", 0.5),
        (1, "Vera, Hugo", "Hugo, Vera", 1.0),
        (3, "likely yes", "Likely yes; geese swim", 1.0),
        (5, "That is not mentioned.", "", 1.0),
        (5, "No information available", "", 1.0),
        (5, "7 May 2023", "", 0.0),
    ],
)
def test_f1_is_the_official_one(category: int, said: str, answer: str, expected: float) -> None:
    """Stems without articles; parts of several answers, the first of an explained one."""
    assert score(category, said, answer) == pytest.approx(expected)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Answers as `SAID`, and judges by whether it says what is right."""
    made = Endpoint()
    monkeypatch.setenv("OPENAI_BASE_URL", made.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made.always("answer_question", lambda request: _answer(request["messages"][1]["content"]))
    made.always("judge_answer", lambda request: _verdict(request["messages"][1]["content"]))
    yield made
    made.end()


def _answer(asked: str) -> str:
    question = asked.rpartition("Question: ")[2]
    return next(said for begin, said in SAID.items() if question.startswith(begin))


def _verdict(asked: str) -> str:
    if "Would" in asked:
        return "I cannot say"
    right = "7 May" in asked.partition("Right")[0] or asked.endswith(("2023", "memory"))
    return "**CORRECT**" if right else "WRONG."


def write(folder: Path) -> Path:
    """The invented data as a file."""
    file = folder / "locomo.json"
    file.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return file


def answered(folder: Path, *more: str) -> list[dict[str, Any]]:
    """The rows after a run."""
    out = folder / "run.jsonl"
    data = folder / "locomo.json"
    run.main([str(data), "--model", "m", "--embedder", "none", "--out", str(out), *more])
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[1:]]


def test_a_run_answers_judges_and_goes_on_after_a_break(
    tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answered questions are not asked again; a row that was cut off is."""
    write(tmp_path)
    first = answered(tmp_path, "--limit", "2", "--parallel", "1")
    assert [row["key"] for row in first] == ["conv-1/0", "conv-1/1"]
    with (tmp_path / "run.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"key": "conv-1/2", "catego')

    rows = answered(tmp_path, "--parallel", "1")

    assert rows[:2] == first
    assert len(endpoint.asked_for("answer_question")) == 5
    asked = endpoint.asked_for("answer_question")[0]["messages"]
    assert "Hugo and Vera" in asked[1]["content"]
    assert "2023-05-08" in asked[1]["content"]
    assert [round(row["f1"], 2) for row in rows] == [0.5, 1.0, 1.0, 0.0, 1.0]
    assert [row["verdict"] for row in rows] == ["wrong", "correct", "unclear", "wrong", "correct"]
    assert answered(tmp_path) == rows
    assert len(endpoint.asked_for("judge_answer")) == 5
    shown = capsys.readouterr().out
    assert "| **codes 1-4** | 4 | 0.625 | 25.0% | 1 |" in shown
    assert "| 5 adversarial | 1 | 1.000 | 100.0% | 0 |" in shown

    prices = ["--price-in", "1", "--price-out", "2"]
    report.main([str(tmp_path / "run.jsonl"), *prices])
    assert "USD" in capsys.readouterr().out


@pytest.mark.usefixtures("endpoint")
def test_answers_of_another_run_are_not_mixed_in(tmp_path: Path) -> None:
    """Another budget is another run, and the error names the settings that differ."""
    write(tmp_path)
    answered(tmp_path, "--limit", "1")

    with pytest.raises(SystemExit, match="max_tokens"):
        answered(tmp_path, "--max-tokens", "500")


def test_an_endpoint_that_fails_loses_nothing(tmp_path: Path, endpoint: Endpoint) -> None:
    """Rows written before the failure stay, and the message says how to go on."""
    write(tmp_path)
    endpoint.script("answer_question", "Hugo", Status(401))

    with pytest.raises(SystemExit, match="same command again"):
        answered(tmp_path, "--parallel", "1")

    rows = answered(tmp_path)
    assert rows[0]["answer_text"] == "Hugo"
    assert sorted(row["key"] for row in rows) == [f"conv-1/{number}" for number in range(5)]


def test_without_context_the_model_gets_the_question_alone(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    """Such a run is one of its own: it does not go on with answers from memory."""
    write(tmp_path)

    rows = answered(tmp_path, "--without-context", "--limit", "2")

    asked = [request["messages"][1]["content"] for request in endpoint.asked_for("answer_question")]
    assert {"Question: Which geese does Ann keep?", "Question: When did Bob repair the mill?"} == {
        one.strip() for one in asked
    }
    assert [0, 0] == [row["context"]["tokens"] for row in rows]
    with pytest.raises(SystemExit, match="without_context"):
        answered(tmp_path, "--limit", "3")
