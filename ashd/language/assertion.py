"""Recognise whether a text asserts a clause, or asks, guesses, reports, quotes or denies it.

Pure, and English. A clause is judged by the rest of its sentence.
"""

import re
from typing import Final

from ashd.language.english_words import word_set
from ashd.language.lazy_pattern import pattern_of

_NOT: Final = r"(?:not|\w+n't|never|no longer)"
_UNCERTAIN: Final = pattern_of(
    r"\b(?:if|whether|unless|suppos\w+|imagin\w+|pretend\w*|wish\w*|in case|would|could|might"
    r"|(?<!in )(?<!since )may(?! \d)|maybe|perhaps|possibly|probably|as if|as though|dream\w*"
    r"|novel|film|movie|story|jokes?|rumou?r\w*|thought|assumed?s?|believe[sd]|mistook|wonder\w*"
    r"|guessed|doubts?|den(?:y|ies|ied)|thinks|claim(?:s|ed)?|reckons?|insist\w*|swears?"
    r"|ask(?:s|ed)?|according to|neither|nor|or"
    rf"|{_NOT}(?: \w+){{0,3}} that|{_NOT}(?: \w+)? (?:think|believe|sure)"
    rf"|(?:{_NOT}|hardly) (?:true|so|right|correct|the case)"
    r"|false|untrue|incorrect|nonsense|myth|fiction\w*|lies|lied|liar|ignore|disregard|forget"
    r"|hypothe\w+|roleplay\w*"
    r"|(?:in|on|for) (?:the|an?|our|this|that|his|her|my|their) (?:\w+ )?(?:play|game|book|series"
    r"|musical|opera|sketch|comic|show|scene|script|plot)(?=,|:|$| [\ue000-\uf8ff])"
    r"|(?<!i )(?<!we )(?:says?|said|told|tells?|wrote|writes that|hopes?|heard))\b"
)
_CLAUSE_STARTS: Final = word_set(
    """
    and but so that because since while as when where think believe know knew remember note noted
    learned learnt noticed hear i'm sure realised realized today now yesterday recently then also
    btw fyi actually apparently meanwhile again nowadays usually everyone everybody turns out
    naturally obviously clearly luckily sadly ok okay yes
    """
)
# "Bob: Anna is my boss" is what Bob says; "in short: …" is not.
_SPEAKS: Final = pattern_of(r"[\ue000-\uf8ff][^:]{0,30}:$|^(?:never|not|hardly|by no means)\b")
_LIMITED: Final = pattern_of(
    r"[^\w\ue000-\uf8ff]*(?:(?:only |even |but )?(?:if|unless)\b|(?:not|joking|just kidding)[.!]*$"
    r"|in (?:the|an?|our|this|that|his|her|my|their) (?:\w+ )?(?:play|game|novel|film|movie|story"
    r"|dream|book|series|musical|opera|sketch|comic|show|scene|script|plot)s?(?=\W|$))"
)
_OPENING: Final = pattern_of(
    r"(?:(?:so|and|but|well|yes|oh|actually|in fact|by the way|btw|fyi|(?:as )?(?:it )?turns out"
    r"|it turned out|now|please)(?: that)?,?(?: |$))*"
)
_ENDING: Final = pattern_of(r"(?:,? (?:after all|indeed|actually|in fact|by the way|btw))?\.?!*")
_FRONTED: Final = pattern_of(
    r"(?:on|in|at|since|after|before|until|to|for|from|by|during|around|as of|as from"
    r"|starting) [^,;:()]{1,40}|(?:these|this|last) [a-z]{1,20}"
)

# A quotation, closed or not, a quoted line of a mail, a fenced block.
_QUOTATION: Final = pattern_of(
    r"```.*?(?:```|\Z)|^[ \t]*>.*$"
    r"|(?<!\w)[\"\u201c\u201e\xab](?=\w)[^\"\u201c\u201d\xbb]*(?:[\"\u201c\u201d\xbb]|\Z)"
    r"|(?<!\w)['\u2018](?=\w)(?:[^'\u2019]|(?<=\w)['\u2019](?=\w))*['\u2019](?!\w)",
    re.MULTILINE | re.DOTALL,
)
_HAS_SENTENCE: Final = pattern_of(r"\s\S+\s.*[.!?](?:\s|\W*\Z)", re.DOTALL)


def asserted(text: str) -> str:
    """Return a text without its quotations."""
    return _QUOTATION.sub(_without_sentences, text)


def _without_sentences(quotation: re.Match[str]) -> str:
    """Return a quotation of one word or a name as it is; leave out a longer quotation."""
    is_block = quotation[0].lstrip().startswith(("`", ">"))
    return "..." if is_block or _HAS_SENTENCE.search(quotation[0]) else quotation[0]


def is_own_sentence(before: str, after: str) -> bool:
    """Return whether the words before and after a clause leave it a sentence of its own."""
    return bool(_OPENING.fullmatch(before) and _ENDING.fullmatch(after))


def is_asserted(before: str, after: str) -> bool:
    """Return whether a clause is asserted, by the text around it in its lower case sentence.

    The clause's subject must begin it: in "the friend of the man who hired Anna is my boss" no
    clause begins with Anna.
    """
    if _UNCERTAIN.search(before) or _SPEAKS.search(before.strip()) or _LIMITED.match(after):
        return False
    clause = before.rpartition(",")[2].strip()
    return (
        not clause
        or clause[-1] in ":(-\u2013\u2014"
        or clause.rpartition(" ")[2] in _CLAUSE_STARTS
        or bool(_FRONTED.fullmatch(clause))
    )
