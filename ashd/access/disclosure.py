"""The disclosure policy: may this be shown here (features.md, section C).

One pure function decides from the asker, the audience and the place where the thing was learned.
The first rule that fits decides; what no rule lets through is hidden. `store.visibility` says the
same in SQL, inside the queries, and a property test compares the two. Names and relationships of
people are decided by the same function, each as a memory of its own.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from ashd import errors
from ashd.store.visibility import EVERY_PROJECT, Viewer

_SHOWN_TO_PRESENT: Final = frozenset({"public", "personal"})


@dataclass(frozen=True, slots=True)
class Asker:
    """The asking account with all accounts joined to it, and its person; empty for a chat."""

    accounts: frozenset[int] = frozenset()
    persons: frozenset[int] = frozenset()
    all_scopes: bool = False
    """The operator on the control socket asked for everything, which is audited."""
    project: str | None = None
    """The project that the question is asked in; `EVERY_PROJECT` for all of them."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The people who see the answer, and the chat they see it in."""

    chat: int | None
    """The chat's row; None for a chat in which nothing was ever said."""
    group: bool
    accounts: frozenset[int] = frozenset()
    """In a group, everyone who takes part now; in private, the asker."""
    persons: frozenset[int] = frozenset()
    known: bool = True
    """False if the audience includes somebody unknown."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The fields of a memory that the policy reads; `learned_in` is "L" in the rules."""

    learned_in: int | None
    learned_type: str | None
    sensitivity: str | None = None
    portable: bool = True
    owner: int | None = None
    stated_by: int | None = None
    subjects: frozenset[int] = frozenset()
    """The subjects that a caller named. People found in the words alone cannot open the memory."""
    present: frozenset[int] = frozenset()
    """The accounts that took part in the chat when the memory was said."""
    project: str | None = None
    """The project that the memory belongs to, if any."""


class Decision(NamedTuple):
    """Whether a memory is shown, and the rule of features.md that decides."""

    shown: bool
    rule: int


def decide(asker: Asker, audience: Audience, memory: Memory) -> Decision:
    """Return whether `memory` may be shown to `asker` while `audience` listens."""
    if asker.all_scopes:
        return Decision(shown=True, rule=1)
    if memory.learned_in is None or memory.learned_type not in {"private", "group"}:
        return Decision(shown=False, rule=2)
    if memory.project is not None and asker.project not in {memory.project, EVERY_PROJECT}:
        return Decision(shown=False, rule=8)
    own = memory.owner in asker.accounts or memory.stated_by in asker.accounts
    if memory.learned_type == "private":
        return Decision(own and not audience.group, rule=3)
    if audience.group and audience.chat == memory.learned_in:
        return Decision(_in_its_own_group(audience, memory), rule=4)
    if not audience.group:
        return Decision(own or _in_private(asker, memory), rule=5)
    if _label(memory) == "public" and memory.portable:
        return Decision(own or not memory.subjects.isdisjoint(audience.persons), rule=6)
    return Decision(shown=False, rule=7)


def _in_its_own_group(audience: Audience, memory: Memory) -> bool:
    """Apply rule 4: a group's memory in that group."""
    if _label(memory) == "public":
        return True
    everyone = audience.known and audience.accounts <= memory.present
    return _label(memory) == "personal" and everyone


def _in_private(asker: Asker, memory: Memory) -> bool:
    """Apply rule 5 to somebody who neither owns the memory nor said it."""
    present = not asker.accounts.isdisjoint(memory.present)
    is_subject = not asker.persons.isdisjoint(memory.subjects)
    if present:
        return _label(memory) in _SHOWN_TO_PRESENT or is_subject
    return is_subject and _label(memory) == "public" and memory.portable


def _label(memory: Memory) -> str:
    """Return the sensitivity; a memory without a label is public."""
    return "public" if memory.sensitivity is None else memory.sensitivity


STRICTNESS: Final[dict[str | None, int]] = {
    None: 0,
    **{label: rank for rank, label in enumerate(("public", "personal", "sensitive"))},
}
"""The order of sensitivities; a memory without a label is public."""


def stricter(*labels: str | None) -> str | None:
    """Return the strictest of the labels, for a text that is derived from several (C5)."""
    return max(labels, key=STRICTNESS.__getitem__, default=None)


def may_change(viewer: Viewer, learned_in: int | None, learned_type: str | None) -> bool:
    """Return whether the viewer may change in place a memory that was learned in a chat.

    A group's memories are changed in that group alone, so that a change never shows there what was
    said elsewhere.
    """
    if viewer.everything:
        return True
    if learned_type == "private":
        return not viewer.group
    return viewer.group and learned_in is not None and viewer.chat == learned_in


def require_changeable(viewer: Viewer, learned_in: int | None, learned_type: str | None) -> None:
    """Refuse a change in place from elsewhere (`may_change`).

    Raises:
        errors.Denied: it was learned in another group.
    """
    if not may_change(viewer, learned_in, learned_type):
        raise errors.Denied(
            "What a group was told is changed in that group.",
            "Ask there, store something of your own, or act as the operator (all_scopes).",
        )


def sides(viewer: Viewer) -> tuple[Asker, Audience]:
    """The asker and the audience of a viewer."""
    return (
        Asker(
            frozenset(viewer.accounts), frozenset(viewer.persons), viewer.everything, viewer.project
        ),
        Audience(
            chat=viewer.chat,
            group=viewer.group,
            accounts=frozenset(viewer.audience),
            persons=frozenset(viewer.audience_persons),
            known=viewer.audience_known,
        ),
    )
