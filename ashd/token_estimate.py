"""Estimate the tokens of a text, since budgets do not depend on any one model's tokenizer."""


def estimate(text: str) -> int:
    """Estimate the number of tokens: 1 for 4 ASCII characters, 1 for any other character.

    `benchmarks/tokens.py` measures the error against a real tokenizer.
    """
    plain = len(text) if text.isascii() else sum(1 for char in text if char.isascii())
    return -(-plain // 4) + (len(text) - plain)
