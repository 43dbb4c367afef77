"""Plain words for the codes in the daemon's results, for `ash` and its page alike.

A code that is not in a table is shown as it is, its underscores as spaces.
"""

from collections.abc import Mapping
from typing import Any, Final

_EVENTS: Final = {
    "duplicate": "said again in the same words",
    "superseded": "replaced",
    "repeated": "said again in other words",
    "may_be_replaced": "may be replaced by a newer memory",
    "kept": "kept beside a newer memory",
}
_REASONS: Final = {
    "supersedes": "whoever stored the newer one named this as replaced",
    "confirmed": "somebody confirmed it",
    "rejected": "somebody said that both are true",
    "left_open": "somebody left it open",
    "update": "it was edited",
    "meaning": "the newer one states another value of the same thing",
    "paraphrase": "the two mean the same",
    "same_words": "the words are the same",
    "other_day": "the words are the same, the day is another",
    "own_word": "the person said it of themselves, which outweighs what others said",
    "lasts": "the newer one lasts, the older one was passing",
    "hearsay": "what others say of a person does not replace the person's own word",
    "fades": "what is passing does not replace what lasts",
    "observed_earlier": "it was observed earlier than the older one",
    "other_time": "the two hold at different times",
    "exchanged": "names or numbers are exchanged",
    "other_number": "the two differ in a number",
    "question": "a question states nothing",
    "language_model": "the language model judged so",
    "upgrade": "an earlier version had guessed that it is replaced",
}
_LEFT_OUT: Final = {
    "twice": "left out: in another section already",
    "over_section": "left out: the section is full",
    "over_total": "left out: the prompt is full",
    "below_similarity": "left out: too little like the message",
    "echo": "left out: the recent messages say it already",
}
_BROUGHT_BY: Final = {
    "always": "always there",
    "pinned": "pinned by the user",
    "profile": "from the user's profile",
    "known": "a known person, recently active",
    "relation": "how people and things are related",
    "ranked": "found for the message",
    "newest": "one of the newest memories",
    "latest": "one of the latest conversations",
    "neighbour": "said just before or after what was found",
}
_WITHHELD: Final = {
    "below_threshold": "too little to do with the question",
    "over_limit": "beyond the number of results asked for",
}
_STATES: Final = {
    "user_deleted": "deleted",
    "source_removed": "gone from its note",
    "withdrawn": "withdrawn with others",
    "expired": "expired",
    "superseded": "replaced",
    "evicted": "made room for newer ones",
    "forgotten": "forgotten with a person",
}
_ROLES: Final = {
    "owner": "owns it",
    "stated_by": "said it",
    "subject": "it is about them",
    "present": "was there when it was said",
}
_SOURCES: Final = {
    "rpc": "through an agent",
    "cli": "on the command line",
    "web": "on the web page",
    "user": "asking to remember it",
    "extraction": "learned from messages on request",
    "background_extraction": "learned from a conversation",
}
_SIGNALS: Final = {
    "cosine": "meaning",
    "late": "meaning, word by word",
    "words": "words in common",
    "named": "about the person named",
    "own_word": "the person's own word",
    "by_people_alone": "people alone answer nothing",
    "age": "age",
    "out_of_time": "from another time",
    "not_valid": "not valid now",
    "possessor": "about the person whose relation is asked for",
    "support": "other memories near to the question",
    "bias": "starting value",
    "size": "number of memories searched",
}


_LEGS: Final = {"lexical": "by words", "cosine": "by meaning", "late": "by meaning of each word"}
_TOTAL: Final = "logit"


def _said(table: Mapping[str, str], code: Any) -> str:
    return table.get(str(code), str(code).replace("_", " "))


def event(code: Any) -> str:
    """Return the words for what happened to a memory when another came."""
    return _said(_EVENTS, code)


def reason(code: Any) -> str:
    """Return the words for the reason of it."""
    return _said(_REASONS, code)


def left_out(code: Any) -> str:
    """Return the reason why a line is not in the block for the prompt."""
    return _said(_LEFT_OUT, code)


def brought_by(code: Any) -> str:
    """Return the reason why a line is in the block for the prompt."""
    return _said(_BROUGHT_BY, code)


def withheld(code: Any) -> str:
    """Return the reason why a search did not show a candidate."""
    return _said(_WITHHELD, code)


def archived(code: Any) -> str:
    """Return the reason why a memory is archived."""
    return _said(_STATES, code)


def role(code: Any) -> str:
    """Return an account's part in a memory."""
    return _said(_ROLES, code)


def source(code: Any) -> str:
    """Return the origin of a memory."""
    return _said(_SOURCES, code)


def signals(given: Mapping[str, float]) -> tuple[dict[str, tuple[int, float]], dict[str, float]]:
    """Return an explained result's (rank, score) in each leg, and the terms of its score."""
    legs = {
        leg: (int(given[f"{leg}_rank"]), given[f"{leg}_score"])
        for leg in _LEGS
        if f"{leg}_rank" in given
    }
    parts = {f"{leg}_{part}" for leg in _LEGS for part in ("rank", "score")}
    return legs, {name: value for name, value in given.items() if name not in {*parts, _TOTAL}}


def leg(code: Any) -> str:
    """Return the name of a leg."""
    return _said(_LEGS, code)


def signal(code: Any) -> str:
    """Return the name of a part of a search result's score."""
    return _said(_SIGNALS, code)


def earlier(memory: Mapping[str, Any]) -> str:
    """Say that a memory is perhaps replaced, and by what was told when; else return nothing."""
    days = {one["at"][:10] for one in memory.get("conflicts") or () if one["relation"] == "newer"}
    if not days:
        return ""
    return f"earlier; perhaps replaced by what was told on {' and '.join(sorted(days))}"
