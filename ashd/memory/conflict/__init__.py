"""What a new fact does to an older one of the same scope: stand beside it, repeat it, replace it.

The decision is pure and rests on structure (features A10, A11, A13, E7): who or what both speak
of, which attribute, which value. A cosine only opens a question, it never answers one by itself.
What must always hold: whatever cannot be told keeps both; people who differ never conflict;
hearsay never replaces a person's own word; what fades never replaces what lasts.

    wording    the same text; the words of a text, spelt one way
    lexicon    English as far as statements are read          kinds  attributes and their values
    reading    text to clauses, with `predicate`, `clause`    attribute  a clause's attribute
    change     "no longer so" in a clause's own words         comparison  two clauses
    decision   two statements                                 verdict  what is decided
    signs      what the model of pairs is told of two texts
    repetition what forbids that one text repeats another

A language model may judge instead of `decide`: it is a `Judge`, and `guard` applies the rules
beyond the text to its verdict as to this room's own.
"""

from ashd.memory.conflict.attribute import attribute_keys
from ashd.memory.conflict.decision import Judge, decide, guard, told_to_model
from ashd.memory.conflict.verdict import Gates, Outcome, PairModel, ValueCosine, Verdict
from ashd.memory.conflict.wording import fingerprint

__all__ = [
    "Gates",
    "Judge",
    "Outcome",
    "PairModel",
    "ValueCosine",
    "Verdict",
    "attribute_keys",
    "decide",
    "fingerprint",
    "guard",
    "told_to_model",
]
