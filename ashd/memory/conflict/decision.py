"""The verdict on two statements: their words first, then their clauses, then who said them."""

from collections.abc import Sequence
from typing import Final, Protocol

from ashd.clock import DAY
from ashd.memory.conflict import kinds
from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.change import is_past
from ashd.memory.conflict.clause import Clause, Content, content, singular, verb_form
from ashd.memory.conflict.comparison import About, compare
from ashd.memory.conflict.reading import read
from ashd.memory.conflict.repetition import may_repeat
from ashd.memory.conflict.signs import signs
from ashd.memory.conflict.verdict import (
    Gates,
    Nearness,
    Outcome,
    PairModel,
    ValueCosine,
    Verdict,
    duplicate,
    exclude,
    keep,
    supersede,
)
from ashd.memory.conflict.wording import COLON, Word, fingerprint, said, words
from ashd.memory.statement import Statement

_OTHER_VALUE: Final = frozenset(
    {"many_valued", "other_value", "other_type", "event", "refines", "other_frame", "unrelated"}
)
"""Reasons to keep both that also say: these are no paraphrases of each other."""
_FAR: Final = 0.2
"""Of texts less alike the model is not asked: of those that replace one another hardly any are."""
_LEAST_WORDS: Final = 4
"""Of a text without a verb that is more than a label."""
_STEM: Final = 4
"""Letters that two forms of one word share: allergy, allergic."""


class Judge(Protocol):
    """The seam for a language model: its verdict on two statements, or None if it has none."""

    def __call__(self, older: Statement, newer: Statement) -> Verdict | None:
        """Judge what `newer` does to `older`."""
        ...


def decide(
    older: Statement,
    newer: Statement,
    *,
    cosine: float | None,
    value_cosine: ValueCosine | None,
    gates: Gates | None,
    pair_model: PairModel | None = None,
) -> Verdict:
    """What `newer` does to `older`, which stands in the same scope.

    `cosine` is that of the two texts, None without an embedder. `value_cosine` gives that of
    two phrases; it is asked only if the embedder can tell types apart (`gates.value_type`).
    `pair_model` is asked where grammar finds no reason to replace: it knows that who got divorced
    is no longer married, which no rule here says.
    """
    if older.subjects != newer.subjects:
        return keep("different_subject")
    if fingerprint(older.text) == fingerprint(newer.text):
        return guard(older, newer, duplicate("same_words"))
    verdict = _by_clauses(older, newer, Nearness(cosine, value_cosine, gates))
    if pair_model is not None and (cosine is None or cosine >= _FAR):
        verdict = _with_model(older.text, newer.text, verdict, pair_model)
    if verdict.outcome is Outcome.DUPLICATE:
        is_guess = verdict.reason == "paraphrase"
        if not may_repeat(older.text, newer.text, is_guess=is_guess):
            verdict = keep("says_otherwise")
    return guard(older, newer, verdict)


def _with_model(older: str, newer: str, verdict: Verdict, pair_model: PairModel) -> Verdict:
    """`verdict`, or the model's where the rule found nothing, or by nearness alone a paraphrase."""
    is_guess = verdict == duplicate("paraphrase")
    if verdict.outcome is not Outcome.KEEP_BOTH and not is_guess:
        return verdict
    if verdict.reason == "unread" and _are_labels(older, newer):
        return verdict
    replaces, repeats = pair_model(told_to_model(older, newer, verdict))
    if replaces:
        return supersede("meaning")
    if repeats:
        return duplicate("paraphrase")
    return keep("no_paraphrase") if is_guess else verdict


def _are_labels(older: str, newer: str) -> bool:
    """Whether two texts that are no sentences say too little to be told apart: "list 3", "list 4".

    What stands after a colon is a value: "Gym: Tuesdays".
    """
    sides = [words(text) for text in (older, newer)]
    if any(word.text == COLON for side in sides for word in side):
        return False
    plain = [said(text) for text in (older, newer)]
    if min(map(len, plain)) < _LEAST_WORDS:
        return True
    one, two = ([word.text for word in side if not word.is_number] for side in plain)
    return one == two


def told_to_model(older: str, newer: str, verdict: Verdict) -> frozenset[str]:
    """What the model of pairs is told beside the vectors: the rule's verdict, and the signs."""
    return signs(older, newer) | {f"{verdict.outcome.value}:{verdict.reason}"}


def guard(older: Statement, newer: Statement, verdict: Verdict) -> Verdict:
    """`verdict`, unless who said it, what fades or the order of events forbids it (A11, A13)."""
    own_word = older.first_person == "hearsay" and newer.first_person == "fact"
    if verdict.outcome is Outcome.DUPLICATE:
        # The same again, from the person's own mouth or for good, is better than what stands.
        if newer.fades and not older.fades:
            return verdict
        if own_word:
            return supersede("own_word")
        return supersede("lasts") if older.fades and not newer.fades else verdict
    if verdict.outcome is Outcome.SUPERSEDE:
        if older.first_person == "fact" and newer.first_person == "hearsay":
            return keep("hearsay")
        if newer.fades and not older.fades:
            return keep("fades")
        if _observed_before(newer, older):
            return keep("observed_earlier")
        if _is_of_another_time(older, newer):
            return keep("other_time")
    return verdict


