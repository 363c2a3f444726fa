"""Token classifiers in the layout of TRL's PRMTrainer: our own checkpoints, TRL's, search-and-learn's, PURE's.

ids = [bos] + ids(problem) + sum over steps of ids(step) + ids(separator), each tokenized apart: tokenizing the joined
text would merge a separator with its neighbours and shift every position. Read at the last token of each separator.
Two labels: 1 is correct. Three labels: negative, neutral, positive in this order, or as id2label names them. Source:
huggingface/trl, trl/experimental/prm/prm_trainer.py.
"""

from collections.abc import Sequence

from torch import Tensor

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError, SpecError
from worker.prm.family import TokenFamily, log_share
from worker.prm.text import Rendered, Text

NAMES = ("negative", "neutral", "positive")
SEPARATORS = ("\n", "\n\n")


class StepLayout:
    """Text to ids, as above; what training and scoring share. Raises SpecError for another separator."""

    def __init__(self, text: Text, separator: str) -> None:
        if separator not in SEPARATORS:
            raise SpecError(f"separator is {separator!r}; it can be one or two newlines.")
        self.text, self.separator = text, text.ids(separator)

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        """Nothing is cut, whatever the length."""
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

    def prepare(self) -> None:
        self.layout = StepLayout(self.text, self.spec.option("separator", "\n"))
        self.right = self.right_labels()

    def right_labels(self) -> list[int]:
        """The labels that count as a correct step."""
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
        return {**shapes, "score.bias": (count,)} if "score.bias" in self.checkpoint.shapes else shapes

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        return self.layout.render(problem, steps)

    def log_correct(self, hidden: Tensor) -> Tensor:
        logits = hidden @ self.head["score.weight"].T
        if "score.bias" in self.head:
            logits = logits + self.head["score.bias"]
        return log_share(logits, self.right)
