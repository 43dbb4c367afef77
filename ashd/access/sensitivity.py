"""What a text without a label is held as: health, money, faith, sexuality and law are personal.

A word list errs on the careful side: a text that only mentions such a thing is held `personal`
too, which costs a reader in another chat one fact and costs nobody a secret. What no word of it
tells ("we sleep in the guest room now") it misses; whoever stores such a thing says so.
"""

import re
from typing import Final, Literal

from ashd.access import sensitive_words as words

_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'"})


def _alternatives(*lists: str) -> str:
    """One expression of the words of all lists; in them a low line is any space."""
    found = dict.fromkeys(word for listed in lists for word in listed.split())
    return "|".join(word.replace("_", r"[\s-]+") for word in found)


_MEANS_SOMETHING_ELSE: Final = re.compile(rf"\b(?:{_alternatives(words.OTHER_MEANINGS)})\b")
_KEPT_TO_ONESELF: Final = _alternatives(
    words.HEALTH, words.MONEY, words.FAITH, words.SEXUALITY, words.LAW, words.ELSEWHERE
)
_SPEAKS_OF: Final = re.compile(rf"(?<!\w)(?:{_KEPT_TO_ONESELF})(?!\w)|{words.UNSPACED}")


def classify(text: str) -> Literal["personal"] | None:
    """`personal` for a text that speaks of what people keep to themselves, else no label."""
    plain = _MEANS_SOMETHING_ELSE.sub(" ", text.lower().translate(_APOSTROPHES))
    return "personal" if _SPEAKS_OF.search(plain) else None
