"""The attention of a stock layer in fewer passes over memory: one product for all heads, which are rotated in place.

The stock code multiplies three times, and rotates copies of queries and keys (rotary embedding). The result is the same
except for rounding: docs/benchmarks.md, "What fused parts of a layer bring".
"""

from typing import Any

import torch
from torch import Tensor, nn

from worker.prm.attention import Chunk, tree_attention

PROJECTIONS = ("q_proj", "k_proj", "v_proj")


class FusedAttention(nn.Module):
    """Replaces a stock attention (Llama, Mistral, Qwen2, Qwen3) that reads trees on a CPU."""

    def __init__(self, stock: Any) -> None:
        super().__init__()
        self.head_dim, self.scaling = stock.head_dim, stock.scaling
        self.heads, self.key_heads = (getattr(stock, name).out_features // self.head_dim for name in PROJECTIONS[:2])
        self.products, self.output = joined([getattr(stock, name) for name in PROJECTIONS]), stock.o_proj
        self.q_norm, self.k_norm = getattr(stock, "q_norm", None), getattr(stock, "k_norm", None)

    def forward(
        self, hidden_states: Tensor, position_embeddings: tuple[Tensor, Tensor], *, tree: Chunk, **_unused: Any
    ) -> tuple[Tensor, None]:
        """Attend: states [1, C, h] -> [1, C, h]."""
        products = self.products(hidden_states)[0].unflatten(-1, (-1, self.head_dim))  # [C, H + 2 Hkv, d]
        query, key, value = products.split([self.heads, self.key_heads, self.key_heads], dim=1)
        if self.q_norm is not None and self.k_norm is not None:
            query.copy_(self.q_norm(query))
            key.copy_(self.k_norm(key))
        turn(products[:, : self.heads + self.key_heads], *position_embeddings)
        query, key, value = (part.transpose(0, 1)[None] for part in (query, key, value))
        found, _ = tree_attention(self, query, key, value, None, self.scaling, tree)
        return self.output(found.flatten(2)), None


def joined(linears: list[nn.Linear]) -> nn.Linear:
    """Return one linear layer that gives what these give, one after the other."""
    with torch.device("meta"):
        found = nn.Linear(linears[0].in_features, sum(one.out_features for one in linears))
    biases = [one.bias for one in linears]
    found.weight = nn.Parameter(torch.cat(tuple(one.weight for one in linears)), requires_grad=False)
    found.bias = nn.Parameter(torch.cat(tuple(biases)), requires_grad=False) if biases[0] is not None else None
    return found


def turn(heads: Tensor, cos: Tensor, sin: Tensor) -> None:
    """Rotate heads [C, H, d] in place by the angles of cos and sin [1, C, d], whose halves are equal, as
    `apply_rotary_pos_emb` of transformers does.
    """
    half = heads.shape[-1] // 2
    cosine, sine = (angle[0, :, None, :half].contiguous() for angle in (cos, sin))
    left, right = heads[..., :half], heads[..., half:]
    from_left = left * sine
    left.mul_(cosine).addcmul_(right, sine, value=-1)
    right.mul_(cosine).add_(from_left)


def fuse_attention(model: Any) -> None:
    """Replace the attention of each layer of a decoder on the CPU. It can then no longer be trained or saved."""
    for layer in model.layers:
        if all(isinstance(getattr(layer.self_attn, name, None), nn.Linear) for name in (*PROJECTIONS, "o_proj")):
            layer.self_attn = FusedAttention(layer.self_attn)
