"""Whether a text asserts a clause, or asks, guesses, reports or denies it. Pure, and English."""

from typing import Final

from ashd.language.english_words import word_set
from ashd.language.lazy_pattern import pattern_of

_UNCERTAIN: Final = pattern_of(
    r"\b(?:if|whether|unless|suppos\w+|imagin\w+|pretend\w*|wish\w*|in case|would|could|might"
    r"|(?<!in )(?<!since )may(?! \d)|maybe|perhaps|possibly|probably|as if|as though|dream\w*"
    r"|novel|film|movie|story|jokes?|rumou?r\w*|thought|assumed?s?|believe[sd]|mistook|wonder\w*"
    r"|guessed|doubts?|den(?:y|ies|ied)|thinks|claim(?:s|ed)?|reckons?|insist\w*|swears?"
    r"|ask(?:s|ed)?|according to|neither|nor|or"
    r"|(?:not|n't|never)(?: \w+){0,3} that"
    r"|(?:not|n't|never|hardly) (?:true|so|right|correct|the case)"
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
    r"|starting) [^,;:()]{1,40}"
)


def is_own_sentence(before: str, after: str) -> bool:
    """Return whether the words before and after a clause leave it a sentence of its own."""
    return bool(_OPENING.fullmatch(before) and _ENDING.fullmatch(after))


def is_asserted(before: str, after: str) -> bool:
    """Return whether a clause is asserted, by what is around it in its lower case sentence.

    Its subject must begin it: of "the friend of the man who hired Anna is my boss" no clause begins
    with Anna.
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
