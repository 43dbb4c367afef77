"""What is decided, and what an embedder may say to it.

A cosine only opens a question: `Nearness` answers whether two texts may speak of one statement,
whether they are as near as paraphrases, and whether two values are of one type.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeAlias

from ashd.memory.conflict import values
from ashd.memory.conflict.clause import Content

ValueCosine: TypeAlias = Callable[[str, str], float]
PairModel: TypeAlias = Callable[[frozenset[str]], tuple[bool, bool]]
"""Asked with what grammar made of them: whether the newer text replaces, or repeats, the older."""

_DENYING: Final = ("un", "in", "dis", "non", "non-")


class Outcome(Enum):
    """What becomes of the older fact, and whether the newer one is stored."""

    KEEP_BOTH = "keep_both"
    DUPLICATE = "duplicate"
    SUPERSEDE = "supersede"


class Verdict(NamedTuple):
    """An outcome and, for the history, the machine-readable reason for it."""

    outcome: Outcome
    reason: str


class Gates(Protocol):
    """An embedder's calibrated cosines; `providers.embedder.Thresholds` is one."""

    @property
    def conflict_gate(self) -> float:
        """Below it two texts do not speak of the same statement."""
        ...

    @property
    def duplicate(self) -> float:
        """At or above it, and without another value, two texts say the same."""
        ...

    @property
    def value_type(self) -> float | None:
        """At or above it two values are of one type; None: this embedder cannot tell."""
        ...


def keep(reason: str) -> Verdict:
    """Both stay."""
    return Verdict(Outcome.KEEP_BOTH, reason)


def duplicate(reason: str) -> Verdict:
    """The newer one says nothing new."""
    return Verdict(Outcome.DUPLICATE, reason)


def supersede(reason: str) -> Verdict:
    """The newer one replaces the older one."""
    return Verdict(Outcome.SUPERSEDE, reason)


@dataclass(frozen=True, slots=True)
class Nearness:
    """What the embedder, if there is one, says of two texts and of phrases of them."""

    cosine: float | None
    value_cosine: ValueCosine | None
    gates: Gates | None

    @property
    def on_one_statement(self) -> bool:
        """The gate is open: the texts may speak of the same statement."""
        return self.cosine is None or self.gates is None or self.cosine >= self.gates.conflict_gate

    @property
    def as_paraphrases(self) -> bool:
        """The texts are as near as two that say the same."""
        if self.cosine is None or self.gates is None:
            return False
        return self.cosine >= self.gates.duplicate

    def one_type(self, left: Content, right: Content) -> bool | None:
        """Whether two values are of one type; None if nobody can tell."""
        if exclude(left, right):
            return True
        if self.value_cosine is None or self.gates is None or self.gates.value_type is None:
            return None
        phrases = " ".join(sorted(left)), " ".join(sorted(right))
        return self.value_cosine(*phrases) >= self.gates.value_type


def exclude(
    left: Content, right: Content, types: Sequence[Sequence[Content]] = values.KINDS
) -> bool:
    """Whether both hold a value of one known type, and not the same: blue, green; on, off."""
    for sides in types:
        ours = {at for at, side in enumerate(sides) if side & left}
        theirs = {at for at, side in enumerate(sides) if side & right}
        if ours and theirs and not ours & theirs:
            return True
    return any(
        prefix + word in other
        for one, other in ((left, right), (right, left))
        for word in one
        for prefix in _DENYING
    )
