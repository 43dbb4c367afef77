"""The specification of a search, and its result."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import Embedder, Embedding, FloatVector
from ashd.search.calibration import Calibration
from ashd.search.query import Query
from ashd.store.embeddings import EmbeddingSet
from ashd.store.filters import Filter
from ashd.store.visibility import Viewer

Mode = Literal["hybrid", "lexical", "vector"]

Called = Callable[[Collection[int], Sequence[str]], Mapping[str, Collection[int]]]
"""Maps each query term to the people the viewer knows by that name.

Names are not in the text that is indexed for everybody: a viewer of a memory may not know the name
that its speaker used.
"""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The current embedder with its index, and the question's vectors."""

    embedder: Embedder
    index: EmbeddingSet
    question: Embedding
    calibration: Calibration
    to_speaker: Embedding | None = None
    """The question as put to the person it names: "Ben's dog" is "my dog" to Ben.

    If that person speaks of themselves, everything about them is compared with this.
    """


@dataclass(frozen=True, slots=True)
class Spec:
    """A search: the question, and the rows to search."""

    viewer: Viewer
    query: Query
    filter: Filter
    vectors: Vectors | None
    since: int | None = None
    until: int | None = None
    """The end of the rows' time span: from `since` on, and before `until`."""
    mode: Mode = "hybrid"
    include_superseded: bool = False
    include_expired: bool = False
    explain: bool = False
    about: Mapping[int, float] | None = None
    """The weight of memories about people that the question names."""
    called: Called | None = None


ABOUT_ANOTHER: Final = "about_another"
"""The signal of a memory that is about somebody else than its teller."""


class Classifier(NamedTuple):
    """A linear classifier of passages by their vectors."""

    weights: FloatVector
    bias: float
    least: float
    """The score from which it takes a passage."""


class Found(NamedTuple):
    """A memory or message in the ranking, and the passage that brought it there."""

    item: int
    """Its row number."""
    score: float
    """0-1."""
    relevant: bool
    weak: bool
    """Whether it is not relevant by its score, but may answer; never for a message."""
    passage: int
    """The row number of the passage that was found."""
    signals: dict[str, float]

    @property
    def is_unranked(self) -> bool:
        """True if the item is shown without having been found: no passage of it was."""
        return not self.passage

    @classmethod
    def unranked(cls, item: int) -> "Found":
        """Return an entry for an item that is shown without having been found."""
        return cls(item, 0.0, relevant=False, weak=False, passage=0, signals={})


class Ranking(NamedTuple):
    """The result, best first, with one entry for each memory or message."""

    found: list[Found]
    lacks_vectors: bool
    """Whether some of the searched texts have no vectors yet, so that only words counted."""
    vectors: Mapping[int, NDArray[np.float32]] = MappingProxyType({})
    """The vectors of the best memories' passages, where it is known what their cosines mean."""