def _observed_before(one: Statement, other: Statement) -> bool:
    """Whether what is told later was so earlier: of an old letter that is read in today."""
    if one.observed_at is None:
        return False
    if other.observed_at is not None:
        return one.observed_at < other.observed_at
    return other.told_at is not None and one.observed_at + DAY < other.told_at


def _is_of_another_time(older: Statement, newer: Statement) -> bool:
    """Whether one of them is over, or is yet to come, or began before the other did."""
    now = newer.told_at
    if now is not None:
        if any(one.valid_until is not None and one.valid_until <= now for one in (older, newer)):
            return True
        if newer.valid_from is not None and newer.valid_from > now:
            return True
    if older.valid_from is None or newer.valid_from is None:
        return False
    return newer.valid_from < older.valid_from


def _about(older: Statement, newer: Statement) -> About:
    """What the resolved subjects tell; both facts have the same.

    A fact that names nobody is stored as one about whoever told it, so a person's own words
    ("my brother lives in …") may be about others: only by their text can those be told apart.
    """
    if len(older.subjects) != 1 or older.first_person == "fact":
        return About.UNKNOWN
    return About.OWN_WORD if newer.first_person == "fact" else About.ONE_PERSON


_MOST_PAIRS: Final = 36
"""Of clauses that are compared, six with six: the writer lane is everybody's."""


def _by_clauses(older: Statement, newer: Statement, near: Nearness) -> Verdict:
    """The verdict on all clauses of both texts together."""
    before, after = read(older.text), read(newer.text)
    if not before or not after or len(before) * len(after) > _MOST_PAIRS:
        return keep("unread")
    about = _about(older, newer)
    table = [[compare(old, new, near, about) for new in after] for old in before]
    replaced = [next((v for v in row if v.outcome is Outcome.SUPERSEDE), None) for row in table]
    if first := next(filter(None, replaced), None):
        # An older fact that says more than what is replaced stays whole.
        repeated = [any(v.outcome is Outcome.DUPLICATE for v in row) for row in table]
        whole = all(r or d for r, d in zip(replaced, repeated, strict=True))
        return first if whole else keep("says_more")
    columns = zip(*table, strict=True)
    if all(any(v.outcome is Outcome.DUPLICATE for v in column) for column in columns):
        return duplicate("same_value")
    other_value = any(v.reason in _OTHER_VALUE for row in table for v in row)
    if near.as_paraphrases and not other_value and _say_the_same(older.text, newer.text):
        return duplicate("paraphrase")
    return table[0][0] if len(before) == len(after) == 1 else keep("no_conflict")


def _say_the_same(older: str, newer: str) -> bool:
    """Whether two near texts are paraphrases: no name, number, person or polarity differs."""
    before, after = read(older), read(newer)
    if any(clause.also for clause in after) or _moods(before) != _moods(after):
        return False
    left, right = words(older), words(newer)
    a, b = content(left), content(right)
    if _fixed(left) != _fixed(right) or exclude(a - b, b - a):
        return False
    gone, come = _things(a - b, b), _things(b - a, a)
    if len(gone) != len(come) or len(come) > 1:
        return False  # one of them says more, or something else
    verbs, others = ({clause.verb for clause in side} for side in (before, after))
    if verbs != others and verbs | others <= kinds.MANY_VERBS - kinds.LIGHT_VERBS:
        return False  # visiting a place is not liking it
    about, again = (frozenset().union(*(c.subject.all for c in side)) for side in (before, after))
    if verbs == others and about != again:
        return False
    return not (about - b and again - a)


def _moods(clauses: Sequence[Clause]) -> set[tuple[bool, ...]]:
    return {(c.negative, c.wish, c.former, is_past(c), c.changed) for c in clauses}


def _fixed(found: Sequence[Word]) -> Content:
    """The words that no paraphrase changes: numbers, names, relations, dates."""
    return frozenset(
        singular(word.text)
        for at, word in enumerate(found)
        if word.is_number
        or (word.is_capital and at and word.text not in lex.SELF)
        or singular(word.text) in lex.KIN
        or word.text in lex.DAYS | lex.MONTHS
    )


def _things(found: Content, others: Content) -> set[str]:
    """What of `found` is no verb, no small word and no form of a word of `others`."""
    small = lex.PREPOSITIONS | lex.AUXILIARIES | {"there"}
    stems = {word[:_STEM] for word in others}
    return {
        word
        for word in found - small
        if not (verb_form(word) or word.endswith(("ed", "ing")) or word[:_STEM] in stems)
    }
