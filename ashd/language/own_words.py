"""Notes about the user as the user would say them: "User lives in Ghent" is "I live in Ghent".

Agents note in the third person what a person says in the first, and both are stored. English, and
pure: a text that does not begin with the user stays as it is.
"""

import re
from typing import Final

from ashd.language.english_words import SELF
from ashd.language.tagged_words import Words

_OWN: Final = SELF - {"user"}
_USER: Final = re.compile(r"(?:[Tt]he )?[Uu]ser(?P<owns>['\u2019]s)?\s+(?=[a-z0-9])")
_USERS: Final = re.compile(r"\b(?:the )?user['\u2019]s\b")
_VERB: Final = re.compile(
    r"(?P<before>(?:(?:no|longer|now|also|still|just|only|always|never|often|\w+ly)\s+)*)(?P<verb>\S+)"
)
_IRREGULAR: Final = {
    "is": "am",
    "isn't": "am not",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
    "goes": "go",
    "was": "was",
}
_ENDS_IN_ES: Final = re.compile(r"(?:ss|sh|ch|x|zz)es$")


def speaks(words: Words) -> bool:
    """Return whether a text contains a word of the first person."""
    return not _OWN.isdisjoint(words.lowered)


def in_first_person(text: str) -> str:
    """Return a text that begins with the user as the user would say it."""
    begin = _USER.match(text)
    if begin is None:
        return text
    said = _USERS.sub("my", text[begin.end() :])
    if begin["owns"]:
        return f"My {said}"
    found = _VERB.match(said)
    assert found is not None
    return f"I {found['before']}{_plain(found['verb'])}{said[found.end() :]}"


def _plain(verb: str) -> str:
    """Return a verb without the ending of the third person; another word as it is."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies") and len(verb) > len("dies"):
        return f"{verb[:-3]}y"
    if _ENDS_IN_ES.search(verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
