"""The static embedder: there without network, model or set-up, and the same every time."""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from corpora import TEXTS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ashd.errors import EmbeddingUnavailable
from ashd.language import text_caches
from ashd.providers.embedder import PASSAGE_TOKENS
from ashd.providers.wordllama import (
    FOLDER,
    LICENSE_FILE,
    TOKENS_FILE,
    VECTORS_FILE,
    WordLlamaEmbedder,
    static_vectors,
    token_weights,
)
from benchmarks import static_vectors as of_package
from benchmarks.speed import hostile_texts

SAID = ["I live in Berlin.", "My home is in Berlin.", "The build takes about four minutes."]


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_vectors_have_the_promised_shapes(embedder: WordLlamaEmbedder) -> None:
    """Pooled vectors are float32 of unit length, token vectors int8 with an id each."""
    for embedding in embedder.embed(SAID):
        assert embedding.pooled.dtype == np.float32
        assert embedding.pooled.shape == (embedder.dimension,)
        assert np.linalg.norm(embedding.pooled) == pytest.approx(1, abs=1e-5)
        assert embedding.tokens.vectors.dtype == np.int8
        assert embedding.tokens.ids.dtype == np.int32
        assert embedding.tokens.vectors.shape == (
            len(embedding.tokens.ids),
            embedder.token_dimension,
        )


def test_the_same_meaning_is_nearer_than_another(embedder: WordLlamaEmbedder) -> None:
    """Two ways to say one thing are near; another thing is far off."""
    home, same, other = (embedding.pooled for embedding in embedder.embed(SAID))
    assert home @ same >= 0.65
    assert home @ other < 0.25


def test_a_question_is_embedded_as_a_text_is(embedder: WordLlamaEmbedder) -> None:
    """A question equal to a text has the same vectors."""
    assert np.array_equal(embedder.embed([SAID[0]])[0].pooled, embedder.embed_query(SAID[0]).pooled)


@pytest.mark.parametrize("text", ["", "   ", "?!", "\n"])
def test_a_text_without_words_is_similar_to_nothing(embedder: WordLlamaEmbedder, text: str) -> None:
    """A text without words has a zero vector and no token vectors, and is no error."""
    embedding = embedder.embed([text])[0]
    assert not embedding.pooled.any()
    assert embedding.tokens.vectors.shape == (0, embedder.token_dimension)


@pytest.mark.parametrize("text", ["私は東京に住んでいます", "أعيش في القاهرة", "🙂🙂", "ERR_4012"])
def test_any_text_has_a_vector(embedder: WordLlamaEmbedder, text: str) -> None:
    """Letters that the tokenizer has no piece for are spelled in bytes."""
    assert np.linalg.norm(embedder.embed([text])[0].pooled) == pytest.approx(1, abs=1e-5)


def test_threads_get_what_one_thread_gets(embedder: WordLlamaEmbedder) -> None:
    """Embedding at the same time from several threads changes nothing."""
    texts = [f"{text} {number}" for number in range(50) for text in SAID]
    alone = [embedding.pooled for embedding in embedder.embed(texts)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: embedder.embed([text])[0].pooled, texts))
    assert np.array_equal(alone, together)


def test_its_data_are_those_of_the_package() -> None:
    """Vectors that were stored by a release which read the package's own files stay valid."""
    vectors = np.load(FOLDER / VECTORS_FILE)
    rules = of_package.merges()

    assert np.array_equal(vectors, of_package.table())
    assert vectors.dtype == np.float16
    assert (FOLDER / TOKENS_FILE).read_bytes() == of_package.sentencepiece_model(rules)
    assert (FOLDER / LICENSE_FILE).read_text() == of_package.license_text()


def test_no_text_has_other_tokens_than_by_the_package() -> None:
    """The order in which pieces are joined differs, and makes no difference."""
    assert of_package.disagreements(of_package.merges()) == []


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """The package's tokenizer."""
    made = Tokenizer.from_file(str(of_package.tokenizer_file()))
    made.no_padding()
    made.no_truncation()
    return made


def reference_ids(reference: Tokenizer, text: str) -> list[int]:
    """The tokens that have a weight."""
    ids = np.array(reference.encode(text, add_special_tokens=False).ids, dtype=np.int32)
    return ids[static_vectors().weights[ids] > 0].tolist()


def test_written_texts_have_the_package_s_tokens(reference: Tokenizer) -> None:
    """All that is beside the benchmarks, in many languages, and code."""
    assert [
        text
        for text in TEXTS
        if static_vectors()._ids(text).tolist() != reference_ids(reference, text)
    ] == []


@pytest.mark.parametrize("kind", hostile_texts.KINDS)
def test_hostile_texts_have_the_package_s_tokens(reference: Tokenizer, kind: str) -> None:
    """Long words, runs of one letter, letters that are spelled in bytes."""
    text = hostile_texts.text(kind, 10_000)
    assert static_vectors()._ids(text).tolist() == reference_ids(reference, text)


_PIECES = st.sampled_from(of_package.merges().pieces[3:])


