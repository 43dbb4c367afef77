"""A model that answers `extract_facts` for what it is told, with one of 25 ordinary faults.

Somebody tells one thing a turn (`said`). A fault is a function of the right facts that returns the
answer and the contents that must not be stored of it; all else in it is right.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from . import Answer, Text

_NAMES = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Kai")
_THINGS = ("plum trees", "grey geese", "old clocks", "red kites", "pear jams")
_TOWNS = ("Lisbon", "Porto", "Braga", "Faro")
_TURN = re.compile(
    r"^\[(\d+)\] (@\S+).*?: My neighbour (\w+)'s (\w+ \w+) in (\w+) are new\."
    r" She got (\d+) of them",
    re.MULTILINE,
)
_KNOWN = re.compile(r"Turns 1 to (\d+) are known already")
Facts = list[dict[str, Any]]


class Faulty(NamedTuple):
    """An answer with a fault, and the contents of its facts that are wrong."""

    answer: Answer
    wrong: frozenset[str] = frozenset()


def said(number: int) -> str:
    """Return a turn; each number is another statement."""
    name, thing, town = _of(number)
    return f"My neighbour {name}'s {thing} in {town} are new. She got {number + 2} of them in May."


def content_of(number: int) -> str:
    """Return the content of the right fact of a turn."""
    name, thing, town = _of(number)
    return f"{name} got {number + 2} {thing} in {town}."


def _of(number: int) -> tuple[str, str, str]:
    return _NAMES[number % 10], _THINGS[number // 10 % 5], _TOWNS[number // 50 % 4]


def right(request: dict[str, Any]) -> Facts:
    """Return the right facts for a request."""
    shown = request["messages"][1]["content"]
    known = _KNOWN.search(shown)
    return [
        {
            "content": f"{name} got {count} {thing} in {town}.",
            "subjects": [name],
            "type": "knowledge",
            "speaker": speaker,
            "turn": int(turn),
            "quote": f"{name}'s {thing} in {town}",
            "confidence": 0.9,
            "shared": False,
            "sensitivity": "public",
            "portable": True,
            "tags": [],
            "expires_in_days": None,
            "valid_from": None,
            "valid_until": None,
        }
        for turn, speaker, name, thing, town, count in _TURN.findall(shown)
        if int(turn) > (int(known[1]) if known else 0)
    ]


def text(facts: Facts) -> str:
    """Return an answer with facts as text."""
    return json.dumps({"facts": facts, "entities": [], "relations": [], "profile": []})


def _each(**changed: Any) -> Callable[[Facts], Faulty]:
    return lambda facts: Faulty(text([{**fact, **changed} for fact in facts]))


def _first(change: Callable[[Facts], dict[str, Any]]) -> Callable[[Facts], Faulty]:
    """Return a fault of the first fact, which makes it wrong."""
    return lambda facts: Faulty(
        text([{**facts[0], **change(facts)}, *facts[1:]]), frozenset({facts[0]["content"]})
    )


def _around(before: str, after: str = "") -> Callable[[Facts], Faulty]:
    return lambda facts: Faulty(before + text(facts) + after)


def _quotes(change: Callable[[str], str]) -> Callable[[Facts], Faulty]:
    return lambda facts: Faulty(text([{**fact, "quote": change(fact["quote"])} for fact in facts]))


def _without(*names: str) -> Callable[[Facts], Faulty]:
    return lambda facts: Faulty(
        text([{name: fact[name] for name in fact if name not in names} for fact in facts])
    )


def _cut(facts: Facts) -> Faulty:
    whole = text(facts)
    last = whole.rindex('"content"')
    return Faulty(Text(whole[: last + 20], finish_reason="length"))


def _with_secret(facts: Facts) -> Faulty:
    secret = {**facts[0], "content": "The wifi password is hunter2secret!"}
    return Faulty(text([*facts, secret]), frozenset({secret["content"]}))


_THOUGHT = '<think>Perhaps {"facts": [{"content": "Nobody got any.", "turn": 1}]}? No.</think>'
_OPTIONAL = ("shared", "sensitivity", "portable", "tags", "subjects", "type", "confidence")
FAULTS: dict[str, Callable[[Facts], Faulty]] = {
    "nulls": _each(**dict.fromkeys(_OPTIONAL)),
    "words for numbers": _each(confidence="high", turn="the first"),
    "a bare list": lambda facts: Faulty(json.dumps(facts)),
    "fences": _around("```json\n", "\n```"),
    "thinking aloud": _around(_THOUGHT),
    "trailing prose": _around("Here you are: ", "\n\nI {hope} this helps!"),
    "cut at the limit": _cut,
    "missing fields": _without(*_OPTIONAL, "speaker", "turn"),
    "additional fields": _each(reason="It was said.", id=7, source={"page": 1}),
    "another language": _first(lambda _: {"quote": "ihre neuen Sachen in der Stadt"}),
    "quotes with ellipses": _quotes(lambda quote: f"My neighbour ... {quote[-18:]}"),
    "changed case": _quotes(str.upper),
    "joined from two turns": _first(
        lambda facts: {"quote": f"{facts[0]['quote']} ... {facts[-1]['quote']}"}
    ),
    "the speaker user": _each(speaker="user"),
    "a pronoun as subject": _each(subjects=["She"]),
    "empty": lambda _: Faulty(""),
    "a refusal": lambda _: Faulty(Text("", refusal="I cannot help with that.")),
    "the prompt repeated": lambda facts: Faulty(
        f"You read a part of a conversation. Speaker {facts[0]['speaker']}, turn {{1}}: ..."
    ),
    "an answer as the person": lambda facts: Faulty(f"Oh, {facts[0]['subjects'][0]}! I like her."),
    "duplicate facts": lambda facts: Faulty(text([*facts, facts[0]])),
    "invented labels": _each(type="gossip", sensitivity="secret", tags="none", shared="perhaps"),
    "wrong turn numbers": _each(turn=77),
    "HTML entities": _quotes(lambda quote: quote.replace("'", "&#39;")),
    "enormous confidence": _first(lambda _: {"confidence": 1e9}),
    "a secret inside": _with_secret,
}
