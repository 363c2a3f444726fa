"""The common parts of the families that run here: a decoder, a tokenizer, and a reading at one token per step."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from worker.prm.backbone import read_weights, stock_config
from worker.prm.checkpoint import Checkpoint, Shape
from worker.prm.errors import SpecError
from worker.prm.spec import AGGREGATIONS, PrmSpec
from worker.prm.text import Rendered, Text
from worker.prm.tree import Tree

PROBABILITY = "probability"
LOG_RATIO = "log_ratio"
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class Opinion(NamedTuple):
    """An opinion on one trace: a value for each step (see TokenFamily), and the model's own uncertainty, if known."""

    values: list[float]
    spread: list[float] | None = None
    progress: list[float] | None = None  # by a second head: how much each step changes the chance of success


class TokenFamily(ABC):
    """One kind of checkpoint: how it is fed and what its numbers mean.

    `values` are log P(step correct) if `scale` is PROBABILITY, and real numbers if it is LOG_RATIO.
    """

    name: ClassVar[str]
    scale: ClassVar[str] = PROBABILITY
    takes: ClassVar[tuple[str, ...]] = ()
    aggregations: ClassVar[tuple[str, ...]] = AGGREGATIONS
    authors_have_own_class: ClassVar[bool] = False
    spare: ClassVar[tuple[str, ...]] = ("lm_head.",)

    def __init__(self, spec: PrmSpec, checkpoint: Checkpoint, device: torch.device) -> None:
        check_options(spec, self.takes)
        if spec.aggregation not in self.aggregations:
            raise SpecError(
                f"{self.name} gives no probabilities: aggregation must be {' or '.join(self.aggregations)}."
            )
        self.spec, self.checkpoint, self.device = spec, checkpoint, device
        self.config = stock_config(checkpoint, self.authors_have_own_class)
        self.text = Text(checkpoint.folder)
        self.prepare()
        self.decoder, self.head = read_weights(
            checkpoint, self.config, self.head_shapes(), self.spare, self.name, DTYPES[spec.dtype], device
        )

    @property
    def longest(self) -> int:
        """The number of tokens of the longest trace that the model accepts."""
        return min(self.config.max_position_embeddings, self.spec.max_tokens or self.config.max_position_embeddings)

    def prepare(self) -> None:  # noqa: B027 (a family without anything to prepare is fine)
        """Find what the family needs from tokenizer and config, before weights are read."""

    @abstractmethod
    def head_shapes(self) -> dict[str, Shape]:
        """Return the tensors of the checkpoint in addition to the decoder's."""

    @abstractmethod
    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        """Return the tokens as the model was trained on them. Raises LostPositionError."""

    @abstractmethod
    def log_correct(self, hidden: Tensor) -> Tensor:
        """Return log P(step correct) [n] from float32 hidden states [n, h] at the positions of steps."""

    @property
    def facts(self) -> str:
        """What else changes a score, besides record and weights: part of the fingerprint."""
        return ""

    def opinions(self, tree: Tree, rendered: Sequence[Rendered]) -> list[Opinion]:
        """Return values, with their spread if the family knows it."""
        return [Opinion(values) for values in self.values(tree, rendered)]

    def values(self, tree: Tree, rendered: Sequence[Rendered]) -> list[list[float]]:
        """Return one number for each step of each trace; `rendered[i]` is `tree.paths[i]`."""
        at = [path[one.positions] for path, one in zip(tree.paths, rendered, strict=True)]
        wanted = np.unique(np.concatenate(at))
        found = self.log_correct(self.decoder.hidden(tree, wanted).float()).double().cpu().numpy()
        return [found[np.searchsorted(wanted, one)].tolist() for one in at]


def check_options(spec: PrmSpec, takes: tuple[str, ...]) -> None:
    """Raise SpecError for an option that the family does not know: a misspelt one would silently have no effect."""
    if unknown := sorted(set(spec.options) - set(takes)):
        known = f"Its options: {', '.join(takes)}." if takes else "It has no options."
        raise SpecError(f"Unknown option {unknown[0]!r} for the family {spec.family}. {known}")


def log_share(logits: Tensor, right: list[int]) -> Tensor:
    """Return the log probability [n] of the labels `right`, from logits [n, labels] in float32.

    In float32 and in logs: a probability that underflows in half precision would be lost or counted as certain.
    """
    return torch.log_softmax(logits.float(), dim=-1)[:, right].logsumexp(dim=-1)
