"""Lines of the block for the prompt, with the labels that a model reads."""

import pytest

from ashd.context import sections
from ashd.conversation.summaries import SummaryView


@pytest.mark.parametrize(
    ("title", "label"),
    [
        (None, "2026-05-04, summary of a conversation"),
        ("Moving [to Ghent]", "2026-05-04, summary of Moving (to Ghent)"),
    ],
)
def test_a_summary_says_its_day_and_its_conversation(title: str | None, label: str) -> None:
    """Neither the time of day nor a bracket in the title is part of the label."""
    summary = SummaryView(
        id="s1",
        title=title,
        conversation_id="c",
        began_at="2026-05-04T11:00:00Z",
        at="2026-05-04T12:00:00Z",
        messages=2,
        overall="They packed.",
        topics=[],
        decisions=[],
        key_dates=[],
        action_items=[],
    )

    (item,) = sections.summaries([summary]).items

    assert item.text == f"- [{label}] They packed."


@pytest.mark.parametrize(
    ("end", "day"),
    [
        ("2026-07-01T00:00:00Z", "2026-06-30"),
        ("2026-07-01T00:00:00.000001Z", "2026-07-01"),
        ("2026-07-01T12:00:00Z", "2026-07-01"),
    ],
)
def test_a_fact_lasts_until_the_last_day_that_it_touches(end: str, day: str) -> None:
    """Its end is the first moment after; midnight belongs to the day that begins."""
    assert sections._last_day(end) == day
