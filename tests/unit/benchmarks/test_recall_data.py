"""The data of `benchmarks/recall`: LoCoMo's form, an audit's corrections, the second corpus."""

import json
from pathlib import Path

import pytest

from benchmarks.recall import asking, corpus, locomo, report_data
from benchmarks.recall.locomo import Conversation, Question

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!"},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red kite"},
        ],
        "session_2_date_time": "9:05 am on 1 June, 2023",
        "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "Back again."}],
    },
    "qa": [
        {"question": "What flies?", "category": 4, "evidence": ["D1:2"]},
        {"question": "When?", "category": 2, "evidence": ["D1:02; D:2:1"]},
        {"question": "Why?", "category": 5, "evidence": ["D1:1"]},
        {"question": "Where?", "category": 1, "evidence": ["D9:9"]},
        {"question": "Who?", "category": 1},
    ],
}


@pytest.fixture
def conversations(tmp_path: Path) -> list[Conversation]:
    """The sample, read from a file."""
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return report_data.load(str(file))


def test_turns_keep_their_ids_speakers_dates_and_captions(
    conversations: list[Conversation],
) -> None:
    """Turns are prepared for `conversation.ingest`."""
    assert [
        ("D1:1", "Ann", "Hi!", "2023-05-08T13:56:00+00:00"),
        ("D1:2", "Bob", "Look [shares a red kite]", "2023-05-08T13:56:01+00:00"),
        ("D2:1", "Bob", "Back again.", "2023-06-01T09:05:00+00:00"),
    ] == [
        (message["external_id"], message["speaker"], message["content"], message["at"])
        for message in locomo.messages(conversations[0])
    ]


def test_only_questions_with_evidence_among_the_turns_count(
    conversations: list[Conversation],
) -> None:
    """Ids are read however they are written; code 5 is no part of the headline."""
    questions = conversations[0].questions
    assert [{"D1:2"}, {"D1:2", "D2:1"}, {"D1:1"}] == [set(one.evidence) for one in questions]
    assert ["What flies?", "When?"] == [one.text for one in locomo.headline(conversations[0])]


def test_a_correction_replaces_the_evidence_of_its_question(
    conversations: list[Conversation], tmp_path: Path
) -> None:
    """A correction that leaves no evidence among the turns changes nothing."""
    file = tmp_path / "corrections.json"
    corrections = [
        {"question": "What flies?", "cited_evidence": ["D1:2"], "correct_evidence": ["D2:1"]},
        {"question": "Why?", "cited_evidence": ["D1:1"], "correct_evidence": ["D7:7"]},
        {"question": "When?", "cited_evidence": ["D1:1"], "correct_evidence": ["D1:1"]},
    ]
    file.write_text(json.dumps(corrections), encoding="utf-8")
    mended = report_data.with_corrections(conversations, file)[0].questions
    assert [{"D2:1"}, {"D1:2", "D2:1"}, {"D1:1"}] == [set(one.evidence) for one in mended]


def test_the_second_corpus_answers_its_questions() -> None:
    """Every name that a question gives stands in its store; the conversation's all have one."""
    told = corpus.assistant()
    turns = {turn.external_id for turn in told.turns}
    assert all(one.evidence and one.evidence <= turns for one in told.questions)
    for stores in corpus.fact_sets().values():
        for store in stores:
            names = {fact.name for fact in store.facts}
            assert all(asked.right <= names for asked in store.asked)


def test_every_question_is_asked_in_its_own_space() -> None:
    """Questions follow the order of the conversations, which the measures rely on."""
    told = [
        Conversation(name, [], [Question(f"{name}{n}?", 4, frozenset("x")) for n in (1, 2)])
        for name in "ab"
    ]
    asked: list[tuple[str, str, int]] = []

    def search(space: str, text: str, k: int) -> list[str]:
        asked.append((space, text, k))
        return [text]

    found = asking.ask(told, search)
    assert [["a1?"], ["a2?"], ["b1?"], ["b2?"]] == found["rankings"]
    wanted = [("a", "a1?"), ("a", "a2?"), ("b", "b1?"), ("b", "b2?")]
    assert [(*one, asking.DEPTH) for one in wanted] == asked[:4]
    assert [(*one, 10) for one in wanted] == asked[4:]
    assert 4 == len(found["search_ms"])
