"""Whether a text can be the same again as another: it says no more, no less and nothing else.

What is taken for a repetition is stored nowhere, so this asks for more than likeness: "allergic to
nuts and aspirin" is no repetition of "allergic to nuts", nor is "Tom lent Anna 5 euros" of "Anna
lent Tom 5 euros". Pure, by words; of a language that is not read the negations are known.
"""

from collections.abc import Sequence
from typing import Final

from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.change import is_number
from ashd.memory.conflict.clause import content, lemma
from ashd.memory.conflict.reading import read
from ashd.memory.conflict.wording import Word, said, words

_OF_OTHER_LANGUAGES: Final = (
    "nicht kein keine keinen keinem keiner nie niemals ne pas jamais aucun aucune sans nunca jamás"
    " jamas tampoco nada sin ya non mai nessun nessuno senza não nao nem sem niet geen nooit zonder"
    " nie inte aldrig ikke aldri değil yok nem soha"
)
_NEGATIONS: Final = lex.NEGATIONS | frozenset(_OF_OTHER_LANGUAGES.split())
_OPPOSED: Final = (
    *(("before", "after"), ("am", "pm"), ("above", "below"), ("over", "under")),
    *(("more", "less"), ("until", "from"), ("most", "least"), ("inside", "outside")),
    *(("arrive", "leave"), ("arrive", "depart"), ("start", "finish"), ("start", "end")),
    *(("begin", "end"), ("open", "close"), ("lend", "borrow"), ("buy", "sell"), ("win", "lose")),
    *(("under", "on"), ("with", "near"), ("come", "go"), ("give", "get")),
)
_PREFERRED: Final = frozenset({"favorite", "prefer", "best", "fan", "fond", "keen"})
_VIEWS: Final = frozenset({"like", "love", "hate", "enjoy", "dislike", "adore", "detest"})
_ONESELF: Final = frozenset({"i", "me", "my", "mine", "myself", "user", "we", "us", "our"})
_FILLERS: Final = (
    lex.PREPOSITIONS | lex.AUXILIARIES | {"there", "here", "something", "thing", "one"}
)
_SELF: Final = "i"
_PLACING: Final = frozenset({"than"})


def may_repeat(older: str, newer: str, *, is_guess: bool) -> bool:
    """Whether nothing in the words of two texts speaks against the one repeating the other.

    `is_guess`: what says so has not compared their values, so that one of them may say more.
    """
    left, right = said(older), said(newer)
    one, two = ({lemma(word.text) or word.text for word in side} for side in (left, right))
    if bool(one & _NEGATIONS) != bool(two & _NEGATIONS) or ("new" in one) != ("new" in two):
        return False
    if any({a, b} <= one | two and (a in one) != (a in two) for a, b in _OPPOSED):
        return False
    if is_guess and bool(one & _VIEWS) != bool(two & _VIEWS) and not (one | two) & _PREFERRED:
        return False
    if is_guess and (_say_more(left, right) or not _of_the_same_people(older, newer)):
        return False
    return _order_is_one(older, newer, left, right)


def _say_more(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """Whether one of two texts has all that the other has, and something, or other numbers."""
    a, b = content(left), content(right)
    further = (a < b and _things(b - a)) or (b < a and _things(a - b))
    return bool(further) or _exact(left, right) != _exact(right, left)


def _exact(side: Sequence[Word], other: Sequence[Word]) -> set[str]:
    """What no paraphrase changes: numbers, days and months, and who is named."""
    numbers = {
        word.text for word in side if word.text not in lex.TIME_WORDS and is_number(word.text)
    }
    return numbers | (set(_named(side, other)) - {_SELF})


def _things(found: frozenset[str]) -> set[str]:
    """What is no verb: "follows a vegan diet" says no more than "is vegan" by its verb alone."""
    return {word for word in found - _FILLERS if lemma(word) is None or word.endswith("ing")}


def _of_the_same_people(older: str, newer: str) -> bool:
    """Whether whoever one text is about stands in the other, too: Lena's allergy is not mine."""
    before, after = read(older), read(newer)
    for clauses, other in ((before, newer), (after, older)):
        named = frozenset().union(*(clause.subject.person for clause in clauses))
        if before and after and not named - _FILLERS <= content(words(other)):
            return False
    return True


def _order_is_one(older: str, newer: str, left: Sequence[Word], right: Sequence[Word]) -> bool:
    """Whether those who are named stand in one order, where it says who does what to whom.

    What merely is may be said either way round: "Tom is my husband", "my husband is Tom".
    """
    verbs, others = ({clause.verb for clause in read(text)} for text in (older, newer))
    placed = any(word.text in _PLACING for word in (*left, *right))
    if verbs != others or (verbs == {"be"} and not placed):
        return True
    first, second = _named(left, right), _named(right, left)
    return set(first) != set(second) or first == second


def _named(side: Sequence[Word], other: Sequence[Word]) -> list[str]:
    """Oneself and whoever is written with a capital, not only because a sentence begins."""
    names = {word.text for word in (*side[1:], *other[1:]) if word.is_capital}
    found = [
        _SELF if word.text in _ONESELF else word.text
        for word in side
        if word.text in _ONESELF | names
    ]
    return list(dict.fromkeys(found))
