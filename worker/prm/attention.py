"""Attention over a packed tree, registered for the stock modelling code of transformers (Llama, Mistral, Qwen2).

No T x T mask exists: each block of queries sees the open ancestors before it and itself, with one small mask from
`Tree.tout`. Grouped-query attention is a batched matrix product over the key heads; keys are never repeated per query
head.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention
from transformers import AttentionInterface, AttentionMaskInterface

from worker.prm.kernels import onednn_is_much_faster, onednn_linear
from worker.prm.tree import Indices, Tree

NAME = "stepmark_tree"
# Queries of one block share one dense mask. Larger blocks waste work on masked pairs, smaller ones on calls, which
# weigh more where products are faster.
BLOCK = {torch.float32: 64}
LARGE_BLOCK = 128


@dataclass(frozen=True)
class Block:
    """Queries [start, stop) of a chunk, the places of the keys they see, and which of those each may see."""

    start: int
    stop: int
    keys: Tensor  # [K] places in the chunk's buffer
    mask: Tensor  # [groups * queries, K], 0 or -inf, added to the logits


class Chunk:
    """Tokens [start, stop) of a tree on their way through all layers.

    `open_before` are the packed indices of the earlier tokens that some token here still sees: the path to the first
    one. Each layer's buffer holds their keys and values, then those of the chunk itself; what the next chunk needs is
    `carried`. So memory grows with the longest trace and the chunk, not with the tree.
    """

    def __init__(
        self, tree: Tree, start: int, stop: int, window: int | None, carried: list[tuple[Tensor, Tensor]]
    ) -> None:
        self.tree, self.start, self.stop, self.window = tree, start, stop, window
        self.open_before: Indices = np.flatnonzero(tree.tout[:start] > start)
        self.buffer: Indices = np.concatenate([self.open_before, np.arange(start, stop)])
        self.before = carried
        self.carried: list[tuple[Tensor, Tensor]] = []
        self._blocks: list[Block] | None = None
        self._flex_mask: BlockMask | None = None

    @cached_property
    def kept(self) -> Tensor:
        """The places in the buffer of the tokens that the next chunk still sees."""
        return torch.from_numpy(np.flatnonzero(self.tree.tout[self.buffer] > self.stop))

    def blocks(self, groups: int, dtype: torch.dtype) -> list[Block]:
        """Return the chunk's blocks, which are the same for every layer."""
        if self._blocks is None:
            size = BLOCK.get(dtype, LARGE_BLOCK)
            self._blocks = [self.block(start, stop, groups, dtype) for start, stop in cuts(self.tree, self, size)]
        return self._blocks

    def block(self, start: int, stop: int, groups: int, dtype: torch.dtype) -> Block:
        """Return the block of the queries [start, stop), by packed index."""
        tout = self.tree.tout[self.buffer]
        places = np.flatnonzero(
            ((self.buffer < start) & (tout > start)) | ((self.buffer >= start) & (self.buffer < stop))
        )
        visible = self.visible(np.arange(start, stop)[:, None], self.buffer[places][None, :])
        mask = np.where(visible, np.float32(0), np.float32(-np.inf))
        tiled = torch.from_numpy(np.tile(mask, (groups, 1))).to(dtype)
        return Block(start - self.start, stop - self.start, torch.from_numpy(places), tiled)

    def visible(self, query: Indices, key: Indices) -> Any:
        """Return whether a query sees a key, both by packed index."""
        seen = (key <= query) & (query < self.tree.tout[key])
        if self.window is not None:
            seen &= self.tree.depth[query] - self.tree.depth[key] < self.window
        return seen

    def keep(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add this chunk's keys and values [heads, tokens, dim] for the current layer. Return that layer's buffer."""
        layer = len(self.carried)
        if self.before:
            key = torch.cat([self.before[layer][0], key], dim=1)
            value = torch.cat([self.before[layer][1], value], dim=1)
        kept = self.kept.to(key.device)
        self.carried.append((key.index_select(1, kept), value.index_select(1, kept)))
        return key, value

    def flex_mask(self, device: torch.device) -> BlockMask:
        """Return the same mask for FlexAttention."""
        if self._flex_mask is None:
            keys = torch.from_numpy(self.buffer).to(device)
            tout, depth = (torch.from_numpy(vector).to(device) for vector in (self.tree.tout, self.tree.depth))
            start, window = self.start, self.window or len(self.tree) + 1

            def visible(batch: Tensor, head: Tensor, query: Tensor, place: Tensor) -> Tensor:
                at, key = query + start, keys[place]
                return (key <= at) & (at < tout[key]) & (depth[at] - depth[key] < window)

            size = self.stop - self.start
            self._flex_mask = create_block_mask(visible, None, None, size, len(self.buffer), device=str(device))
        return self._flex_mask


def cuts(tree: Tree, chunk: Chunk, size: int) -> Iterator[tuple[int, int]]:
    """Yield where a chunk is cut into blocks of at most `size` queries: at forks, since a fork closes many keys, unless
    a block would be short; and evenly between them, since half of the pairs within a block are masked.
    """
    forks = 1 + np.flatnonzero(np.diff(tree.depth[chunk.start : chunk.stop]) != 1) + chunk.start
    start = chunk.start
    for stop in (*forks.tolist(), chunk.stop):
        if stop - start < size // 4 and stop < chunk.stop:
            continue
        blocks = -(-(stop - start) // size)
        places = [start + (stop - start) * number // blocks for number in range(blocks + 1)]
        yield from pairwise(places)
        start = stop


def tree_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    tree: Chunk,
    **_unused: Any,
) -> tuple[Tensor, None]:
    """Attend, for transformers in each layer: query [1, H, C, d], key and value [1, Hkv, C, d] -> [1, C, H, d]."""
    keys, values = tree.keep(key[0], value[0])
    if query.is_cuda:
        return flex_over(query, keys, values, scaling, tree, compiled_flex()), None
    groups = query.shape[1] // key.shape[1]
    attend = attend_float32 if query.dtype == torch.float32 and onednn_is_much_faster() else attend_batched
    out = torch.empty(query.shape[2], query.shape[1], values.shape[-1], dtype=query.dtype)
    by_key_head = query[0].unflatten(0, (-1, groups))  # [Hkv, groups, C, d]
    for block in tree.blocks(groups, query.dtype):
        found = attend(
            by_key_head[:, :, block.start : block.stop].flatten(1, 2),
            keys.index_select(1, block.keys),
            values.index_select(1, block.keys),
            block.mask,
            scaling,
        )
        out[block.start : block.stop] = found.unflatten(1, (groups, -1)).flatten(0, 1).transpose(0, 1)
    return out[None], None


def attend_batched(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float) -> Tensor:
    """Attend in one block: query [Hkv, Q, d], key and value [Hkv, K, d], mask [Q, K] -> [Hkv, Q, d]."""
    logits = torch.baddbmm(mask.expand(len(query), -1, -1), query, key.transpose(1, 2), alpha=scaling)
    return torch.bmm(torch.softmax(logits, dim=-1), value)


def attend_float32(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float) -> Tensor:
    """Do the same head by head with oneDNN: torch's own float32 product is half as fast on some processors."""
    heads = []
    for one_query, one_key, one_value in zip(query * scaling, key, value, strict=True):
        logits = onednn_linear(one_query, one_key).add_(mask)
        heads.append(onednn_linear(torch.softmax(logits, dim=-1), one_value.t().contiguous()))
    return torch.stack(heads)


def flex_over(query: Tensor, keys: Tensor, values: Tensor, scaling: float, chunk: Chunk, flex: Any) -> Tensor:
    """Attend in the chunk with FlexAttention: [1, H, C, d] -> [1, C, H, d]."""
    mask = chunk.flex_mask(query.device)
    found = flex(query, keys[None], values[None], block_mask=mask, scale=scaling, enable_gqa=True)
    return found.transpose(1, 2)


_COMPILED: list[Any] = []


def compiled_flex() -> Any:
    """Return compiled FlexAttention, the only fast form; compiled once per process, for changing shapes."""
    if not _COMPILED:
        _COMPILED.append(torch.compile(flex_attention, dynamic=True))
    return _COMPILED[0]


def no_mask(*_arguments: Any, **_options: Any) -> None:
    """Make no mask: the stock code asks for one before its layers; ours is in the chunk."""


def register() -> None:
    """Make `attn_implementation=NAME` known to transformers."""
    AttentionInterface.register(NAME, tree_attention)
    AttentionMaskInterface.register(NAME, no_mask)


register()
