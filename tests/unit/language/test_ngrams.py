"""Pairs, triples and emoji for the index."""

from ashd.language import ngrams
from ashd.language.ngrams import Gram


def test_plain_english_needs_no_grams() -> None:
    """Short Latin words stand in the word columns alone; the column stays small."""
    assert ngrams.index_grams("We met her last week") == ""


def test_runs_become_pairs_and_their_last_character() -> None:
    """The last one alone lets a single character be found anywhere."""
    assert ngrams.index_grams("我的猫") == "我的 的猫 猫"


def test_triples_are_no_words() -> None:
    """A triple starts with a 3, so that looking for "car" does not find "scarf"."""
    assert "car" not in ngrams.index_grams("Scarfmakers").split()
    assert "3car" in ngrams.index_grams("Scarfmakers").split()


def test_function_pairs_are_left_out_while_others_are_there() -> None:
    """ "What is" finds nothing by itself; alone it is still looked for."""
    assert Gram("电话") in ngrams.query_grams("什么电话")
    assert Gram("什么") not in ngrams.query_grams("什么电话")
    assert ngrams.query_grams("什么") == [Gram("什么")]


def test_short_words_are_not_looked_for_inside_others() -> None:
    """ "art" would be in every party."""
    assert ngrams.inside("art") == []
    assert ngrams.inside("party") == ["3par 3art 3rty"]


def test_a_letter_that_clings_is_looked_for_only_alone() -> None:
    """The rest of a question without one of its words says nothing."""
    assert ngrams.query_grams("の 犬") == [Gram("犬", is_prefix=True)]
    assert ngrams.query_grams("の") == [Gram("の", is_prefix=True)]


def test_words_with_unfolded_letters_are_indexed_in_plain_ones_too() -> None:
    """The index makes "cafe" of "café", but leaves "ß" and a dotless i as they are."""
    assert "strasse" in ngrams.index_grams("Die Straße, ein Café").split()
    assert "kapi" in ngrams.index_grams("kap\u0131").split()
    assert "cafe" not in ngrams.index_grams("Die Straße, ein Café").split()


def test_kana_are_phrases_of_the_other_kana() -> None:
    """As a phrase of its pairs, since a pair alone is in too many texts."""
    assert ngrams.in_other_kana("リンゴ") == {"リン": ["りん んご"], "ンゴ": ["りん んご"]}
    assert ngrams.in_other_kana("林檎と柿") == {}


def test_a_particle_after_hiragana_may_be_no_part_of_the_word() -> None:
    """There is a phrase with it and one without."""
    assert ngrams.in_other_kana("めがねは")["めが"] == ["メガ ガネ ネハ", "メガ ガネ"]
