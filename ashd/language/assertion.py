"""Recognise whether a text asserts a clause, or asks, guesses, reports, quotes or denies it.

Pure, and English. `asserted` judges sentences by the sentences around them, the other functions
judge a clause by the rest of its sentence.
"""

import re
from typing import Final

from ashd.language.english_words import CUES, FUNCTION_WORDS, TIMES, word_set
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
_SENTENCE: Final = pattern_of(r"[^.!?;:\n]+")
_WORD: Final = pattern_of(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_MOST_WORDS: Final = 12
"""A sentence about the text itself is short."""
_MOST_CHARS: Final = 150
_FEW_WORDS: Final = 2
_NEGATIONS: Final = CUES[0] - {"longer", "anymore"}
_BELIEVED: Final = word_set(
    """
    true so right real really serious seriously accurate meant mean case believe trust remember
    store save record learn keep
    """
)
"""A negation of these leaves nothing asserted: "not true", "do not store this"."""
_DISOWNED: Final = word_set(
    """
    ignore ignored disregard forget discard dismiss delete skip scratch strike omit false untrue
    wrong incorrect invented fictional hypothetical hypothetically lied lying kidding joking teasing
    sarcastic ironic imagine pretend pretending suppose assume assuming retract
    """
)
"""These leave nothing asserted, unless they are negated: "do not forget"."""
_UNREAL: Final = word_set(
    """
    fiction joke jokes lie lies nonsense rubbish test example examples quote quotes quotation dream
    story novel myth rumour rumor prank sarcasm irony
    """
)
"""The same where the sentence points to a text: "this is a joke", but not "we have a story"."""
_REPORTED: Final = word_set(
    "say says said write writes wrote written claim claims claimed posted texted tweeted copied"
)
_AHEAD: Final = word_set("following follows follow next below coming comes")
_BEHIND: Final = word_set(
    """
    above previous preceding last earlier before just scratch strike wrong kidding joking teasing
    lied lying invented really retract
    """
)
_POINTING: Final = _AHEAD | word_set("this these so what above")
_OF_NO_PERSON: Final = _POINTING | word_set("that those it it's that's here here's everything all")
_OF_TEXT: Final = word_set(
    """
    sentence sentences statement statements message messages note notes text line lines part fact
    facts paragraph memory memories instruction instructions words thing everything anything here
    here's that's it's what's one please kindly ok okay oh hey let's let completely total totally am
    like take
    """
)
_OF_PEOPLE: Final = word_set("he she they his her him them their he's she's they're")
_ABOUT_TEXT: Final = (
    (FUNCTION_WORDS - _OF_PEOPLE)
    | (_NEGATIONS | _BELIEVED | _DISOWNED | _UNREAL | _REPORTED)
    | (_AHEAD | _BEHIND | _POINTING | _OF_TEXT | TIMES)
)
# Several words that mean one of the above.
_MADE_UP: Final = pattern_of(r"\bma(?:de|king)(?: \w+){0,3} up\b")
_TAKEN_BACK: Final = pattern_of(
    r"\bt(?:ake|ook)(?: \w+){0,3} back\b|\bnever ?mind\b|^\W*not\W*$", re.IGNORECASE
)


def asserted(text: str) -> str:
    """Return a text without quotations, and without sentences that other sentences disown.

    "Ignore what follows.", "Just kidding." and "Bob wrote this:" disown the sentences after them,
    before them, or both.
    """
    text = _QUOTATION.sub(_without_sentences, text)
    start, end = 0, len(text)
    for sentence in _SENTENCE.finditer(text):
        words = _words(sentence[0])
        if not _disowns(words):
            continue
        points_ahead, points_behind = not _AHEAD.isdisjoint(words), not _BEHIND.isdisjoint(words)
        if points_behind or not points_ahead:
            start = max(start, sentence.end())
        if points_ahead or not points_behind:
            end = min(end, sentence.start())
    return text[start:end]


def _without_sentences(quotation: re.Match[str]) -> str:
    """Return a quotation of one word or a name as it is; leave out a longer quotation."""
    is_block = quotation[0].lstrip().startswith(("`", ">"))
    return "..." if is_block or _HAS_SENTENCE.search(quotation[0]) else quotation[0]


def _words(sentence: str) -> list[str]:
    """Return the words of a short sentence in lower case, but names as they are; else none."""
    if len(sentence) > _MOST_CHARS:
        return []
    folded = _TAKEN_BACK.sub("retract", _MADE_UP.sub("invented", sentence.replace("\u2019", "'")))
    words: list[str] = _WORD.findall(folded)
    if len(words) > _MOST_WORDS:
        return []
    return [
        low if (low := word.lower()) in _ABOUT_TEXT or word.islower() else word for word in words
    ]


def _disowns(words: list[str]) -> bool:
    """Return whether a sentence says of the text itself that something in it is not asserted.

    All of its words must be about texts: "Ignore the noise." is not.
    """
    said = set(words)
    others = said - _ABOUT_TEXT
    if others:
        is_of_people = all(word in _OF_PEOPLE or not word.islower() for word in others)
        is_report = not (said.isdisjoint(_REPORTED) or said.isdisjoint(_POINTING))
        return is_of_people and is_report
    if any(word in _NEGATIONS or word.endswith("n't") for word in said):
        return not said.isdisjoint(_BELIEVED)
    points = len(said) <= _FEW_WORDS or not said.isdisjoint(_OF_NO_PERSON)
    return not said.isdisjoint(_DISOWNED) or (points and not said.isdisjoint(_UNREAL))


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
