"""What one pass over a problem's traces gives for each step: hidden states, their means, and surprise.

Three blocks, each of which knows something that the others do not: the states of several layers at a step's end, the
mean of one layer's states over the step, and 17 numbers from the language model's own predictions of the step's tokens.
The latter cost no second pass: they need the layers above and the token embeddings. Checks are a separate block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from worker.prm.forward import Decoder
from worker.prm.text import Rendered
from worker.prm.tree import Tree

STATES, MEANS, SURPRISE, CHANGES, PLACE = "states", "means", "surprise", "changes", "place"
READ = (STATES, MEANS, SURPRISE, CHANGES, PLACE)
CHECKS = "checks"  # from worker/prm/step_checks.py; they need no pass
BLOCKS = (*READ, CHECKS)
# Over a step's tokens. A rank counts from 0, so 0 is what the model itself would have written.
SURPRISES = (
    *("mean log p", "lowest log p", "sum of log p", "log p of the first", "of the first three", "of the last three"),
    *("mean entropy", "highest entropy", "entropy at the first", "share that is not its first choice"),
    *("mean log rank", "highest log rank", "digits: mean log p", "digits: lowest log p", "digits: mean entropy"),
    *("share of digits", "log of the number of tokens"),
)
READINGS = 1  # increase it when a number below changes: what was stored before is then not read
ROWS = 256  # of the table of predictions at once: 50 MB with 50,000 tokens


@dataclass(frozen=True)
class Layers:
    """The layers read at a step's end, and the one averaged over the step (1: after the first layer)."""

    ends: tuple[int, ...]
    mean: int

    @classmethod
    def of(cls, depth: int) -> "Layers":
        """Return layers half, two thirds and four fifths of the way up; means at two thirds."""
        ends = sorted({max(1, depth * part // 30) for part in (16, 20, 24)})
        return cls(tuple(ends), max(1, depth * 20 // 30))

    @property
    def all(self) -> tuple[int, ...]:
        """All layers that are read."""
        return tuple(sorted({*self.ends, self.mean}))


class Predictions(NamedTuple):
    """For each token of a tree [U]: its log probability given those before it, the entropy of what was expected there,
    and the log of 1 + its rank. 0 for the first token, which has none before it.
    """

    log_p: Tensor
    entropy: Tensor
    log_rank: Tensor


class Predictor:
    """Reads steps with a decoder, the language model's head [tokens, h], and which tokens hold digits [tokens]."""

    def __init__(self, decoder: Decoder, head: Tensor, digits: Tensor, layers: Layers) -> None:
        self.decoder, self.head, self.digits, self.layers = decoder, head, digits, layers

    @torch.inference_mode()
    def read(self, tree: Tree, rendered: Sequence[Rendered]) -> list[dict[str, Tensor]]:
        """Return, for each trace, the blocks of its steps, float32 [steps, …]; `rendered[i]` is `tree.paths[i]`."""
        top = len(self.decoder.model.layers)
        everywhere = np.arange(len(tree))
        found = self.decoder.hidden_after(tree, everywhere, (*self.layers.all, top))
        told = self.predictions(tree, found[top])
        return [self.of_trace(tree, path, one, found, told) for path, one in zip(tree.paths, rendered, strict=True)]

    def predictions(self, tree: Tree, states: Tensor) -> Predictions:
        """Return what the language model expected for each token, from its last states [U, h]."""
        parents = torch.from_numpy(tree.parents())
        order = torch.argsort(parents, stable=True)
        order = order[parents[order] >= 0]
        tokens = torch.from_numpy(tree.tokens)
        kept = Predictions(*(torch.zeros(len(tree)) for _ in range(3)))
        for rows in order.split(ROWS):
            logits = (states[parents[rows]] @ self.head.T).float()
            logs = logits - logits.logsumexp(-1, keepdim=True)
            own = logs.gather(1, tokens[rows].to(logs.device)[:, None])
            kept.log_p[rows] = own[:, 0].cpu()
            kept.entropy[rows] = -(logs.exp() * logs).sum(-1).cpu()
            kept.log_rank[rows] = (logs > own).sum(-1).float().log1p().cpu()
        return kept

    def of_trace(
        self, tree: Tree, path: Any, rendered: Rendered, found: dict[int, Tensor], told: Predictions
    ) -> dict[str, Tensor]:
        """Return the blocks of one trace."""
        ends = torch.from_numpy(path[rendered.positions])
        begins = [rendered.begins, *(place + 1 for place in rendered.positions[:-1])]
        spans = [torch.from_numpy(path[begin : end + 1]) for begin, end in zip(begins, rendered.positions, strict=True)]
        middle = found[self.layers.mean]
        surprise = torch.stack([self.surprise(tree, span, told) for span in spans])
        return {
            STATES: torch.cat([found[layer][ends].float().cpu() for layer in self.layers.ends], 1),
            MEANS: torch.stack([middle[span].float().mean(0).cpu() for span in spans]),
            SURPRISE: surprise,
            CHANGES: surprise - means_before(surprise),
            PLACE: place_of(rendered),
        }

    def surprise(self, tree: Tree, span: Tensor, told: Predictions) -> Tensor:
        """Return the SURPRISES of one step's tokens."""
        log_p, entropy, rank = (one[span] for one in told)
        digit = self.digits[torch.from_numpy(tree.tokens)[span]]
        some = bool(digit.any())
        return torch.stack(
            [
                *(log_p.mean(), log_p.min(), log_p.sum(), log_p[0], log_p[:3].mean(), log_p[-3:].mean()),
                *(entropy.mean(), entropy.max(), entropy[0], (rank > 0).float().mean(), rank.mean(), rank.max()),
                log_p[digit].mean() if some else log_p.mean(),
                log_p[digit].min() if some else log_p.mean(),
                entropy[digit].mean() if some else entropy.mean(),
                digit.float().mean(),
                torch.tensor(float(len(span))).log(),
            ]
        )


def means_before(rows: Tensor) -> Tensor:
    """Return, for each row [n, d], the mean of those before it; for the first, itself."""
    counts = torch.arange(1, len(rows) + 1)[:, None]
    running = rows.cumsum(0) / counts
    return torch.cat([rows[:1], running[:-1]])


def place_of(rendered: Rendered) -> Tensor:
    """Return [steps, 3]: a step's place, the log of that, and the log of how many tokens were read up to its end."""
    places = torch.arange(len(rendered.positions), dtype=torch.float32)
    read = torch.tensor(rendered.positions, dtype=torch.float32) - rendered.begins + 1
    return torch.stack([places, places.log1p(), read.clamp_min(1).log()], 1)
