"""Estimate the tokens of a text, since budgets do not depend on any one model's tokenizer."""


def estimate(text: str) -> int:
    """Estimate the number of tokens: 1 for 4 ASCII characters, 1 for any other character.

    `benchmarks/tokens.py` measures the error against a real tokenizer.
    """
    plain = len(text) if text.isascii() else sum(1 for char in text if char.isascii())
    return -(-plain // 4) + (len(text) - plain)


def split(text: str, tokens: int) -> list[str]:
    """Return a text in pieces of at most so many tokens, cut between words where there are any."""
    found = []
    step = max(tokens // 4, 1)
    while estimate(text) > tokens:
        # So many characters fit even if each of them is a token.
        size = tokens
        while estimate(text[: size + step]) <= tokens:
            size += step
        end = max(text.rfind(space, size // 2, size) for space in " \n") + 1 or size
        found.append(text[:end])
        text = text[end:]
    return [*found, text]
