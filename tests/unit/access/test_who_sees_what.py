"""The table of who sees what, on its page, is the policy's. Budget: 1 s.

`python tests/unit/access/test_who_sees_what.py` writes it anew.
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
    Who("who told it", told_it=True, was_there=True),
    Who("who was there", was_there=True),
    Who("who was there and is meant", was_there=True, is_meant=True),
    Who("who was not there but is meant", is_meant=True),
    Who("anybody else"),
]
WHERE = [
    Where("in private", group=False),
    Where("in that group, all of whom were there", group=True, same=True),
    Where("in that group, somebody new among them", group=True, same=True, newcomer=True),
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
            rows = [("anybody there", *rows[0][1:])]
        lines += [
            f"| {name} | {where.name} | {private or 'nothing'} | {group or 'nothing'} |"
            for name, private, group in rows
        ]
    return "\n".join(lines) + "\n"


def test_the_page_says_what_the_policy_decides() -> None:
    """The table on the page is the one that the policy makes."""
    written = MARKS.search(PAGE.read_text(encoding="utf-8"))

    assert written is not None
    assert table() == written[0]


def test_the_page_is_half_a_page() -> None:
    """The page stays short besides its table."""
    text = MARKS.sub("", PAGE.read_text(encoding="utf-8"))

    assert len(text.split()) < 350


if __name__ == "__main__":
    PAGE.write_text(MARKS.sub(table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
