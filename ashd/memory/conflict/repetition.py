"""Whether a text can be the same again as another: it says no more, no less and nothing else.

What is taken for a repetition is stored nowhere, so this asks for more than likeness: "allergic to
nuts and aspirin" is no repetition of "allergic to nuts", nor is "Tom lent Anna 5 euros" of "Anna
lent Tom 5 euros". Pure, by words; of a language that is not read the negations are known.
"""

from collections.abc import Sequence
from typing import Final

from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.clause import content, lemma
from ashd.memory.conflict.reading import read
from ashd.memory.conflict.wording import MARKS, Word, words

_OF_OTHER_LANGUAGES: Final = (
    "nicht kein keine keinen keinem keiner nie niemals ne pas jamais aucun aucune sans nunca jamás"
    " jamas tampoco nada sin ya non mai nessun nessuno senza não nao nem sem niet geen nooit zonder"
    " nie inte aldrig ikke aldri değil yok nem soha"
)
_NEGATIONS: Final = lex.NEGATIONS | frozenset(_OF_OTHER_LANGUAGES.split())
_OPPOSED: Final = (
    *(("before", "after"), ("am", "pm"), ("above", "below"), ("over", "under")),
    *(("more", "less"), ("until", "from"), ("most", "least"), ("inside", "outside")),
)
_ONESELF: Final = frozenset({"i", "me", "my", "mine", "myself", "user", "we", "us", "our"})
_PLACING: Final = frozenset({"than"})


def may_repeat(older: str, newer: str, *, is_guess: bool) -> bool:
    """Whether nothing in the words of two texts speaks against the one repeating the other.

    `is_guess`: what says so has not compared their values, so that one of them may say more.
    """
    left, right = _said(older), _said(newer)
    one, two = ({word.text for word in side} for side in (left, right))
    if bool(one & _NEGATIONS) != bool(two & _NEGATIONS) or ("new" in one) != ("new" in two):
        return False
    if any({a, b} <= one | two and (a in one) != (a in two) for a, b in _OPPOSED):
        return False
    if is_guess and (_say_more(left, right) or not _of_the_same_people(older, newer)):
        return False
    return _order_is_one(left, right, read(older) + read(newer))


def _said(text: str) -> list[Word]:
    return [word for word in words(text) if word.text not in MARKS]


def _say_more(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """Whether one of two texts has all that the other has, and something, or other numbers."""
    a, b = content(left), content(right)
    further = (a < b and _things(b - a)) or (b < a and _things(a - b))
    return bool(further) or _numbers(left) != _numbers(right)


def _numbers(said: Sequence[Word]) -> set[str]:
    return {word.text for word in said if word.is_number}


def _things(found: frozenset[str]) -> set[str]:
    """What is no verb: "follows a vegan diet" says no more than "is vegan" by its verb alone."""
    return {word for word in found if lemma(word) is None}


def _of_the_same_people(older: str, newer: str) -> bool:
    """Whether whoever one text is about stands in the other, too: Lena's allergy is not mine."""
    before, after = read(older), read(newer)
    for clauses, other in ((before, newer), (after, older)):
        named = frozenset().union(*(clause.subject.person for clause in clauses))
        if before and after and not named <= content(words(other)):
            return False
    return True


def _order_is_one(left: Sequence[Word], right: Sequence[Word], clauses: Sequence[object]) -> bool:
    """Whether those who are named stand in one order, where it says who does what to whom.

    What merely is may be said either way round: "Tom is my husband", "my husband is Tom".
    """
    texts = {word.text for word in (*left, *right)}
    only_is = bool(clauses) and all(getattr(clause, "verb", "") == "be" for clause in clauses)
    if only_is and not texts & _PLACING:
        return True
    first, second = _named(left, right), _named(right, left)
    return set(first) != set(second) or first == second


def _named(side: Sequence[Word], other: Sequence[Word]) -> list[str]:
    """Oneself and whoever is written with a capital, not only because a sentence begins."""
    names = {word.text for word in (*side[1:], *other[1:]) if word.is_capital}
    found = [
        "i" if word.text in _ONESELF else word.text
        for word in side
        if word.text in _ONESELF | names
    ]
    return list(dict.fromkeys(found))
