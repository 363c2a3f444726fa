"""Token classifiers in the layout of TRL's PRMTrainer: our own checkpoints, TRL's, search-and-learn's, PURE's.

ids = [bos] + ids(problem) + sum over steps of ids(step) + ids(separator), each tokenized separately: tokenizing the
joined text would merge a separator with its neighbours and shift every position. Read at the last token of each
separator. Two labels: 1 is correct. Three labels: negative, neutral, positive in this order, or as id2label names them.
Source: huggingface/trl, trl/experimental/prm/prm_trainer.py.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from torch import Tensor

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError, SpecError
from worker.prm.family import Opinion, TokenFamily, log_share
from worker.prm.text import Rendered, Text
from worker.prm.tree import Tree

NAMES = ("negative", "neutral", "positive")
SEPARATORS = ("\n", "\n\n")
PROGRESS = ("progress.weight", "progress.bias")  # of a second head (worker/prm/fit_progress.py)


class StepLayout:
    """Text to ids, as above; shared by training and scoring. Raises SpecError for another separator."""

    def __init__(self, text: Text, separator: str) -> None:
        if separator not in SEPARATORS:
            raise SpecError(f"separator is {separator!r}; it must be one or two newlines.")
        self.text, self.separator = text, text.ids(separator)

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        """Render without cutting anything, whatever the length."""
        ids = [*self.text.bos(), *self.text.ids(problem)]
        begins, positions = len(ids), []
        for step in steps:
            ids += [*self.text.ids(step), *self.separator]
            positions.append(len(ids) - 1)
        return Rendered(ids, positions, begins)


class StepClassifier(TokenFamily):
    """`AutoModelForTokenClassification` with 2 or 3 labels."""

    name = "step_classifier"
    takes = ("separator",)
    spare: ClassVar[tuple[str, ...]] = ("lm_head.", "progress.")

    def prepare(self) -> None:
        self.layout = StepLayout(self.text, self.spec.option("separator", "\n"))
        self.right = self.right_labels()

    def right_labels(self) -> list[int]:
        """Return the labels that count as a correct step."""
        count = self.config.num_labels
        if count == 2:
            return [1]
        if count != 3:
            raise CheckpointError(
                f"config.json has {count} labels; a step classifier has 2 or 3 (num_labels, id2label)."
            )
        names = {str(name).lower(): int(label) for label, name in self.config.id2label.items()}
        order = names if set(names) == set(NAMES) else {name: label for label, name in enumerate(NAMES)}
        return [order["neutral"], order["positive"]] if self.spec.neutral == "positive" else [order["positive"]]

    def head_shapes(self) -> dict[str, Shape]:
        count = self.config.num_labels
        shapes: dict[str, Shape] = {"score.weight": (count, self.config.hidden_size)}
        if "score.bias" in self.checkpoint.shapes:
            shapes["score.bias"] = (count,)
        if PROGRESS[0] in self.checkpoint.shapes:
            shapes |= dict(zip(PROGRESS, ((1, self.config.hidden_size), (1,)), strict=True))
        return shapes

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        return self.layout.render(problem, steps)

    def opinions(self, tree: Tree, rendered: Sequence[Rendered]) -> list[Opinion]:
        """Return opinions with the progress of each step, if the checkpoint has a second head for it."""
        if PROGRESS[0] not in self.head:
            return super().opinions(tree, rendered)
        at = [path[one.positions] for path, one in zip(tree.paths, rendered, strict=True)]
        wanted = np.unique(np.concatenate(at))
        hidden = self.decoder.hidden(tree, wanted).float()
        said = self.log_correct(hidden).double().cpu().numpy()
        weight, bias = (self.head[name] for name in PROGRESS)
        gained = (hidden @ weight[0] + bias[0]).clamp(-1, 1).double().cpu().numpy()
        rows = [np.searchsorted(wanted, one) for one in at]
        return [Opinion(said[one].tolist(), progress=gained[one].tolist()) for one in rows]

    def log_correct(self, hidden: Tensor) -> Tensor:
        logits = hidden @ self.head["score.weight"].T
        if "score.bias" in self.head:
            logits = logits + self.head["score.bias"]
        return log_share(logits, self.right)
