"""The judge beside the multilingual embedder: it links, and neither asks nor folds."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ashd.memory.judge import AnyLanguageModel, for_embedder
from ashd.memory.judge.any_language import inputs
from ashd.memory.judge.pair_model import LONGEST, Side
from ashd.memory.judge.verdict import LINKED_FROM, OFFERED_FROM
from ashd.memory.opinions import Reader
from ashd.providers.embedder import Embedding
from ashd.providers.multilingual_install import MODEL

_DIMENSION = 4
_INPUTS = 11 + 3 * _DIMENSION


def _model(folder: Path, bias: float, model: str = "a model") -> AnyLanguageModel:
    """A model that gives every pair the same figure."""
    path = folder / "multilingual.npz"
    np.savez(path, model=np.array(model), weights=np.zeros(_INPUTS), bias=np.array(bias))
    return AnyLanguageModel(path, "a model")


def _sides(*texts: str) -> list[Side]:
    rows = np.random.default_rng(5).normal(size=(len(texts), _DIMENSION)).astype(np.float32)
    embedded = [Embedding(row) for row in rows]
    return AnyLanguageModel.sides(list(zip(texts, embedded, strict=True)))


def test_a_sure_conflict_is_linked_and_not_asked_about(tmp_path: Path) -> None:
    """The figures were measured in English alone, and the judge reads every language."""
    newer, older = _sides("小雨改学钢琴了。", "小雨学小提琴。")
    (opinion,) = _model(tmp_path, bias=9).opinions(newer, [older])
    assert LINKED_FROM < opinion.replaces <= OFFERED_FROM


def test_it_folds_nothing(tmp_path: Path) -> None:
    """It says nothing of repetitions, however alike two texts are."""
    newer, older = _sides("Sven ist umgezogen.", "Sven ist umgezogen.")
    (opinion,) = _model(tmp_path, bias=9).opinions(newer, [older])
    assert opinion.repeats < opinion.repeats_from


@pytest.mark.parametrize("texts", [("x" * (LONGEST + 1), "kurz"), ("kurz", "x" * (LONGEST + 1))])
def test_long_texts_get_no_opinion(tmp_path: Path, texts: tuple[str, str]) -> None:
    """It was trained on single statements."""
    newer, older = _sides(*texts)
    (opinion,) = _model(tmp_path, bias=9).opinions(newer, [older])
    assert opinion.replaces < LINKED_FROM


def test_pairs_below_the_cut_are_not_linked(tmp_path: Path) -> None:
    """As many pairs are ended at a figure of one half as are not linked."""
    newer, older = _sides("Heute regnet es.", "Sven ist umgezogen.")
    (opinion,) = _model(tmp_path, bias=0).opinions(newer, [older])
    assert opinion.replaces < LINKED_FROM


def test_opinions_are_in_the_order_of_the_texts(tmp_path: Path) -> None:
    """A long text among them has none; none at all get an empty list."""
    newer, *olders = _sides("eins", "zwei", "x" * (LONGEST + 1), "drei")
    found = _model(tmp_path, bias=9).opinions(newer, olders)
    assert [one.replaces > LINKED_FROM for one in found] == [True, False, True]
    assert _model(tmp_path, bias=9).opinions(newer, []) == []


def test_words_and_numbers_are_seen_in_any_script() -> None:
    """The same number and shared words are seen; so are other numbers."""
    newer, same, other = _sides("Поезд уходит в 6 утра", "Поезд уходит в 6", "Рейс 8")
    seen_same, seen_other = inputs(newer, [same, other])
    assert seen_same[5] > seen_other[5]
    assert (seen_same[9] > 0.5, seen_same[10] > 0.5) == (True, False)
    assert (seen_other[9] > 0.5, seen_other[10] > 0.5) == (False, True)


def test_a_single_candidate_has_figures() -> None:
    """Without others it is compared with none of them."""
    newer, older = _sides("", "eins")
    assert np.isfinite(inputs(newer, [older])).all()


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    """Vectors of another model mean something else."""
    with pytest.raises(ValueError, match="another model"):
        _model(tmp_path, bias=0, model="another")


def test_the_multilingual_embedder_has_it() -> None:
    """Its weights are in the package; the built-in embedder is not asked beside it."""
    reader = Reader.of(SimpleNamespace(model=MODEL))  # type: ignore[arg-type]
    assert reader is not None
    assert isinstance(reader.model, AnyLanguageModel)
    assert reader.model is for_embedder(MODEL)
    assert reader.static is None
