"""Makes ashd/providers/wordllama_*: what the built-in embedder reads of the package `wordllama`.

    python -m benchmarks.static_vectors

Its table of vectors is copied as it is, with its licence. Its tokenizer, which is in the form of
the library `tokenizers`, becomes a model of SentencePiece, from which it was once made. The tokens
of both are the same. SentencePiece joins the pair of pieces that makes the most frequent piece, the
library the pair that is first in a list; in the list the pairs that make one piece are together. So
they can differ only where one piece could be made at two places at once, of other parts at each.
`disagreements` looks for such a text and finds none.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import distribution
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ashd.providers import protobuf as pb
from ashd.providers.safetensors_file import read_safetensors
from ashd.providers.wordllama import FOLDER, LICENSE_FILE, TOKENS_FILE, VECTORS_FILE

FIRST_BYTE_ID, FIRST_PIECE_ID = 3, 259
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
"""The kinds of pieces in a SentencePiece model."""
BPE: Final = 2

Pair = tuple[str, str]


def package_folder() -> Path:
    """The folder of the installed package, which is not imported."""
    return Path(str(distribution("wordllama").locate_file("wordllama")))


def tokenizer_file() -> Path:
    """The package's tokenizer, in the form of the library `tokenizers`."""
    return package_folder() / "tokenizers" / "l2_supercat_tokenizer_config.json"


def table() -> np.ndarray[Any, Any]:
    """The package's vectors: float16 (pieces, 256)."""
    weights = package_folder() / "weights" / "l2_supercat_256.safetensors"
    return read_safetensors(weights)["embedding.weight"]


def license_text() -> str:
    """The package's licence."""
    [file] = (file for file in distribution("wordllama").files or () if file.name == "LICENSE")
    return file.read_text(encoding="utf-8")


class Merges(NamedTuple):
    """The tokenizer's rules."""

    pieces: list[str]
    """By id."""
    pairs: dict[Pair, int]
    """The place of each pair of pieces that may be joined: the first goes first."""

    @property
    def places(self) -> dict[str, int]:
        """The place of each piece that is made of others: the place of its first pair."""
        found: dict[str, int] = {}
        for left, right in self.pairs:
            found.setdefault(left + right, len(found))
        return found


def merges() -> Merges:
    """The rules of the package's tokenizer."""
    model = json.loads(tokenizer_file().read_text(encoding="utf-8"))["model"]
    pairs = (tuple(pair.split(" ")) if isinstance(pair, str) else pair for pair in model["merges"])
    return Merges(
        sorted(model["vocab"], key=model["vocab"].__getitem__),
        {(left, right): place for place, (left, right) in enumerate(pairs)},
    )


def sentencepiece_model(rules: Merges) -> bytes:
    """The rules as a SentencePiece model: a text begins with a space, and other spaces stay."""
    places = rules.places
    pieces = [
        pb.bytes_field(
            1,
            pb.bytes_field(1, piece)
            + pb.float_field(2, -places.get(piece, 0))
            + pb.number_field(3, _kind(number)),
        )
        for number, piece in enumerate(rules.pieces)
    ]
    # The kind of model, spelling in bytes, and the ids of unknown, beginning, end and padding.
    trainer = b"".join(
        pb.number_field(field, value)
        for field, value in ((3, BPE), (35, 1), (40, 0), (41, 1), (42, 2), (43, -1))
    )
    # A space before the text, runs of spaces as they are, spaces as U+2581; letters unchanged.
    flags = b"".join(pb.number_field(field, value) for field, value in ((3, 1), (4, 0), (5, 1)))
    normalizer = pb.bytes_field(1, "identity") + flags
    return b"".join(pieces) + pb.bytes_field(2, trainer) + pb.bytes_field(3, normalizer)


def _kind(number: int) -> int:
    if number == 0:
        return UNKNOWN
    if number < FIRST_BYTE_ID:
        return CONTROL
    return BYTE if number < FIRST_PIECE_ID else NORMAL


def disagreements(rules: Merges) -> list[str]:
    """Texts that the two libraries take into other pieces, in themselves or as part of a text.

    As long as nothing is joined with what is around it, a part of a text becomes the pieces that it
    becomes alone. So a doubtful text that agrees alone agrees in any other.
    """
    places = rules.places
    return [text for text in set(_doubtful(rules, places)) if _differs(text, rules, places)]


def _doubtful(rules: Merges, places: dict[str, int]) -> Iterator[str]:
    """Texts in which a piece could be made at two places that have something to do with each other.

    The two share a part; or at one of the two the new piece takes in, by pairs that go before it,
    a part of the other or what is between them.
    """

    def earlier(pairs: list[Pair], piece: str) -> list[Pair]:
        return [pair for pair in pairs if places["".join(pair)] < places[piece]]

    of_piece = defaultdict(list)
    after, before = defaultdict(list), defaultdict(list)
    for left, right in rules.pairs:
        of_piece[left + right].append((left, right))
        after[left].append(right)
        before[right].append(left)
    for piece, pairs in of_piece.items():
        if len(pairs) == 1:
            continue
        firsts, lasts = {left for left, _ in pairs}, {right for _, right in pairs}
        yield from (
            left + shared + right
            for left, shared in pairs
            for part, right in pairs
            if part == shared
        )
        grown = [piece]
        taken_after: list[Pair] = []
        taken_before: list[Pair] = []
        for now in grown:  # which grows
            with_after = [(now, part) for part in after[now]]
            with_before = [(part, now) for part in before[now]]
            taken_after += earlier(with_after, piece)
            taken_before += earlier(with_before, piece)
            joined = map("".join, earlier([*with_after, *with_before], piece))
            grown += [new for new in dict.fromkeys(joined) if new not in grown]
        yield from (now + piece for now, part in taken_after if part in firsts)
        yield from (piece + now for part, now in taken_before if part in lasts)
        yield from (
            now + part + then
            for now, part in taken_after
            for between, then in taken_before
            if between == part
        )


def _differs(text: str, rules: Merges, places: dict[str, int]) -> bool:
    """Whether the two join other pairs of a text at any time."""
    parts = list(text)
    while True:
        pairs = [
            (rules.pairs[pair], places[pair[0] + pair[1]], at)
            for at, pair in enumerate(pairwise(parts))
            if pair in rules.pairs
        ]
        if not pairs:
            return False
        _, _, at = min(pairs)
        if at != min((place, at) for _, place, at in pairs)[1]:
            return True
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def main() -> None:
    rules = merges()
    assert not disagreements(rules)
    np.save(FOLDER / VECTORS_FILE, table())
    (FOLDER / TOKENS_FILE).write_bytes(sentencepiece_model(rules))
    (FOLDER / LICENSE_FILE).write_text(license_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
