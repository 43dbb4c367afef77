"""The tables of who sees what, on its page, are the policy's. Budget: 1 s.

`python tests/unit/access/test_who_sees_what.py` writes them anew.
"""

import re
from pathlib import Path
from typing import NamedTuple

from ashd.access.disclosure import Asker, Audience, Memory, decide

REPOSITORY = Path(__file__).resolve().parents[3]
PAGE = REPOSITORY / "docs" / "who-sees-what.md"
MARKS = re.compile(
    r"(?<=<!-- table: made from the policy -->\n).*?(?=<!-- end of table -->)", re.DOTALL
)
EXAMPLE = re.compile(
    r"(?<=<!-- example: made from the policy -->\n).*?(?=<!-- end of example -->)", re.DOTALL
)

ME, OTHER, TOLD_IN = 1, 2, 10
LABELS = ("public", "personal", "sensitive")


class Who(NamedTuple):
    """A person's part in the fact."""

    name: str
    told_it: bool = False
    was_there: bool = False
    is_meant: bool = False


class Where(NamedTuple):
    """A chat in which it is asked, by who listens there besides."""

    name: str
    group: bool
    same: bool = False
    newcomer: bool = False


WHO = [
    Who("the teller", told_it=True, was_there=True),
    Who("others who were present", was_there=True),
    Who("a subject who was present", was_there=True, is_meant=True),
    Who("a subject who was not present", is_meant=True),
    Who("anybody else"),
]
WHERE = [
    Where("in private", group=False),
    Where("in that group, where everybody was present", group=True, same=True),
    Where("in that group, with a newcomer", group=True, same=True, newcomer=True),
    Where("in another group", group=True),
]


def shown(learned: str, who: Who, where: Where, label: str, *, portable: bool) -> bool:
    """Return the policy's decision."""
    present = {ME} if who.was_there else set()
    hearing = {ME, OTHER} if where.group else {ME}
    if not where.newcomer:
        present |= hearing if where.same else set()
    return decide(
        Asker(frozenset({ME}), frozenset({ME})),
        Audience(
            TOLD_IN if where.same else TOLD_IN + 1,
            group=where.group,
            accounts=frozenset(hearing),
            persons=frozenset(hearing),
        ),
        Memory(
            TOLD_IN,
            learned,
            sensitivity=label,
            portable=portable,
            owner=ME if who.told_it else 3,
            stated_by=ME if who.told_it else 3,
            subjects=frozenset({ME if who.is_meant else 4}),
            present=frozenset(present),
        ),
    ).shown


def cell(learned: str, who: Who, where: Where) -> str:
    """The labels under which it shows; ¹ where it must be portable too."""
    found = []
    for label in LABELS:
        if shown(learned, who, where, label, portable=False):
            found.append(label)
        elif shown(learned, who, where, label, portable=True):
            found.append(f"{label}¹")
    return ", ".join(found) if len(found) < len(LABELS) else "all"


def table() -> str:
    """The table, one row for who asks where."""
    lines = [
        "| who asks | where | told in a private chat | told in a group |",
        "|---|---|---|---|",
    ]
    for where in WHERE:
        # Where all who listen were there, nobody asks who was not.
        asking = [who for who in WHO if who.was_there or where.newcomer or not where.same]
        rows = [
            (who.name, cell("private", who, where), cell("group", who, where)) for who in asking
        ]
        if len({row[1:] for row in rows}) == 1:
            rows = [("anybody in it", *rows[0][1:])]
        lines += [
            f"| {name} | {where.name} | {private or 'nothing'} | {group or 'nothing'} |"
            for name, private, group in rows
        ]
    return "\n".join(lines) + "\n"


ANN, BOB, CEM, DORA = 1, 2, 3, 4
TRIP, CHOIR, PRIVATE = 10, 11, 20
"""The chats of the example; a private chat is PRIVATE and its account."""


class Said(NamedTuple):
    """A sentence of the example: by whom, of which label, about whom, and in which chat."""

    by: int
    text: str
    label: str
    subjects: frozenset[int] = frozenset()
    chat: int = TRIP


SENTENCES = [
    Said(ANN, "Bob gets a kite", "public", frozenset({BOB}), PRIVATE + ANN),
    Said(ANN, "The train leaves at nine", "public"),
    Said(ANN, "Bob is allergic to nuts", "personal", frozenset({BOB})),
    Said(BOB, "Cem's tent leaks", "public", frozenset({CEM})),
    Said(BOB, "I was in prison", "sensitive", frozenset({BOB})),
]
ASKED: list[tuple[str, int, frozenset[int]]] = [
    ("Ann, in private", PRIVATE + ANN, frozenset({ANN})),
    ("Bob, in private", PRIVATE + BOB, frozenset({BOB})),
    ("Cem, in private", PRIVATE + CEM, frozenset({CEM})),
    ("*trip*, before Cem", TRIP, frozenset({ANN, BOB})),
    ("*trip*, with Cem", TRIP, frozenset({ANN, BOB, CEM})),
    ("*choir*", CHOIR, frozenset({ANN, DORA})),
]
"""The chat in which it is asked, and the listeners; the first of them asks."""


def told(said: Said, chat: int, hearing: frozenset[int]) -> bool:
    """Return whether the policy shows a sentence of the example there."""
    asker = frozenset({min(hearing)})
    memory = Memory(
        said.chat,
        "group" if said.chat == TRIP else "private",
        sensitivity=said.label,
        owner=said.by,
        stated_by=said.by,
        subjects=said.subjects,
        present=frozenset({ANN, BOB}) if said.chat == TRIP else frozenset({said.by}),
    )
    audience = Audience(chat, group=chat in {TRIP, CHOIR}, accounts=hearing, persons=hearing)
    return decide(Asker(asker, asker), audience, memory).shown


def example() -> str:
    """The example's table, one row for each sentence."""
    names = {ANN: "Ann", BOB: "Bob"}
    lines = [
        "| sentence | label | " + " | ".join(name for name, _, _ in ASKED) + " |",
        "|---" * (len(ASKED) + 2) + "|",
    ]
    for said in SENTENCES:
        place = "*trip*" if said.chat == TRIP else "private"
        shown_to = " | ".join(
            "yes" if told(said, chat, hearing) else "" for _, chat, hearing in ASKED
        )
        lines.append(f"| {names[said.by]}, {place}: {said.text} | {said.label} | {shown_to} |")
    return "\n".join(lines) + "\n"


def test_the_page_says_what_the_policy_decides() -> None:
    """The tables on the page are those that the policy makes."""
    page = PAGE.read_text(encoding="utf-8")
    written, written_example = MARKS.search(page), EXAMPLE.search(page)

    assert written is not None
    assert table() == written[0]
    assert written_example is not None
    assert example() == written_example[0]


def test_the_page_is_half_a_page() -> None:
    """The page stays short besides its tables."""
    text = EXAMPLE.sub("", MARKS.sub("", PAGE.read_text(encoding="utf-8")))

    assert len(text.split()) < 350


if __name__ == "__main__":
    PAGE.write_text(
        EXAMPLE.sub(example(), MARKS.sub(table(), PAGE.read_text(encoding="utf-8"))),
        encoding="utf-8",
    )
