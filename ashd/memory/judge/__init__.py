"""Judges what a new fact does to an older one of the same scope.

The decision is pure (features A10, A11, A13, A17): a model gives its opinion of two texts, and
rules about who said it and when have the last word. What must always hold: a model's belief links
two facts, and hides neither; only the same words in the same order are the same fact; statements
about different subjects never conflict; hearsay never replaces a person's own word; what fades
never replaces what lasts.

    features, alignment  what two texts share, by words and by token vectors
    pair_model   the opinion on a pair            pair_weights  the model of an embedder
    any_language  the opinion of the model beside the multilingual embedder
    cross_encoder  the cross-encoder's opinion on near pairs
    calibration  the likelihood that a model's figure stands for
    lists        lines that replace nothing
    plain_correction  the same sentence with another value
    guard        rules beyond the model           decision  two statements
    verdict      what is decided

A language model may take the pair model's place: it gives an `Opinion` as well.
"""

from ashd.memory.judge.any_language import AnyLanguageModel
from ashd.memory.judge.cross_encoder import Reading, read_together
from ashd.memory.judge.decision import believed, decide
from ashd.memory.judge.lists import lines_beside
from ashd.memory.judge.pair_model import PairModel, Side
from ashd.memory.judge.pair_weights import for_embedder, static
from ashd.memory.judge.verdict import NO_OPINION, Opinion, Outcome, Verdict

__all__ = [
    "NO_OPINION",
    "AnyLanguageModel",
    "Opinion",
    "Outcome",
    "PairModel",
    "Reading",
    "Side",
    "Verdict",
    "believed",
    "decide",
    "for_embedder",
    "lines_beside",
    "read_together",
    "static",
]
