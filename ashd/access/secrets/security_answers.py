"""Answers to the questions that a service asks instead of a password.

Owns two ways to know such an answer: a word for the question ("security question … the answer is
…"), or what is asked ("first pet") in a sentence that says who asks it, or what for ("at the bank",
"on file"). The question alone, and the same facts in a story of one's family, are no secrets.
"""

import re

from ashd.access.secrets import password_values, vocabulary
from ashd.access.secrets.normalisation import Reading
from ashd.access.secrets.spoken_passwords import OPEN, SAID_OTHER, VALUE, gives_value
from ashd.language.lazy_pattern import pattern_of

_FLAGS = re.IGNORECASE | re.VERBOSE
_QUESTION = pattern_of(vocabulary.SECURITY_QUESTION, _FLAGS)
_QUESTION_STEMS = ("question", "security q", "frage", "pregunta", "domanda", "pergunta", "vraag")
_QUESTION_ANSWERED = pattern_of(
    rf"""{vocabulary.SECURITY_QUESTION}[^\n]{{0,80}}?{vocabulary.ASKED}[^\n:=]{{0,40}}?
    (?P<sign>[:=?]){OPEN}{VALUE}""",
    _FLAGS,
)
_NEAR = 120
"""Characters around an answer in which its question may stand."""
_ASKED = pattern_of(vocabulary.ASKED, _FLAGS)
_ASKED_STEMS = tuple(vocabulary.ASKED_STEMS)
_WHO_ASKS = pattern_of(rf"(?<![\w'-])(?:{vocabulary.WHO_ASKS})", _FLAGS)
_ANSWERED = pattern_of(
    r"""[^\n]{0,90}?(?:\s?[:=]|\s(?:is|ist|est|es)|(?:'s|\s(?:on\sfile|registered|stored)\sas)
    |\b(?:always\s)?(?:say|answer(?:ed)?|said|gave(?:\sis)?|put|typed?|entered|heb|sag\w*|antwort\w*|réponds|pongo|metto)|\bA:)\s
    (?:["'`](?P<quoted>[^"'`\n]{3,40})["'`]|["'`]?(?-i:(?P<value>[A-ZÀ-Þ][\w\u00c0-\u024f.'-]{2,40})))""",
    _FLAGS,
)
_NAME = pattern_of(r"(?:[A-ZÀ-Þ][\w.'-]*\s){1,3}[A-ZÀ-Þ0-9][\w'-]*")


def find_answer(reading: Reading) -> str | None:
    """Return "password" for the answer to a question that is asked instead of one."""
    text = reading.text
    if reading.has(_QUESTION_STEMS) and _QUESTION.search(text):
        if any(_is_answer(reading, *said) for said in reading.at(vocabulary.ANSWERS)):
            return "password"
        if any(map(gives_value, _QUESTION_ANSWERED.finditer(text))):
            return "password"
    if reading.has(_ASKED_STEMS) and any(
        _is_answered(reading, asked) for asked in _ASKED.finditer(text)
    ):
        return "password"
    return None


def _is_answer(reading: Reading, start: int, name: str) -> bool:
    """Return whether this word for an answer gives the one to a security question."""
    end = start + len(name)
    said = SAID_OTHER.match(reading.text, end)
    if said is None:
        return False
    value = said.start("value" if said["quoted"] is None else "quoted")
    around = reading.before(start, _NEAR) + reading.text[end:value]
    if _QUESTION.search(around) is None:
        return False
    plain = said["sign"] is None and (said["value"] or "A")[0].islower()
    return gives_value(said, alone=plain) or _is_name(reading.text, value)


def _is_name(text: str, start: int) -> bool:
    """Return whether a name of several words begins here ("Frau Oberstolz")."""
    name = _NAME.match(text, start)
    return name is not None and not any(map(password_values.is_harmless, name[0].split()))


def _is_answered(reading: Reading, asked: re.Match[str]) -> bool:
    """Return whether what is asked is answered in a sentence that says who asks it."""
    said = _ANSWERED.match(reading.text, asked.end())
    if said is None or password_values.is_harmless(said["quoted"] or said["value"]):
        return False
    before = re.split(r"\n|[.!]\s", reading.before(asked.start(), _NEAR))[-1]
    after = reading.text[said.end() : said.end() + 40].partition("\n")[0]
    return _WHO_ASKS.search(f"{before} {said[0]} {after}") is not None
