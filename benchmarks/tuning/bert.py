"""BERT in torch, to fine-tune all-MiniLM-L6-v2 whole or by adapters of low rank. Needs torch.

    W x                  whole: W is trained
    W x + up (down x)    adapted: `down` (rank, in) and `up` (out, rank) are trained, W stays

`ashd.providers.fine_tuning` applies what `write` keeps. The forward pass is that of
`ashd.providers.minilm_convert`, in float32 and for batches.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from ashd.providers.minilm_convert import HEAD_DIMENSION
from ashd.providers.safetensors_file import read_safetensors

LAYERS = 6
_DROPPED = 0.1
_NORM_EPSILON = 1e-12
_LONGEST = 64
"""Tokens of a text; what is trained on has fewer."""
_PARTS = ("weight", "bias")
_STEPS = 7
"""The change of a weight is kept as so many steps up or down, at most."""
_CLIPPED = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""Parts of a row's largest change that may be the largest that is kept."""
_SMALLEST = 2.0**-24
"""The smallest float16 above zero."""

Weights = Mapping[str, torch.Tensor]


class Dense(nn.Module):
    """Dense layers of one input, side by side, that are trained whole."""

    def __init__(self, weights: Weights, names: Sequence[str]) -> None:
        super().__init__()
        self.names = names
        self.sizes = [len(weights[f"{name}.bias"]) for name in names]
        self.originals = [
            torch.cat([weights[f"{name}.{part}"] for name in names]) for part in _PARTS
        ]
        self.weight, self.bias = (nn.Parameter(values.clone()) for values in self.originals)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(values, self.weight, self.bias)

    def kept(self, share: float) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield what `write` keeps, with its name."""
        weight, bias = (
            share * (now.detach() - before)
            for now, before in zip((self.weight, self.bias), self.originals, strict=True)
        )
        biases = (self.originals[1] + bias).split(self.sizes)
        for name, change, moved in zip(self.names, weight.split(self.sizes), biases, strict=True):
            step = _step(change)
            yield (
                f"{name}.weight/steps",
                (change / step).round().clamp(-_STEPS, _STEPS).to(torch.int8),
            )
            yield f"{name}.weight/step", step
            yield f"{name}.bias", moved


class Adapted(nn.Module):
    """Dense layers of one input, side by side, with one adapter."""

    def __init__(self, weights: Weights, names: Sequence[str], rank: int) -> None:
        super().__init__()
        self.names = names
        self.sizes = [len(weights[f"{name}.bias"]) for name in names]
        for part in _PARTS:
            self.register_buffer(part, torch.cat([weights[f"{name}.{part}"] for name in names]))
        inside = self.weight.shape[1]
        self.down = nn.Parameter(torch.randn(rank, inside) / math.sqrt(inside))
        self.up = nn.Parameter(torch.zeros(sum(self.sizes), rank))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        own = nn.functional.linear(values, self.weight, self.bias)
        return own + (values @ self.down.T) @ self.up.T

    def kept(self, share: float) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield what `write` keeps, with its name."""
        for name, up in zip(self.names, self.up.detach().split(self.sizes), strict=True):
            yield f"{name}.weight/down", self.down.detach()
            yield f"{name}.weight/up", share * up


class Layer(nn.Module):
    """Self-attention and the feed-forward step; adapted if there is a rank, else trained whole."""

    def __init__(self, weights: Weights, prefix: str, rank: int | None) -> None:
        super().__init__()

        def dense(*names: str) -> Dense | Adapted:
            full = [prefix + name for name in names]
            return Dense(weights, full) if rank is None else Adapted(weights, full, rank)

        self.read = dense(*(f"attention.self.{part}" for part in ("query", "key", "value")))
        self.attended = dense("attention.output.dense")
        self.wide = dense("intermediate.dense")
        self.out = dense("output.dense")
        self.norms = nn.ModuleDict(
            {
                name.replace(".", "/"): _norm(weights, name)
                for name in (f"{prefix}attention.output.LayerNorm", f"{prefix}output.LayerNorm")
            }
        )
        self.originals = {name: deepcopy(norm.state_dict()) for name, norm in self.norms.items()}
        self.dropped = nn.Dropout(_DROPPED)

    def forward(self, state: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        first, second = self.norms.values()
        texts, tokens, width = state.shape
        heads = width // HEAD_DIMENSION
        split = self.read(state).view(texts, tokens, 3, heads, HEAD_DIMENSION)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=_DROPPED if self.training else 0.0
        )
        mixed = mixed.transpose(1, 2).reshape(texts, tokens, width)
        state = first(state + self.dropped(self.attended(mixed)))
        wide = nn.functional.gelu(self.wide(state))
        tensor: torch.Tensor = second(state + self.dropped(self.out(wide)))
        return tensor


