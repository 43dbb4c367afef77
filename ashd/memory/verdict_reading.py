"""Read an answer to `judge_conflicts` verdict by verdict: a wrong one costs itself alone. Pure.

Invariant: no pair gets a verdict that may be another's. If a number comes twice or is below one,
the model counts in its own way (anew for each new statement, or from zero), and none of its
verdicts is read.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from ashd.providers import structured
from ashd.providers.structured import Fault, Written

Word = Literal["replaces", "repeats", "keep"]

_WORDS: Final[Mapping[str, Word]] = {
    **dict.fromkeys(("replaces", "replace", "replaced"), "replaces"),
    **dict.fromkeys(("repeats", "repeat", "repeated"), "repeats"),
    **dict.fromkeys(("keep", "keeps", "kept"), "keep"),
}
_NUMBER: Final = re.compile(r"[^\d-]{0,12}(\d{1,4})\W{0,2}")


class Verdict(msgspec.Struct, frozen=True):
    """The effect of the new statement on the earlier one of that number."""

    candidate: int
    verdict: Word
    reason: str


class Answer(msgspec.Struct, frozen=True):
    """The answer in the form that is asked for."""

    verdicts: list[Verdict]


def read(written: Written) -> dict[int, Word]:
    """Return the verdicts that a model wrote, by the numbers of the earlier statements.

    Of several answers none is read if they are about the same numbers.

    Raises:
        Fault: there is nothing of an answer in it.
    """
    listed, loose = [], []
    for value in map(structured.folded, structured.objects(written.text)):
        if "verdicts" in value:
            listed.append(value["verdicts"])
        elif {"candidate", "verdict"} <= value.keys():
            loose.append(value)
    if not listed and not loose:
        raise Fault("it holds no complete JSON object with `verdicts`")
    pairs = [pair for given in listed or [loose] for pair in _pairs(given)]
    numbers = [number for number, _ in pairs]
    if len(set(numbers)) < len(numbers) or min(numbers, default=1) < 1:
        return {}
    return {number: word for number, word in pairs if word is not None}


def _pairs(given: Any) -> Iterator[tuple[int, Word | None]]:
    """Yield the number and the verdict of each item that has a number."""
    for item in given if isinstance(given, list) else [given]:
        fields = structured.folded(item) if isinstance(item, dict) else {}
        if (number := _number(fields.get("candidate"))) is not None:
            yield number, _WORDS.get(str(fields.get("verdict")).strip(" .`").casefold())


def _number(given: Any) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, str) and (written := _NUMBER.fullmatch(given.strip())):
        return int(written[1])
    return given if isinstance(given, int) else None
