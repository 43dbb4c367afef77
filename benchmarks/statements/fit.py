"""Makes ashd/memory/judge/*.npz: what tells whether a statement replaces or repeats an older one.

    python -m benchmarks.statements.fit [--models FOLDER] [--provider NAME] [--keep-cuts]

The sentences beside this file were written for the purpose and stand under this repository's
licence; most are English, some in languages that pass for it. Nothing under `held_out/` is read.

What a pair is worth is found out by cross-validation over files, each written in one go and by one
hand: the cuts are chosen by what nets say of files that they were not trained on. Then `NETS` nets
are trained on everything; their mean is the model. MiniLM's own cuts hardly matter, since it reads
what is near together (`ashd.memory.judge.cross_encoder`). Needs torch.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ashd.language.english_words import SMALL_WORDS
from ashd.memory.judge.pair_model import PairModel
from ashd.memory.judge.pair_weights import WEIGHTS
from ashd.providers.registry import load
from benchmarks.statements.data import CLASSES, Pair, Vectors, trained_on
from benchmarks.statements.nets import Data, TokenNet, answers, train


class Cuts(NamedTuple):
    """The likelihoods from which a pair replaces, may replace and repeats; the last is read."""

    replaces: float
    may_replace: float
    repeats: float


NETS = 3
FLOOR = 0.15
"""Cosine below which pairs are neither learnt nor judged: hardly any replace one another."""
FOLDS = (
    (
        *("assistant", "chat", "projects", "mixed", "team", "languages", "fresh_a", "dei"),
        *("at_work", "offices", "one_value", "events_at_work", "aoife", "bogdan", "charlotte"),
        *("startups_and_offices", "unusual_lives", "tastes_and_rules", "questions"),
    ),
    (
        *("people", "notes", "teacher", "contrast", "fresh_b", "mad"),
        *("away_from_home", "weeks_apart", "chatting", "events_at_home"),
        *(
            "village_life",
            "in_passing",
            "plans_and_travel",
            "numbered_lines",
            "diego",
            "ingrid",
            "kwame",
        ),
    ),
    (
        *("user", "compound", "everyday", "numbered", "invented", "luz"),
        *("lives_of_five", "reworded", "near_misses", "numbers_and_names", "other_attributes"),
        *(
            "young_in_cities",
            "services_and_owners",
            "clubs_and_schools",
            "leilani",
            "marta",
            "priya",
        ),
    ),
    (
        *("work", "plain", "tr", "pairs", "household", "fresh_c", "wan"),
        *("terse", "home_and_health", "events_and_states", "three_households"),
        *(
            "health_law_and_money",
            "makers_and_managers",
            "trades_and_clinics",
            "people_around",
            "things_and_routines",
            "samir",
            "tomasz",
            "yuki",
        ),
    ),
)
"""Files that nets are tried on after they were trained on the others."""
CERTAIN = 0.8
"""From this likelihood on a replacement is certain: the plain corrections of row A11 are. From what
the folds allow, .726, the static vectors' nets replaced 44 of 700 notes that hold together
(`tuning/unseen/*.txt`), from .8 they replace 23."""
MOST_OFFERED, MOST_REPEATS = 0.13, 0.005
"""Shares of the folds' pairs to keep that may be offered, or folded as a repeat.

Written as contrasts to the replacements beside them, they are harder than what is met in a life.
"""


def folds(data: Data, found: Sequence[Pair]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Rows of written pairs and true facts, and what nets new to their files say of them."""
    files = np.array([pair.file for pair in found])
    asked = np.array([pair.kind in {"written", "life"} for pair in found])
    near = data.cosine >= FLOOR
    rows, said = [], []
    for fold in FOLDS:
        tried = np.isin(files, fold)
        nets = _trained(data, np.flatnonzero(~tried & near))
        seen = np.flatnonzero(tried & asked)
        rows.append(seen)
        likely = np.mean([answers(net, data, seen) for net in nets], axis=0)
        likely[data.cosine[seen] < FLOOR] = (0, 0, 1)
        said.append(likely)
        print("fold", *fold, flush=True)
    return np.concatenate(rows), np.concatenate(said)


