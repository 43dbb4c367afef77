"""Lines of the block for the prompt, with the labels that a model reads."""

from types import SimpleNamespace
from typing import cast

import pytest

from ashd.context import sections
from ashd.context.chosen_memories import concerned
from ashd.conversation.model import MessageView
from ashd.conversation.summaries import SummaryView
from ashd.memory.model import Conflict, Memory
from ashd.memory.search_results import Result
from ashd.people.directory import Acquaintance
from ashd.people.model import PersonView, RelationshipView


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


def person(identifier: str, name: str, **relations: str) -> PersonView:
    """Return a person with a name, who is something ("mother") to people with these names."""
    return PersonView(
        id=identifier,
        version=1,
        created_by=None,
        name=name,
        relationships=[
            RelationshipView(word, to_name, to_name, None, "2026-05-04T12:00:00Z", None)
            for to_name, word in relations.items()
        ],
        aliases=[],
        accounts=[],
        merged_into=None,
        metadata=None,
        created_at="2026-05-04T12:00:00Z",
        updated_at="2026-05-04T12:00:00Z",
    )


def test_known_people_have_the_speakers_word_for_them() -> None:
    """In the order that is given; whoever has no relationship is known by the name alone."""
    known = [Acquaintance(person("a", "Sarah"), "boss"), Acquaintance(person("b", "Tom"), None)]

    made = sections.people(known)

    assert [one.text for one in made.items] == ["- **Sarah** (boss)", "- **Tom**"]
    assert not made.in_time_order


def test_known_people_are_described_once_and_by_whose_relatives_they_are() -> None:
    """A nameless mother is said to be whose she is, unless she is the speaker's own."""
    known = [
        Acquaintance(person("a", "mother", Me="mother"), "mother"),
        Acquaintance(person("b", "mother", Jonas="mother"), None),
        Acquaintance(person("c", "Leila", Karim="wife"), None),
        Acquaintance(person("d", "Kai", someone="twin"), None),
    ]

    assert [one.text for one in sections.people(known).items] == [
        *("- **mother**", "- **Jonas's mother**"),
        *("- **Leila** (Karim's wife)", "- **Kai**"),
    ]


@pytest.mark.parametrize(("speaker", "label"), [("Tom [1]", "Tom (1)"), (None, "user")])
def test_a_message_says_its_day_and_who_said_it(speaker: str | None, label: str) -> None:
    """By the name, as far as it is known; the time of day is left out."""
    said = {"id": "m", "at": "2026-05-04T12:00:00Z", "role": "user", "content": "I row."}
    message = cast("MessageView", SimpleNamespace(**said, speaker=speaker))

    assert sections._message(message, "ranked").text == f"- [2026-05-04 {label}] I row."


def test_the_people_of_a_question_are_those_it_names_or_describes() -> None:
    """And those whom a chosen memory is about."""
    known = [
        Acquaintance(person("a", "Sarah Lang"), "Boss"),
        Acquaintance(person("b", "Tom"), None),
        Acquaintance(person("c", "Uma"), "aunt"),
        Acquaintance(person("d", "dev42"), "best friend"),
        Acquaintance(person("e", "dev43"), None),
        Acquaintance(person("f", "Ruth"), "mother"),
    ]
    of_uma = cast("Result", SimpleNamespace(memory=SimpleNamespace(subject_person_ids=["c"])))

    def names(question: str, *chosen: Result) -> list[str]:
        return [one.person.name for one in concerned(known, question, chosen)]

    assert names("where does Lang row?") == ["Sarah Lang"]
    assert names("what does my BOSS eat?") == ["Sarah Lang"]
    assert names("does Tom row?", of_uma) == ["Tom", "Uma"]
    assert names("who rows?") == []
    assert names("what does dev43 eat?") == ["dev43"]
    assert names("does my best friend row?") == ["dev42"]
    assert names("call mum") == names("where do my parents live?") == ["Ruth"]


def test_a_profile_has_an_item_for_each_line_that_says_something() -> None:
    """Empty lines are none, and no profile has none."""
    made = sections.profile("Likes tea.\n\n  \nRows.")

    assert [one.text for one in made.items] == ["Likes tea.", "Rows."]
    assert not made.in_time_order
    assert list(sections.profile(None).items) == []


@pytest.mark.parametrize(
    ("ids", "told"),
    [({}, "2026-06-03 and 2026-06-09"), ({"n": "K7"}, "2026-06-03 (K7) and 2026-06-09")],
)
def test_an_earlier_memory_says_the_days_of_what_perhaps_replaces_it(
    ids: dict[str, str], told: str
) -> None:
    """Without the time of day, and with the id where ids are shown."""
    newer = [
        Conflict(id=one, relation="newer", likelihood=0.9, at=f"{day}T12:00:00Z", content="x")
        for one, day in (("m", "2026-06-09"), ("n", "2026-06-03"))
    ]
    memory = cast("Memory", SimpleNamespace(conflicts=newer))

    assert sections._earlier(memory, ids) == f"earlier; perhaps replaced by what was told on {told}"
