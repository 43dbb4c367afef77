"""A summary needs a floor of evidence: what it names was spoken of, in any language."""

import pytest

from ashd.conversation import summary_evidence
from ashd.conversation.summary_evidence import Said
from ashd.conversation.summary_text import KeyDate, SummaryText

ENGLISH = (
    "[1] @al (Alice), 2026-05-01T10:00Z: We go to lisbon with anna next Friday, for 1,200 euros\n"
    "[2] assistant, 2026-05-01T10:01Z: By train or by plane?\n"
    "[3] @al (Alice), 2026-05-01T10:02Z: By train, I think. I have to ask the neighbours first."
)
GERMAN = (
    "[1] @uwe (Uwe), 2026-05-01T10:00Z: Ich ziehe im Sommer mit meiner Schwester nach Graz.\n"
    "[2] @uwe (Uwe), 2026-05-01T10:02Z: Die Wohnung in der Altstadt kündige ich im Juni."
)
CHINESE = "[1] @li (Li), 2026-05-01T10:00Z: 我下个月搬到上海,在一家银行工作。"


def summary(overall: str, **lists: list[str]) -> SummaryText:
    """A summary; lists are empty unless given."""
    empty: dict[str, list[str]] = {"topics": [], "decisions": [], "action_items": []}
    return SummaryText(overall=overall, key_dates=[], **{**empty, **lists})


@pytest.mark.parametrize(
    ("said", "overall"),
    [
        (ENGLISH, "Alice and Anna travel to Lisbon on 8 May 2026; it costs 1200 euros."),
        (ENGLISH, "The user plans a voyage by rail and wants to ask the neighbours."),
        (ENGLISH, "Alice fährt mit Anna im Mai 2026 nach Lissabon, mit dem Zug."),
        (GERMAN, "Uwe plant einen Umzug nach Graz und die Kündigung seines Mietvertrags."),
        (GERMAN, "Uwe and his sister are moving to Graz in the summer."),
        (CHINESE, "用户计划搬家到上海并在银行上班。"),
        (CHINESE, "Li is moving to Shanghai next month."),
        (ENGLISH, "They made a plan."),
        (ENGLISH, ""),
    ],
)
def test_paraphrase_or_translation_has_its_evidence(said: str, overall: str) -> None:
    assert summary_evidence.checked(summary(overall), Said.of(said)) == summary(overall)


@pytest.mark.parametrize(
    ("said", "overall"),
    [
        (ENGLISH, "Robert met Susan and Margaret in Chicago to sell their house."),
        (ENGLISH, "Many topics came up, several questions were answered, something was concluded."),
        (ENGLISH, "The meeting in Chicago was moved to 1987 with 350 guests by Susan."),
        (ENGLISH, "By now they talked about a visit to Susan."),
        (GERMAN, "Es ging um verschiedene Themen, einige Fragen wurden ausführlich besprochen."),
        (CHINESE, "用户想学习弹吉他。"),
    ],
)
def test_summary_of_something_else_is_refused(said: str, overall: str) -> None:
    assert summary_evidence.checked(summary(overall), Said.of(said)) is None


def test_entry_without_evidence_is_left_out() -> None:
    """Others stay; a reckoned date needs a year near the turns'."""
    given = SummaryText(
        overall="Alice goes to Lisbon.",
        topics=["voyage", "visit to Chicago"],
        decisions=["Alice takes the train.", "They sell it to Susan for 9000."],
        key_dates=[KeyDate("2026-05-08", "departure"), KeyDate("1987-01-01", "departure")],
        action_items=["ask the neighbours"],
    )
    made = summary_evidence.checked(given, Said.of(ENGLISH))
    assert made is not None
    assert ["voyage"] == made.topics
    assert ["Alice takes the train."] == made.decisions
    assert [KeyDate("2026-05-08", "departure")] == made.key_dates
    assert given.action_items == made.action_items


def test_lists_without_any_evidence_are_no_summary() -> None:
    """They must not pass for a conversation in which nothing mattered."""
    given = summary("", topics=["a visit to Chicago with Susan"])
    assert summary_evidence.checked(given, Said.of(ENGLISH)) is None
    known = summary("", topics=["the way to Lisbon"])
    assert known == summary_evidence.checked(known, Said.of(ENGLISH))
