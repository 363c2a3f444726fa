"""Our own checkpoints with a stacked head: several layers, means over steps and surprise, from one pass.

Rendered as a step classifier is. Plain transformers cannot load the head: it reads more than the last state. The folder
holds the whole language model, `head.weight` [1, d] and `head.bias` [1] over the blocks of worker/prm/step_readings.py
in their order; config.json says which layers. Log odds = readings @ weight + bias, calibrated.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError
from worker.prm.families.step_classifier import StepLayout
from worker.prm.family import TokenFamily
from worker.prm.step_readings import BLOCKS, SURPRISES, Layers, Predictor
from worker.prm.text import Rendered, Text
from worker.prm.tree import Tree

LM_HEAD, TABLE = "lm_head.weight", "model.embed_tokens.weight"
OURS = "stacked_head"  # in config.json: {"ends": [16, 20, 24], "mean": 20}


def digits_of(text: Text, size: int) -> Tensor:
    """[size] bool: the tokens that hold a digit."""
    found = torch.zeros(size, dtype=torch.bool)
    for token, number in text.vocabulary().items():
        if number < size and any(one.isdigit() for one in token):
            found[number] = True
    return found


def readings_width(hidden: int, layers: Layers) -> int:
    """How many numbers a step's readings are."""
    return hidden * (len(layers.ends) + 1) + 2 * len(SURPRISES) + 3


class StackedHead(TokenFamily):
    """A language model whose readings of a step one logistic head judges."""

    name = OURS
    takes = ("separator",)
    spare = ()

    def prepare(self) -> None:
        self.layout = StepLayout(self.text, self.spec.option("separator", "\n"))
        self.layers = self.layers_of()
        self.tied = LM_HEAD not in self.checkpoint.shapes

    def layers_of(self) -> Layers:
        """Which layers config.json says the head reads."""
        said: Any = self.checkpoint.config.get(OURS)
        try:
            found = Layers(tuple(int(one) for one in said["ends"]), int(said["mean"]))
        except (TypeError, KeyError, ValueError) as error:
            raise CheckpointError(
                f"config.json does not say what the head reads ({OURS}: ends, mean): it was made by another program."
            ) from error
        if not all(1 <= layer <= self.config.num_hidden_layers for layer in found.all):
            raise CheckpointError(
                f"config.json has {self.config.num_hidden_layers} layers; the head reads {found.all}."
            )
        return found

    def head_shapes(self) -> dict[str, Shape]:
        hidden, words = self.config.hidden_size, self.config.vocab_size
        shapes: dict[str, Shape] = {
            "head.weight": (1, readings_width(hidden, self.layers)),
            "head.bias": (1,),
        }
        return shapes if self.tied else shapes | {LM_HEAD: (words, hidden)}

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        return self.layout.render(problem, steps)

    def log_correct(self, hidden: Tensor) -> Tensor:
        """From readings [n, d]."""
        return logsigmoid(hidden @ self.head["head.weight"][0] + self.head["head.bias"])

    def values(self, tree: Tree, rendered: Sequence[Rendered]) -> list[list[float]]:
        """See TokenFamily."""
        found = self.predictor().read(tree, rendered)
        return [self.log_correct(torch.cat([one[name] for name in BLOCKS], 1)).double().tolist() for one in found]

    def predictor(self) -> Predictor:
        """Made once."""
        if not hasattr(self, "_predictor"):
            table = self.decoder.model.embed_tokens.weight if self.tied else self.head[LM_HEAD].to(self.decoder.dtype)
            self.head = {name: one.cpu() for name, one in self.head.items() if name != LM_HEAD}
            self._predictor = Predictor(self.decoder, table, digits_of(self.text, len(table)), self.layers)
        return self._predictor
