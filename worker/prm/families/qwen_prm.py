"""The family of Qwen2.5-Math-PRM-7B and -72B, and Qwen2.5-Math-7B-PRM800K.

Chat template with a system message; the assistant's text is every step followed by <extra_0>; read at each <extra_0>.
The head is Linear(h, h), ReLU, Linear(h, 2), label 1 correct. The published class is remote code, so it is built here.
Source: model cards and config.json of Qwen/Qwen2.5-Math-PRM-7B.
"""

from collections.abc import Sequence

from torch import Tensor

from worker.prm.checkpoint import Shape
from worker.prm.family import TokenFamily, log_share
from worker.prm.text import LostPositionError, Rendered

SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
MARK = "<extra_0>"


class QwenPrm(TokenFamily):
    """`Qwen2ForProcessRewardModel` without its code."""

    name = "qwen_prm"
    takes = ("system",)
    authors_have_own_class = True

    def prepare(self) -> None:
        self.mark = self.text.token(MARK)
        self.system = self.spec.option("system", SYSTEM)
        self.text.opening(self.messages("x"))

    def messages(self, problem: str) -> list[dict[str, str]]:
        """Return the turns before the assistant's."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": problem}]

    def head_shapes(self) -> dict[str, Shape]:
        width = self.config.hidden_size
        return {
            "score.0.weight": (width, width),
            "score.0.bias": (width,),
            "score.2.weight": (2, width),
            "score.2.bias": (2,),
        }

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        opening = text = self.text.opening(self.messages(problem))
        marks = []
        for step in steps:
            text += step + MARK
            marks.append(len(text) - 1)
        rendered = self.text.marked(text, marks, len(opening))
        if any(rendered.ids[position] != self.mark for position in rendered.positions):
            raise LostPositionError(f"the tokenizer does not keep {MARK} in one token")
        return rendered

    def log_correct(self, hidden: Tensor) -> Tensor:
        inner = (hidden @ self.head["score.0.weight"].T + self.head["score.0.bias"]).relu()
        return log_share(inner @ self.head["score.2.weight"].T + self.head["score.2.bias"], [1])
