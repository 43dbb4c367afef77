"""Fit the readers of `ashd.context.needs`: what a message asks for, and what a memory bears on.

    python -m benchmarks.context.fit_needs --models FOLDER

One logistic regression for each label of `messages.txt` and `memories.txt` over MiniLM's vectors.
Prints its area under the curve on sentences left out (five parts), then writes
`ashd/context/needs.npz`.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ashd.context.needs import FACETS, KINDS, WEIGHTS
from ashd.providers.registry import load

HERE = Path(__file__).parent
PARTS = 5
STRENGTH = 0.001
"""The weight of the squared weights: of .001 to .03 the one that finds most, areas being equal."""
STEPS = 3_000

Floats = NDArray[np.float64]


def read(path: Path) -> tuple[list[str], list[str]]:
    """Return the labels and the texts of a file."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    labels, texts = zip(*(line.split(" | ", 1) for line in lines), strict=True)
    return list(labels), list(texts)


def regression(vectors: Floats, wanted: Floats) -> Floats:
    """Return the weights, then the bias, of a logistic regression (gradient descent)."""
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))])
    found, speed = np.zeros(inputs.shape[1]), np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-inputs @ found))
        slope = inputs.T @ (likely - wanted) / len(wanted)
        slope[:-1] += STRENGTH / len(wanted) ** 0.5 * found[:-1]
        speed = 0.9 * speed - 1.0 * slope
        found = found + speed
    return found


def area(scores: Floats, wanted: Floats) -> float:
    """Return the share of pairs of a true and a false sentence that are in the right order."""
    true, false = scores[wanted == 1], scores[wanted == 0]
    return float((true[:, None] > false[None]).mean())


def fitted(path: Path, names: str, embedder: object) -> tuple[Floats, list[str]]:
    labels, texts = read(path)
    vectors = np.stack([one.pooled for one in embedder.embed(texts)]).astype(np.float64)
    part = np.random.default_rng(0).permutation(len(texts)) % PARTS
    found, said = [], []
    for name in names:
        wanted = np.array([name in label for label in labels], np.float64)
        scores = np.zeros(len(texts))
        for one in range(PARTS):
            weights = regression(vectors[part != one], wanted[part != one])
            scores[part == one] = vectors[part == one] @ weights[:-1] + weights[-1]
        taken = scores > 0
        right = int((wanted[taken] == 1).sum())
        said.append(
            f"{path.stem} {name}: area {area(scores, wanted):.3f}, "
            f"found {right} of {int(wanted.sum())}, wrong {int(taken.sum()) - right}"
        )
        found.append(regression(vectors, wanted))
    return np.stack(found), said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True)
    embedder = load("minilm", models_dir=parser.parse_args().models)
    assert embedder is not None
    messages, said = fitted(HERE / "messages.txt", KINDS, embedder)
    memories, also = fitted(HERE / "memories.txt", FACETS, embedder)
    print(*said, *also, sep="\n")
    np.savez_compressed(
        WEIGHTS,
        model=embedder.model,
        messages=messages.astype(np.float32),
        memories=memories.astype(np.float32),
    )


if __name__ == "__main__":
    main()
