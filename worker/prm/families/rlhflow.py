"""The family of RLHFlow/Llama3.1-8B-PRM-Mistral-Data and -Deepseek-Data.

A chat: the first user turn is problem, space, step 1; every further one is a step; the assistant always says "+",
whatever was predicted. Read where that "+" is predicted: the last token of the assistant's header. One pass gives all
steps. Source: RLHFlow/RLHF-Reward-Modeling, math-rm/prm_evaluate.py (position -3 of each prefix).
"""

from collections.abc import Sequence

from worker.prm.errors import CheckpointError
from worker.prm.families.causal_labels import CausalLabels
from worker.prm.text import Message, Rendered


class Rlhflow(CausalLabels):
    """A causal language model with a chat template."""

    name = "rlhflow"

    def prepare(self) -> None:
        self.labels = (self.single("+"), self.single("-"))
        self.text.opening([{"role": "user", "content": "x"}])

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        turns: list[Message] = []
        marks: list[int] = []
        text = ""
        for number, step in enumerate(steps):
            turns.append({"role": "user", "content": step if number else f"{problem} {step}"})
            longer = self.text.chat(turns, answering=True)
            if not longer.startswith(text):
                raise CheckpointError(
                    "The chat template changes earlier turns when one is added, so one pass cannot score it."
                )
            text = longer
            marks.append(len(text) - 1)
            turns.append({"role": "assistant", "content": "+"})
        # The template begins with the only BOS; `marked` adds none.
        return self.text.marked(text, marks)
