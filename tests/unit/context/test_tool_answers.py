"""A tool's answer as text: stored lines are marked as data, our own sentences are not."""

from typing import Any

import msgspec

from ashd import errors
from ashd.context.budget import Item, Section
from ashd.context.tool_answers import (
    ANSWER_TOKENS,
    NOTHING,
    fenced,
    listed,
    of_shown,
    remembered,
    says,
    settling,
)
from ashd.conversation.echoed_context import TOOL_LEAD
from ashd.memory.add_result import Added, AddResult, PersonNamed
from ashd.memory.model import Conflict, Memory
from ashd.people.alternatives import MayBe


def stored(content: str, *people: PersonNamed) -> AddResult:
    """Return the outcome of one fact that was stored."""
    known: dict[str, Any] = dict.fromkeys(Memory.__struct_fields__)
    known |= {"id": "m1", "content": content, "conflicts": []}
    memory = Memory(**known | {"created_at": "2026-05-04T12:00:00Z"})
    return AddResult([Added("added", memory, [], [], [], list(people))], [])


def test_only_stored_lines_are_called_data() -> None:
    """The sentence stands above them; an answer of our own words alone does not have it."""
    assert fenced(["- [Memory] Tea"], ["", "Done."]) == f"{TOOL_LEAD}\n- [Memory] Tea\nDone."
    assert fenced([], ["Nothing."]) == "Nothing."


def test_whoever_else_is_meant_is_named_with_the_known_relationship() -> None:
    """Somebody without one is known by the name alone."""
    others = [MayBe("p2", "Sarah Jones", "colleague"), MayBe("p3", "Sarah Smith", None)]

    text = remembered(stored("Sarah sings", PersonNamed("p1", "Sarah", True, others)), {"m1": "m1"})

    assert (
        "Sarah could also be: Sarah Jones (colleague) (id p2), Sarah Smith (id p3)."
        in text.splitlines()[-1]
    )


def test_a_fact_that_was_refused_is_told_by_its_number_and_reason() -> None:
    """Only that one is: the other facts of the call were stored."""
    tea = stored("Tea is in the tin").memories[0]
    error = {"message": "content seems to hold a secret", "data": {"hint": "Leave it out."}}
    refused = Added("refused", None, [], [], [], [], error=error)

    text = remembered(AddResult([tea, refused], []), {"m1": "m1"})

    told = [line for line in text.splitlines() if "was not stored" in line]
    assert told == ["Fact 2 was not stored: content seems to hold a secret. Leave it out."]


def test_an_error_names_those_who_may_be_meant() -> None:
    """Whoever has no name is told by the id; an error without candidates is its two sentences."""
    candidates = [{"id": "p1", "name": "Sarah", "relationships": ["boss"]}, {"id": "p2"}]

    several = says(errors.Ambiguous("Several fit.", "Say which", candidates=candidates))
    none = says(errors.NotFound("Nobody fits", "Name somebody else."))

    assert several == "Several fit. They are: Sarah, boss (id p1); id p2. Say which."
    assert none == "Nobody fits. Name somebody else."


def test_a_list_says_how_many_items_were_left_out() -> None:
    """As many come in as an answer may have tokens; of none at all it says so."""

    def answer(*sizes: int) -> list[str]:
        items = [Item(str(n), f"- {n}", size) for n, size in enumerate(sizes)]
        return listed(Section("a", "A", items), ["How."]).splitlines()

    third = ANSWER_TOKENS // 3 + 1
    assert answer(third, third) == [TOOL_LEAD, "- 0", "- 1", "How."]
    assert answer(*[third] * 5) == [
        *(TOOL_LEAD, "- 0", "- 1"),
        *("(3 more: ask for something narrower.)", "How."),
    ]
    assert answer() == [NOTHING, "How."]


def test_only_the_older_memory_of_a_conflict_is_to_be_settled() -> None:
    """The newer one names the older, too, and holds."""

    def conflicting(name: str, other: str, relation: Any) -> Memory:
        known: dict[str, Any] = dict.fromkeys(Memory.__struct_fields__)
        conflict = Conflict(other, relation, 0.5, "2026-05-04T12:00:00Z", "Tea")
        return Memory(**known | {"id": name, "conflicts": [conflict]})

    shown = [conflicting("m1", "m2", "newer"), conflicting("m2", "m1", "older")]

    assert of_shown(shown) == ["m1", "m2", "m2"]
    assert settling(shown, {"m1": "a1", "m2": "b2"}) == [
        'If a1 no longer holds, call remember with the words of b2 as content and supersedes "a1".'
    ]


def test_a_stored_fact_says_what_became_of_older_ones() -> None:
    """It tells what it replaces, and that it was said before; a known fact says so."""
    plain = stored("Tea is in the tin").memories[0]
    ids = {"m1": "m1", "m2": "m2", "m3": "m3"}

    def label(**changes: Any) -> str:
        (line,) = remembered(
            AddResult([msgspec.structs.replace(plain, **changes)], []), ids
        ).splitlines()[1:]
        return line.partition("]")[0]

    assert label().startswith("- [Remembered")
    assert "in place of" not in label()
    assert "said before" not in label()
    assert label(superseded=["m2", "m3"]).endswith(", in place of m2 and m3")
    assert label(repeats=["m2"]).endswith(", said before in other words")
    assert label(outcome="duplicate").startswith("- [Known already")
