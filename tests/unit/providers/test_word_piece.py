"""MiniLM's tokens are those of the tokenizer that it was trained with, on any text.

These need the model, as `test_minilm` says. The reference is the library `tokenizers`.
"""

import os
import sys
from pathlib import Path

import pytest
from corpora import TEXTS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ashd.providers.minilm_convert import LONGEST_TOKENS
from ashd.providers.minilm_install import FOLDER, PACKAGE, TOKENIZER_FILE
from ashd.providers.word_piece import WordPiece
from benchmarks.speed import hostile_texts

MODELS = Path(os.environ.get("ASH_MODELS") or Path.home() / ".ash" / "models")

pytestmark = pytest.mark.skipif(
    PACKAGE.installed(MODELS / FOLDER) is None,
    reason="MiniLM is not installed (ash model install minilm)",
)


@pytest.fixture(scope="module")
def own() -> WordPiece:
    return WordPiece(MODELS / FOLDER / TOKENIZER_FILE, longest=LONGEST_TOKENS)


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """The library's tokenizer, to which the model's marks in a text are plain text."""
    made = Tokenizer.from_file(str(MODELS / FOLDER / TOKENIZER_FILE))
    made.no_padding()
    made.enable_truncation(LONGEST_TOKENS)
    made.encode_special_tokens = True
    return made


def test_every_character_has_the_tokens_of_the_reference(
    own: WordPiece, reference: Tokenizer
) -> None:
    """Inside a word, and beside itself; a few characters a text, which is not cut then."""
    every = [f"un{chr(code)}even {chr(code) * 2} " for code in range(sys.maxunicode + 1)]
    del every[0xD800:0xE000]  # surrogates are no characters
    texts = ["".join(every[at : at + 16]) for at in range(0, len(every), 16)]

    assert [text for text in texts if own.ids(text) != reference.encode(text).ids] == []


def test_written_texts_have_the_tokens_of_the_reference(
    own: WordPiece, reference: Tokenizer
) -> None:
    """All that is beside the benchmarks, in many languages, and code."""
    assert [text for text in TEXTS if own.ids(text) != reference.encode(text).ids] == []


@pytest.mark.parametrize("kind", hostile_texts.KINDS)
@pytest.mark.parametrize("length", [90, 400, 10_000])
def test_hostile_texts_have_the_tokens_of_the_reference(
    own: WordPiece, reference: Tokenizer, kind: str, length: int
) -> None:
    """Long words, runs of marks, letters that are written as many."""
    text = hostile_texts.text(kind, length)

    assert own.ids(text) == reference.encode(text).ids


@given(st.text(max_size=300))
@example("")
@example("[SEP] [CLS] [UNK] ##s #")
@example("ΟΔΥΣΣΕΥΣ İstanbul \u1e9e e\u0301\u0327 \u0915\u093c 각 가\u11a8")
@example("x" * 100 + " " + "x" * 101)
@example("x\u0301" * 101)
@settings(max_examples=1_000, deadline=None)
def test_any_text_has_the_tokens_of_the_reference(
    own: WordPiece, reference: Tokenizer, text: str
) -> None:
    """A text may be in any script, with characters that no model has seen."""
    assert own.ids(text) == reference.encode(text).ids


_WORDS = st.lists(st.sampled_from(["a", "unbelievable", "漢", "각", "...", "\U0001f642", "zzzq"]))


@given(st.tuples(_WORDS, st.integers(0, 300)), st.tuples(_WORDS, st.integers(0, 300)))
@example((["a"], 126), (["a"], 127))
@example((["a"], 127), (["a"], 127))
@example((["a"], 128), (["a"], 127))
@example((["a"], 300), (["a"], 126))
@example((["a"], 299), (["a"], 300))
@example((["각"], 100), (["a"], 250))
@example((["a"], 0), (["a"], 300))
@settings(max_examples=30, deadline=None)
def test_pairs_have_the_tokens_of_the_reference(
    own: WordPiece,
    reference: Tokenizer,
    one: tuple[list[str], int],
    other: tuple[list[str], int],
) -> None:
    """Texts that are too long together are cut at the same places."""
    first, second = (" ".join(words * times) for words, times in (one, other))
    expected = reference.encode(first, second)

    assert own.pair(first, second) == (expected.ids, expected.type_ids)


def test_characters_take_no_memory(own: WordPiece) -> None:
    """The table of forms would else grow with what people write, to a million characters."""
    before = len(own._forms)
    own.ids("".join(map(chr, range(0x3000, 0x4000))))

    assert len(own._forms) == before
