"""Fit sections with budgets of their own under one total. Pure.

A section is filled in rank order and shown in time order. If not all fit, the sections of lowest
priority are cut first; an item that does not fit is shortened if it can be, else left out, and a
shorter one after it may still come in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from ashd.config import Memory
from ashd.token_estimate import estimate

Why = Literal["in", "over_section", "over_total", "twice", "below_similarity", "echo"]

Reason = Literal[
    "always",
    "pinned",
    "profile",
    "known",
    "relation",
    "standing",
    "ranked",
    "newest",
    "latest",
    "neighbour",
]
"""The reason for considering an item: its rank, or one that does not depend on the question."""


_PEOPLE_TOKENS: Final = 500
_PEOPLE_SHARE: Final = 4
"""People, who come before the memories about them, take one in so many tokens at most."""
NO_BUDGETS: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a section. `key` identifies it, so that it appears once."""

    key: str
    text: str
    tokens: int
    at: int | None = None
    """When it was said, in microseconds; items without a time keep their rank's order."""
    value: Any = None
    score: float | None = None
    reason: Reason = "ranked"
    shorter: Callable[[], Sequence[str]] | None = None
    """Makes shorter texts for the item, the longest first."""
    place: tuple[int, str, int] | None = None
    """The start of its run of consecutive messages (microseconds), the conversation's id, and the
    message's index: the order in the section."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section before cutting: its items by rank."""

    name: str
    heading: str
    items: Sequence[Item]
    in_time_order: bool = True
    left_out: Sequence[tuple[Item, Why]] = ()
    """Items that were left out before, and why."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A section as it goes into the block."""

    name: str
    heading: str
    items: list[Item]
    tokens: int
    decisions: list[tuple[Item, Why]] = field(default_factory=list)
    """Each item with the reason why it is in or out."""


def budgets_of(settings: Memory, total: int) -> dict[str, int]:
    """Return the budget of each section with a bound of its own, for a block of so many tokens."""
    return {
        "people": min(_PEOPLE_TOKENS, total // _PEOPLE_SHARE),
        "profile": settings.profile_max_tokens,
        "memories": settings.working_memory_budget_tokens,
        "summaries": settings.summary_budget_tokens,
        "relationships": settings.graph_budget_tokens,
        "excerpts": settings.chunk_budget_tokens,
        "relevant_summaries": settings.summary_budget_tokens,
    }


def heading_tokens(heading: str) -> int:
    """Return the tokens of a section's heading, with the blank lines around it."""
    return estimate(f"\n## {heading}\n\n")


def fill(
    sections: Sequence[Section], total: int, budgets: Mapping[str, int] = NO_BUDGETS
) -> list[Filled]:
    """Fill the sections, given by priority, highest first; empty ones are left out.

    `total` and `budgets` are tokens. A section's budget is for its items alone; a section that has
    none is bounded by the total.
    """
    left = total
    seen: set[str] = set()
    filled = []
    for section in sections:
        made = _fill(section, left, budgets.get(section.name), seen)
        if made.items:
            left -= made.tokens
            seen |= {item.key for item in made.items}
        filled.append(made)
    return [made for made in filled if made.items or made.decisions]


def _fill(section: Section, left: int, budget: int | None, seen: set[str]) -> Filled:
    heading = heading_tokens(section.heading)
    left -= heading
    used = 0
    chosen: list[Item] = []
    decisions: list[tuple[Item, Why]] = [*section.left_out]
    keys = set(seen)
    for one in section.items:
        why, item = _limit(one, used, budget, left), one
        if one.key in keys:
            why = "twice"
        elif why != "in" and one.shorter is not None:
            shorter = [
                replace(one, text=text, tokens=estimate(f"{text}\n")) for text in one.shorter()
            ]
            fits = (cut for cut in shorter if _limit(cut, used, budget, left) == "in")
            if cut := next(fits, None):
                why, item = "in", cut
        decisions.append((item, why))
        if why == "in":
            used += item.tokens
            keys.add(item.key)
            chosen.append(item)
    if section.in_time_order:
        chosen.sort(key=lambda item: item.place or (item.at or 0, "", 0))
    return Filled(section.name, section.heading, chosen, used + heading if chosen else 0, decisions)


def _limit(item: Item, used: int, budget: int | None, left: int) -> Why:
    """Return the limit that an item would exceed, or that it fits."""
    if budget is not None and used + item.tokens > budget:
        return "over_section"
    return "over_total" if used + item.tokens > left else "in"