def _trained(data: Data, rows: NDArray[np.int64]) -> list[TokenNet]:
    return [train(data, rows, seed) for seed in range(NETS)]


def cuts(tried: Sequence[Pair], said: NDArray[np.float32]) -> Cuts:
    """The lowest cuts that do to the pairs to keep what the shares above allow."""
    written = np.array([pair.kind == "written" for pair in tried])
    want = np.array([CLASSES.index(pair.want) for pair in tried])
    keep = written & (want == CLASSES.index("keep"))

    def cut(of: NDArray[np.float32], among: NDArray[np.bool_], most: float) -> float:
        return float(np.quantile(of[among], 1 - most))

    found = Cuts(
        replaces=CERTAIN,
        may_replace=round(cut(said[:, 0], keep, MOST_OFFERED), 3),
        repeats=round(cut(said[:, 1], written & (want != 1), MOST_REPEATS), 3),
    )
    replace = written & (want == 0)
    for name, at, of, among in (
        ("replaces", found.replaces, said[:, 0], replace),
        ("may_replace", found.may_replace, said[:, 0], replace),
        ("repeats", found.repeats, said[:, 1], written & (want == 1)),
    ):
        life = ~written
        print(
            f"{name}: from {at:.3f}; found {(of[among] >= at).mean():.3f}, "
            f"pairs to keep hit {(of[keep] >= at).mean():.3f}, "
            f"pairs of true facts hit {(of[life] >= at).sum()} of {life.sum()}",
            flush=True,
        )
    return found


def write(path: Path, model: str, nets: Sequence[TokenNet], cut: Cuts) -> None:
    states = [net.state_dict() for net in nets]
    layers = {
        name: np.stack([state[name].numpy().T for state in states]).astype(np.float16)
        for name in states[0]
    }
    np.savez_compressed(
        path,
        model=np.array(model),
        small_words=np.array(SMALL_WORDS),
        cuts=np.array(cut),
        floor=np.array(FLOOR),
        **layers,
    )


def check(
    vectors: Vectors, path: Path, data: Data, found: Sequence[Pair], nets: list[TokenNet]
) -> None:
    """The daemon's arithmetic says what the nets say."""
    model = PairModel(path, vectors.embedder.model)
    rows = np.random.default_rng(0).choice(len(found), 64, replace=False)
    wanted = np.mean([answers(net, data, rows) for net in nets], axis=0)
    for row, expected in zip(rows, wanted, strict=True):
        pair = found[row]
        older, newer = (model.side(text, vectors.of(text)) for text in (pair.older, pair.newer))
        (said,) = model.likelihoods(newer, [older], data.cosine[[row]])
        assert np.allclose(said, expected, atol=0.02), (pair, said, expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, default=Path("models"), metavar="FOLDER")
    parser.add_argument("--provider", choices=("minilm", "wordllama"), action="append")
    parser.add_argument("--keep-cuts", action="store_true", help="those of the file; no folds")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for provider in options.provider or ("minilm", "wordllama"):
        embedder = load(provider, models_dir=options.models)
        assert embedder is not None
        vectors = Vectors(embedder)
        found = trained_on(vectors)
        data = Data(vectors, found)
        path = WEIGHTS[embedder.model]
        if options.keep_cuts:
            with np.load(path, allow_pickle=False) as kept:
                cut = Cuts(*map(float, kept["cuts"]))
        else:
            rows, said = folds(data, found)
            cut = cuts([found[row] for row in rows], said)
        nets = _trained(data, np.flatnonzero(data.cosine >= FLOOR))
        write(path, embedder.model, nets, cut)
        check(vectors, path, data, found, nets)
        print(provider, path.stat().st_size, "bytes", flush=True)


if __name__ == "__main__":
    main()
