"""BERT in torch with adapters of low rank, to fine-tune all-MiniLM-L6-v2. Needs torch.

    W x + up (down x)    the fine-tuned product: `down` (rank, in) and `up` (out, rank) are trained

`ashd.providers.fine_tuning` applies what `write` keeps. The forward pass is that of
`ashd.providers.minilm_convert`, in float32 and for batches.
"""

import math
from collections.abc import Mapping, Sequence
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

Weights = Mapping[str, torch.Tensor]


class Adapted(nn.Module):
    """Dense layers of one input, side by side, with one adapter."""

    def __init__(self, weights: Weights, names: Sequence[str], rank: int) -> None:
        super().__init__()
        self.names = names
        self.sizes = [len(weights[f"{name}.bias"]) for name in names]
        self.register_buffer("weight", torch.cat([weights[f"{name}.weight"] for name in names]))
        self.register_buffer("bias", torch.cat([weights[f"{name}.bias"] for name in names]))
        inside = self.weight.shape[1]
        self.down = nn.Parameter(torch.randn(rank, inside) / math.sqrt(inside))
        self.up = nn.Parameter(torch.zeros(sum(self.sizes), rank))

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        own = nn.functional.linear(values, self.weight, self.bias)
        return own + (values @ self.down.T) @ self.up.T


class Layer(nn.Module):
    """Self-attention and the feed-forward step."""

    def __init__(self, weights: Weights, prefix: str, rank: int) -> None:
        super().__init__()
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        self.read = Adapted(weights, parts, rank)
        self.attended = Adapted(weights, [f"{prefix}attention.output.dense"], rank)
        self.wide = Adapted(weights, [f"{prefix}intermediate.dense"], rank)
        self.out = Adapted(weights, [f"{prefix}output.dense"], rank)
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

    def __init__(self, safetensors: Path, rank: int) -> None:
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


def write(
    path: Path, bert: Bert, others: Mapping[str, torch.Tensor] = {}, *, share: float = 1.0
) -> None:
    """Keep what was trained, and `others` beside it, where `ashd.providers.fine_tuning` reads it.

    `share`: how far to go from the original weights to the trained ones, 0 to 1.
    """
    found = dict(others)
    for module in bert.modules():
        if isinstance(module, Adapted):
            ups = module.up.detach().split(module.sizes)
            for name, up in zip(module.names, ups, strict=True):
                found[f"{name}.weight/down"] = module.down.detach()
                found[f"{name}.weight/up"] = share * up
        elif isinstance(module, Layer):
            for name, norm in module.norms.items():
                for part, values in norm.state_dict().items():
                    original = module.originals[name][part]
                    mixed = original + share * (values - original)
                    found[f"{name.replace('/', '.')}.{part}"] = mixed
    halves = {name: values.numpy().astype(np.float16) for name, values in found.items()}
    np.savez_compressed(path, **halves)
