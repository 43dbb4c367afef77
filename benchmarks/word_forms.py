"""Makes ashd/providers/word_forms.json: the form in which BERT's tokenizer reads each character.

    python -m benchmarks.word_forms MODELS_FOLDER

The tokenizer of the library `tokenizers` (with tables of an older Unicode than Python's) is asked
for each character of Unicode. Characters that no piece of the vocabulary has, alone or in their
form, stay as they are: a word with one of them is unknown either way.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec
from tokenizers import Tokenizer

from ashd.providers.minilm_install import FOLDER, TOKENIZER_FILE
from ashd.providers.word_piece import FORMS, WordForms

HANGUL = range(0xAC00, 0xD7A4)
SURROGATES = range(0xD800, 0xE000)


def forms(tokenizer: Tokenizer) -> WordForms:
    """The forms of all characters that are not read as they are written."""
    letters = set("".join(tokenizer.get_vocab()))
    left_out: list[int] = []
    apart: list[int] = []
    written: dict[str, str] = {}
    for code in range(sys.maxunicode + 1):
        if code in SURROGATES or code in HANGUL:
            continue
        char = chr(code)
        form = _form(tokenizer, char)
        is_unknown = not letters.issuperset(form.replace(" ", ""))
        if not form:
            left_out.append(code)
        elif form == f" {char} " or (is_unknown and form[0] == form[-1] == " "):
            apart.append(code)
        elif form != char and not is_unknown:
            written[char] = form
    return WordForms(_ranges(left_out), _ranges(apart), written)


def _form(tokenizer: Tokenizer, char: str) -> str:
    """The form of a character inside a word, with spaces where the word ends and begins."""
    read = tokenizer.normalizer.normalize_str(f"a{char}b")
    words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(read)]
    return " ".join(words)[1:-1]


def _ranges(codes: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of each run of numbers."""
    found: list[tuple[int, int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def main(models: Path) -> None:
    tokenizer = Tokenizer.from_file(str(models / FOLDER / TOKENIZER_FILE))
    FORMS.write_bytes(msgspec.json.encode(forms(tokenizer)) + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
