"""Words for several people ("family", "friends") and the relationships that they include."""

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
