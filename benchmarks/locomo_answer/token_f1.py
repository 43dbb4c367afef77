"""LoCoMo's own token F1, by category code, as its evaluation script reckons it.

Lower case, without punctuation and the words a, an, the, and; Porter stems as NLTK makes them.
"""

import re
import string
from collections import Counter
from functools import cache
from statistics import mean

from nltk.stem.porter import PorterStemmer

from benchmarks.locomo_answer.data import ADVERSARIAL

_MULTI_HOP, _OPEN_DOMAIN = 1, 3
_LEFT_OUT = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DECLINES = ("no information available", "not mentioned")
_stemmer = PorterStemmer()


def score(category: int, said: str, answer: str) -> float:
    """0-1. Several answers of code 1 count each; of code 5 only declining is right."""
    if category == ADVERSARIAL:
        return float(any(phrase in said.lower() for phrase in _DECLINES))
    if category == _MULTI_HOP:
        tried = [part.strip() for part in said.split(",")]
        wanted = [part.strip() for part in answer.split(",")]
        return mean(max(token_f1(one, part) for one in tried) for part in wanted)
    if category == _OPEN_DOMAIN:
        answer = answer.split(";", maxsplit=1)[0].strip()
    return token_f1(said, answer)


def token_f1(said: str, answer: str) -> float:
    """The harmonic mean of precision and recall of the stems."""
    tried, wanted = _stems(said), _stems(answer)
    common = sum((Counter(tried) & Counter(wanted)).values())
    if not common:
        return 0.0
    precision, recall = common / len(tried), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _stems(text: str) -> list[str]:
    plain = text.replace(",", "").lower().translate(_PUNCTUATION)
    return [_stem(word) for word in _LEFT_OUT.sub(" ", plain).split()]


@cache
def _stem(word: str) -> str:
    return str(_stemmer.stem(word))
