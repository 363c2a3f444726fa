"""All traces of a problem as one radix tree over their token ids, packed depth-first.

Samples of one problem share its text, often their first steps, and sometimes everything. Attention is causal, so a
token's hidden state depends only on the tokens before it: a shared beginning is computed once, exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """U unique tokens in depth-first order.

    tokens [U]   token id
    depth  [U]   place of the token in its trace = its position id
    tout   [U]   where the subtree under the token ends: token k is q or an ancestor of q iff k <= q < tout[k].
                 This one vector is the whole attention mask; packing without sharing is its special case.
    paths        for each sequence given, the packed index of each of its tokens
    """

    tokens: Indices
    depth: Indices
    tout: Indices
    paths: list[Indices]

    def __len__(self) -> int:
        return len(self.tokens)

    def parents(self) -> Indices:
        """Return the packed index [U] of the token before, -1 for the first of a trace.

        Depth-first: the token before is the last earlier one that is one level less deep.
        """
        parent = np.full(len(self), -1, dtype=np.int64)
        for path in self.paths:
            parent[path[1:]] = path[:-1]
        return parent


def build_tree(sequences: Sequence[Sequence[int]]) -> Tree:
    """Pack token sequences, none of them empty. Their order does not affect the packing."""
    arrays = [np.asarray(sequence, dtype=np.int64) for sequence in sequences]
    paths: list[Indices] = [np.empty(0, dtype=np.int64)] * len(arrays)
    tokens: list[Indices] = []
    depths: list[Indices] = []
    tout = np.empty(sum(map(len, arrays)), dtype=np.int64)
    previous, path, size = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), 0
    for number in sorted(range(len(arrays)), key=lambda one: list(sequences[one])):
        ids = arrays[number]
        shared = common_length(previous, ids)
        tout[path[shared:]] = size  # what the previous sequence had beyond the fork ends here
        new = np.arange(size, size + len(ids) - shared)
        tokens.append(ids[shared:])
        depths.append(np.arange(shared, len(ids)))
        path = np.concatenate([path[:shared], new])
        paths[number] = path
        previous, size = ids, size + len(new)
    tout[path] = size
    empty = [np.empty(0, dtype=np.int64)]
    return Tree(np.concatenate(tokens or empty), np.concatenate(depths or empty), tout[:size].copy(), paths)


def common_length(left: Indices, right: Indices) -> int:
    """Return how many tokens two sequences share at their start."""
    length = min(len(left), len(right))
    differs = np.flatnonzero(left[:length] != right[:length])
    return int(differs[0]) if len(differs) else length
