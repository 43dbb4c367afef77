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

from ashd.context.needs import FACETS, KINDS, OTHERS, WEIGHTS
from ashd.providers.embedder import Embedder
from ashd.providers.registry import load
from benchmarks.recall import lives_data

HERE = Path(__file__).parent
PARTS = 5
STRENGTH = 0.1
"""The weight of half the squared weights: .1 and .3 were tried."""
STEPS = 9

Floats = NDArray[np.float64]


def read(path: Path) -> tuple[list[str], list[str]]:
    """Return the labels and the texts of a file."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    labels, texts = zip(*(line.split(" | ", 1) for line in lines), strict=True)
    return list(labels), list(texts)


def personal_questions() -> list[str]:
    """Return the questions on half of the topics of the lives: no general messages."""
    lives = lives_data.load([lives_data.FOLDER])
    halves = lives_data.halves(lives_data.FOLDER)
    return [one.text for one in lives.questions if halves[one.topic] == "A"]


def regression(vectors: Floats, wanted: Floats) -> Floats:
    """Return the weights, then the bias, of a logistic regression (Newton's method)."""
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))])
    found = np.zeros(inputs.shape[1])
    ridge = STRENGTH * np.eye(len(found))
    ridge[-1, -1] = 1e-6
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-inputs @ found))
        bend = inputs.T @ (inputs * (likely * (1 - likely))[:, None]) + ridge
        found = found - np.linalg.solve(bend, inputs.T @ (likely - wanted) + ridge @ found)
    return found


def area(scores: Floats, wanted: Floats) -> float:
    """Return the share of pairs of a true and a false sentence that are in the right order."""
    true, false = scores[wanted == 1], scores[wanted == 0]
    return float((true[:, None] > false[None]).mean())


def fitted(name: str, vectors: Floats, wanted: Floats) -> Floats:
    """Return the weights of a label, and print how well others would have found it."""
    part = np.random.default_rng(0).permutation(len(wanted)) % PARTS
    scores = np.zeros(len(wanted))
    for one in range(PARTS):
        weights = regression(vectors[part != one], wanted[part != one])
        scores[part == one] = vectors[part == one] @ weights[:-1] + weights[-1]
    taken = scores > 0
    right = int((wanted[taken] == 1).sum())
    print(
        f"{name}: area {area(scores, wanted):.3f}, "
        f"found {right} of {int(wanted.sum())}, wrong {int(taken.sum()) - right}"
    )
    return regression(vectors, wanted)


def of_messages(embedder: Embedder) -> Floats:
    labels, texts = read(HERE / "messages.txt")
    labels, texts = labels + (asked := personal_questions()), texts + asked
    vectors = np.stack([embedder.embed_query(text).pooled for text in texts]).astype(np.float64)
    told = len(labels) - len(asked)
    rows = []
    for kind in KINDS:
        count = len(labels) if kind == "x" else told
        wanted = np.array([at < told and kind in labels[at] for at in range(count)], np.float64)
        rows.append(fitted(f"messages {kind}", vectors[:count], wanted))
    return np.stack(rows)


def of_memories(embedder: Embedder) -> Floats:
    labels, texts = read(HERE / "memories.txt")
    vectors = np.stack([one.pooled for one in embedder.embed(texts)]).astype(np.float64)
    return np.stack(
        [
            fitted(
                f"memories {facet}", vectors, np.array([facet in one for one in labels], np.float64)
            )
            for facet in FACETS + OTHERS
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path, required=True)
    embedder = load("minilm", models_dir=parser.parse_args().models)
    assert embedder is not None
    np.savez_compressed(
        WEIGHTS,
        model=embedder.model,
        messages=of_messages(embedder).astype(np.float32),
        memories=of_memories(embedder).astype(np.float32),
    )


if __name__ == "__main__":
    main()
