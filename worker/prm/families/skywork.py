"""The family of Skywork-o1-Open-PRM-Qwen-2.5-1.5B and -7B.

ids = encode(bos + problem + newline), then for each step encode(step) + [newline], with steps tokenized separately;
read at that newline. A value head Linear(h, 1) and a sigmoid. The authors' wrapper class is not needed: a stock decoder
with `v_head` does. Source: SkyworkAI/skywork-o1-prm-inference, model_utils/io_utils.py and prm_model.py.
"""

from collections.abc import Sequence

from torch import Tensor
from torch.nn.functional import logsigmoid

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError
from worker.prm.family import TokenFamily
from worker.prm.text import Rendered


class Skywork(TokenFamily):
    """A decoder with a value head; its LM head is not read."""

    name = "skywork"
    authors_have_own_class = True

    def prepare(self) -> None:
        bos = self.text.special("bos_token")
        if bos is None:
            raise CheckpointError(
                "tokenizer_config.json has no bos_token; the family skywork starts every text with it."
            )
        self.bos_text = bos
        self.newline = self.text.ids("\n")[-1]

    def head_shapes(self) -> dict[str, Shape]:
        return {"v_head.summary.weight": (1, self.config.hidden_size), "v_head.summary.bias": (1,)}

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        ids = list(self.text.ids(f"{self.bos_text}{problem}\n"))
        begins, positions = len(ids), []
        for step in steps:
            ids += [*self.text.ids(step), self.newline]
            positions.append(len(ids) - 1)
        return Rendered(ids, positions, begins)

    def log_correct(self, hidden: Tensor) -> Tensor:
        value = hidden @ self.head["v_head.summary.weight"].T + self.head["v_head.summary.bias"]
        return logsigmoid(value[:, 0])
