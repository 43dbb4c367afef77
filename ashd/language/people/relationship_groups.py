"""Words that include several relationships: "family", "friends", "sibling"."""

from typing import Final

_CHILDREN: Final = frozenset({"child", "son", "daughter"})
_PARENTS: Final = frozenset({"parent", "mother", "father"})
_SIBLINGS: Final = frozenset({"sibling", "sister", "brother", "twin"})
MEMBERS: Final = {
    "parents": _PARENTS,
    "children": _CHILDREN,
    "siblings": _SIBLINGS,
    "sons": frozenset({"son"}),
    "daughters": frozenset({"daughter"}),
    "sisters": frozenset({"sister"}),
    "brothers": frozenset({"brother"}),
    "grandparents": frozenset({"grandmother", "grandfather"}),
    "in-laws": frozenset(
        {"mother-in-law", "father-in-law", "sister-in-law", "brother-in-law"},
    ),
    "friends": frozenset({"friend", "best friend"}),
    "roommates": frozenset({"roommate"}),
    "neighbours": frozenset({"neighbour"}),
    "colleagues": frozenset({"colleague", "teammate"}),
    "family": _CHILDREN | _PARENTS | _SIBLINGS | {"wife", "husband", "spouse", "partner"},
    "team": frozenset({"teammate", "team lead"}),
}
"""The relationships that belong to each word for several people."""

_SPOUSES: Final = frozenset({"wife", "husband"})
NARROWER: Final = MEMBERS | {
    "parent": _PARENTS,
    "child": _CHILDREN,
    "sibling": _SIBLINGS,
    "grandparent": MEMBERS["grandparents"],
    "grandchild": frozenset({"grandson", "granddaughter"}),
    "spouse": _SPOUSES,
    "partner": _SPOUSES | {"spouse", "girlfriend", "boyfriend", "fiancé"},
}
"""The relationships that a question means too when it uses the wider word for them."""
ONE_OF: Final = {"children": "child", "grandparents": "grandparent"}
"""The words for one person of a group, where it is not the group's word without "s"."""
UNREAD: Final = frozenset({"family", "grandparents", "in-laws", "team"})
"""The groups that no reader of references reads, because they mean nobody in particular."""
HOUSEHOLD: Final = _CHILDREN | NARROWER["partner"] | {"partner", "roommate"}
"""The relationships of people who mostly live and eat together."""