@given(st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=30).map("".join)))
@example("")
@example("\0")
@example("   <s> a</s><unk> <s b")
@example("<0x41> \u2581\u2581 \ufffd\ufeff")
@example("wwwwww xxxxxxx endendenden ----------")
@settings(max_examples=1_000, deadline=None)
def test_any_text_has_the_package_s_tokens(reference: Tokenizer, text: str) -> None:
    """A text may be in any script, or have the tokenizer's own pieces in any order."""
    assert static_vectors()._ids(text).tolist() == reference_ids(reference, text)


def test_every_character_has_the_package_s_tokens(reference: Tokenizer) -> None:
    """A letter without a piece is spelled in bytes."""
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    del every[0xD800:0xE000]  # surrogates are no characters
    texts = ["".join(every[at : at + 256]) for at in range(0, len(every), 256)]
    wrong = [
        text
        for text in texts
        if static_vectors()._ids(text).tolist() != reference_ids(reference, text)
    ]
    assert wrong == []


def test_missing_files_are_a_clear_error(tmp_path: Path) -> None:
    """The error says how to restore the data, and names no path."""
    with pytest.raises(EmbeddingUnavailable) as caught:
        WordLlamaEmbedder(tmp_path)
    assert "Install ashd again" in caught.value.hint
    assert str(tmp_path) not in str(caught.value)


def test_frequent_pieces_weigh_less() -> None:
    """A weight grows with a piece's place in the list; marks and punctuation weigh nothing."""
    marks = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    weights = token_weights([*marks, "▁the", "▁house", "...", *(f"w{n}" for n in range(30000))])
    assert weights[259] < weights[260] < weights[5000] < 1
    assert weights[261] == 0
    assert not weights[:131].any()
    assert weights[131:259].all()


def test_stored_texts_are_read_once_until_an_erasure() -> None:
    """A fact is labelled by the same vectors that it is judged by."""
    static = static_vectors()
    read = static.read_stored(SAID[0])
    assert static.read_stored(SAID[0]) is read
    text_caches.empty()
    again = static.read_stored(SAID[0])
    assert again is not read
    assert np.array_equal(again.pooled, read.pooled)


@given(st.text(st.sampled_from("abcD9 .,'-\n\u2581<>s/é漢🙂"), max_size=40))
@example("<s> a</s> <unk>")
@example("two  spaces, and one at the end ")
@example("a\u2581 \u2581b")
def test_a_stored_text_has_the_tokens_of_its_words(text: str) -> None:
    """Read word by word, as a question is read as a whole."""
    as_stored, as_asked = static_vectors().read_stored(text), static_vectors().read(text)
    assert as_asked.ids.tolist() == as_stored.ids.tolist()
    assert np.array_equal(as_asked.pooled, as_stored.pooled)
    assert np.allclose(static_vectors().pooled(["b", text])[1], as_asked.pooled, atol=1e-6)


def test_a_question_is_read_anew(embedder: WordLlamaEmbedder) -> None:
    """The time of an answer shows nobody what others have asked."""
    asked = embedder.embed_query(SAID[1])
    assert embedder.embed_query(SAID[1]).pooled is not asked.pooled
    assert embedder.embed([SAID[1]])[0].pooled is not asked.pooled


def test_texts_leave_nothing_in_memory(embedder: WordLlamaEmbedder) -> None:
    """The tokenizer's own cache would hold 10,000 whole texts, 5 KiB each, erased ones too."""

    class Allocated(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in "abcdefg"] + [
            ("in_use", ctypes.c_size_t),
            ("free", ctypes.c_size_t),
            ("top", ctypes.c_size_t),
        ]

    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        pytest.skip("only glibc tells what is allocated")
    library.mallinfo2.restype = Allocated
    texts = [f"Fact {number} is about the tram number {number}." for number in range(3_000)]
    embedder.embed(texts[:1_000])
    before = library.mallinfo2().in_use
    for text in texts[1_000:]:
        embedder.embed([text])
    assert library.mallinfo2().in_use - before < 2_000 * 200


def test_a_stored_text_has_each_token_once(embedder: WordLlamaEmbedder) -> None:
    """Repetition adds nothing to a best match, and a passage of any characters has a bound."""
    (said,) = embedder.embed(["violin " * 80])
    [*hostile] = embedder.embed([make * 600 for make in ("\ufdfa", "㍿", "\U0001f600", "張")])
    varied = "".join(map(chr, range(0x4E00, 0x4E00 + 600)))

    assert said.tokens is not None
    assert len(said.tokens.ids) == len(set(said.tokens.ids.tolist())) < 5
    for one in (*hostile, *embedder.embed([varied])):
        assert one.tokens is not None
        assert len(one.tokens.ids) <= PASSAGE_TOKENS


def test_a_question_keeps_its_tokens_as_often_as_they_come(embedder: WordLlamaEmbedder) -> None:
    """Their number tells how many pieces a word was taken into."""
    asked = embedder.embed_query("violin " * 5).tokens
    once = embedder.embed_query("violin").tokens

    assert asked is not None
    assert once is not None
    assert len(asked.ids) == 5 * len(once.ids)
