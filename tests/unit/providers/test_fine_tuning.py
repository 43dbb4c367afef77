"""A fine-tuning is added to the matrices that it names, and to nothing else."""

from pathlib import Path

import numpy as np
import pytest

from ashd.providers.fine_tuning import tuned


@pytest.fixture
def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {
        "dense.weight": rng.normal(size=(4, 6)).astype(np.float32),
        "dense.bias": np.ones(4, np.float32),
        "norm.weight": np.ones(4, np.float32),
    }


def kept(folder: Path, **arrays: np.ndarray) -> Path:
    file = folder / "tuning.npz"
    np.savez(file, **{name: array.astype(np.float16) for name, array in arrays.items()})
    return file


def test_the_product_of_both_parts_is_added(weights: dict[str, np.ndarray], tmp_path: Path) -> None:
    """The shape stays, and what is not named stays as it was."""
    down, up = np.arange(12.0).reshape(2, 6) / 16, np.arange(8.0).reshape(4, 2) / 16
    file = kept(tmp_path, **{"dense.weight/down": down, "dense.weight/up": up})
    made = tuned(weights, file)
    assert np.allclose(made["dense.weight"], weights["dense.weight"] + up @ down, atol=1e-5)
    assert np.array_equal(made["dense.bias"], weights["dense.bias"])
    assert set(made) == set(weights)


def test_the_steps_of_each_row_are_added(weights: dict[str, np.ndarray], tmp_path: Path) -> None:
    """A row has a step of its own, and nothing else moves."""
    steps = np.arange(-12, 12, dtype=np.int8).reshape(4, 6)
    step = np.array([[0.5], [0.25], [0], [2]], np.float16)
    file = tmp_path / "tuning.npz"
    np.savez(file, **{"dense.weight/steps": steps, "dense.weight/step": step})
    made = tuned(weights, file)
    moved = made["dense.weight"] - weights["dense.weight"]
    assert np.allclose(moved, steps * step.astype(np.float32), atol=1e-5)
    assert set(made) == set(weights)


def test_whole_arrays_take_the_place_of_others(
    weights: dict[str, np.ndarray], tmp_path: Path
) -> None:
    """Norms are replaced, and layers that only the tuning has are added."""
    norm, head = np.full(4, 0.5), np.ones((3, 4))
    made = tuned(weights, kept(tmp_path, **{"norm.weight": norm, "pairs.answer.weight": head}))
    assert made["norm.weight"].tolist() == norm.tolist()
    assert made["pairs.answer.weight"].shape == (3, 4)
    assert weights["norm.weight"].tolist() == [1, 1, 1, 1]


def test_a_tuning_of_another_model_is_an_error(
    weights: dict[str, np.ndarray], tmp_path: Path
) -> None:
    """Better no model than one that is half tuned."""
    down, up = np.ones((1, 6)), np.ones((4, 1))
    for parts in (
        {"other.weight/down": down, "other.weight/up": up},
        {"dense.weight/down": down},
        {"dense.weight/up": up},
        {"other.weight/steps": np.ones((4, 6)), "other.weight/step": up},
        {"dense.weight/steps": np.ones((4, 6))},
        {"dense.weight/step": up},
    ):
        with pytest.raises(KeyError):
            tuned(weights, kept(tmp_path, **parts))