class Bert(nn.Module):
    """The last layer's token vectors of texts in batches."""

    def __init__(self, safetensors: Path, rank: int | None = None) -> None:
        super().__init__()
        weights = {
            name: torch.from_numpy(np.array(array, dtype=np.float32))
            for name, array in read_safetensors(safetensors).items()
            if array.dtype.kind == "f"
        }
        for part in ("word", "position", "token_type"):
            self.register_buffer(part, weights[f"embeddings.{part}_embeddings.weight"])
        self.norm = _norm(weights, "embeddings.LayerNorm").requires_grad_(False)
        self.layers = nn.ModuleList(
            Layer(weights, f"encoder.layer.{at}.", rank) for at in range(LAYERS)
        )
        self.dropped = nn.Dropout(_DROPPED)

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """Return (texts, tokens, dimension); arguments are (texts, tokens), `mask` of bools."""
        with torch.autocast("cpu", torch.bfloat16):
            placed = self.position[: ids.shape[1]] + self.token_type[segments]
            state = self.dropped(self.norm(self.word[ids] + placed))
            for layer in self.layers:
                state = layer(state, mask[:, None, None, :])
        return state.float()


def _norm(weights: Weights, name: str) -> nn.LayerNorm:
    scale = weights[f"{name}.weight"]
    norm = nn.LayerNorm(len(scale), eps=_NORM_EPSILON)
    norm.load_state_dict({"weight": scale, "bias": weights[f"{name}.bias"]})
    return norm


class Reader:
    """Texts as ids, in batches."""

    def __init__(self, tokenizer: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.no_padding()
        self.tokenizer.encode_special_tokens = True

    def batch(
        self, texts: Sequence[str] | Sequence[tuple[str, str]]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the ids, segments and mask of texts, or of pairs of texts."""
        several = 1 if isinstance(texts[0], str) else 2
        self.tokenizer.enable_truncation(_LONGEST * several)
        read = self.tokenizer.encode_batch(list(texts))
        longest = max(len(one.ids) for one in read)
        ids, segments = torch.zeros(2, len(read), longest, dtype=torch.long)
        mask = torch.zeros(len(read), longest, dtype=torch.bool)
        for row, one in enumerate(read):
            count = len(one.ids)
            ids[row, :count] = torch.tensor(one.ids)
            segments[row, :count] = torch.tensor(one.type_ids)
            mask[row, :count] = True
        return ids, segments, mask


def changes(bert: Bert, share: float = 1.0) -> dict[str, torch.Tensor]:
    """Return what was trained, under the names by which `ashd.providers.fine_tuning` reads it.

    `share`: how far to go from the original weights to the trained ones, 0 to 1.
    """
    found: dict[str, torch.Tensor] = {}
    for module in bert.modules():
        if isinstance(module, Dense | Adapted):
            found |= module.kept(share)
        elif isinstance(module, Layer):
            for name, norm in module.norms.items():
                for part, values in norm.state_dict().items():
                    original = module.originals[name][part]
                    mixed = original + share * (values - original)
                    found[f"{name.replace('/', '.')}.{part}"] = mixed
    return found


def mean(found: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Return the mean of the changes of adapted models: their adapters side by side."""
    made = {}
    for name in found[0]:
        parts = [one[name] for one in found]
        if name.endswith("/down"):
            made[name] = torch.cat(parts)
        elif name.endswith("/up"):
            made[name] = torch.cat(parts, 1) / len(parts)
        else:
            made[name] = torch.stack(parts).mean(0)
    return made


def write(path: Path, found: Mapping[str, torch.Tensor]) -> None:
    """Keep changes where they are read."""
    arrays = {name: values.numpy() for name, values in found.items()}
    np.savez_compressed(
        path,
        **{
            name: array if array.dtype == np.int8 else array.astype(np.float16)
            for name, array in arrays.items()
        },
    )


def _step(change: torch.Tensor) -> torch.Tensor:
    """Return the size of a step for each row, (rows, 1), with which rounding loses least."""
    largest = change.abs().amax(1, keepdim=True)
    best, least = largest / _STEPS, torch.full_like(largest, torch.inf)
    for part in _CLIPPED:
        step = (part * largest / _STEPS).half().float().clamp(min=_SMALLEST)
        rounded = (change / step).round().clamp(-_STEPS, _STEPS) * step
        lost = (rounded - change).square().sum(1, keepdim=True)
        best, least = torch.where(lost < least, step, best), torch.minimum(lost, least)
    return best
