"""Word patterns: the ways in which readers of text split it into words, and why they differ.

Each reader must keep something else together: the hyphen of a name, the point of a number, the
signs of an identifier. Each pattern is applied to text in the folding of its reader (`folding`).
"""

from typing import Final

from ashd.language.lazy_pattern import pattern_of

# Scripts written without spaces, or with particles attached to the name: a character is a word.
_BY_CHARACTER: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Word characters are defined by exclusion: `\w` would break off the vowel signs of Hindi.
_BREAKS: Final = (
    r"\s\x00-\x2c./:-@\[-^`{-~\x80-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u060c\u061b\u061f\u06d4"
    r"\u0964\u0965\u2000-\u200b\u200e-\u2bff\u2e00-\u303f\ufe00-\ufe6f\uff00-\uff0f"
    r"\U0001f000-\U0001faff"
)
CHARACTER_WORD: Final = pattern_of(rf"[{_BY_CHARACTER}]")
NAME_WORD: Final = pattern_of(
    rf"[{_BY_CHARACTER}]"
    rf"|(?:[^{_BREAKS}{_BY_CHARACTER}'-]+(?:['-](?=[^{_BREAKS}{_BY_CHARACTER}'-]))?)+"
)
"""Words of names and references: "Jean-Luc" and "O'Neil" are one word each."""
COMPARED_WORD: Final = pattern_of(r"[^\W_]+(?:[.:,'/&+-][^\W_]+)*[+#%]*")
"""Words of texts that are compared: "5:20", "1,150", "C++" and "20%" are one word each."""
QUERY_WORD: Final = pattern_of(r"[^\W_]+(?:['_.@+\-/:#][^\W_]+)*")
"""Words of questions: an identifier ("user_id", "a@b.c") stays whole and is found as a phrase."""
LETTERS: Final = pattern_of(r"[^\W\d_]+")
"""Letters only: the parts of long words for the index."""
LETTERS_AND_DIGITS: Final = pattern_of(r"\w+")
"""Parts of names: "Jean-Luc" has two, "dev42" is one."""
TABLE_WORD: Final = pattern_of(r"\b[^\W\d_]'(?=\w)|[^\W\d_]+")
"""Words of the tables: also elided forms of French, such as "l'" in "l'hiver"."""
CLASSIFIER_TOKEN: Final = pattern_of(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+|[^\w\s]")
"""The tokens that the weights of the sensitivity classifier were fitted on."""
UNSPACED: Final = pattern_of(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3031-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\u1100-\u11ff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Runs that the index holds as pairs of characters; Hangul too, whose particles attach to words."""
