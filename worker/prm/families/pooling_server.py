"""A PRM that vLLM already serves: `vllm serve Qwen/Qwen2.5-Math-PRM-7B`, step pooling at <extra_0>.

POST /pooling {"model", "input": [text, ...], "task": "token_classify"} returns, for each text, one [p_wrong, p_right]
per <extra_0>. The text is the chat of the family qwen_prm, written here. Step pooling reuses no prefix, so traces share
nothing; the benefit is an existing GPU fleet.

`api` "sglang" uses SGLang's /classify instead, which returns one value for a whole text: each beginning of a trace is
sent, and the sigmoid of its value is P of its last step (that server's prefix cache makes this cheap). Source: vLLM
docs/models/pooling_models/reward.md; SGLang docs, reward models.
"""

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from worker.http.errors import RefusedError
from worker.prm.errors import ServerError, SpecError
from worker.prm.families.qwen_prm import MARK, SYSTEM
from worker.prm.family import PROBABILITY, check_options
from worker.prm.scoring import Steps, TraceScore, refuse, score_of
from worker.prm.servers import OPTIONS, PrmServer, model_of
from worker.prm.spec import LOG_OF_ZERO, PrmSpec

APIS = ("vllm", "sglang")


class PoolingServer:
    """See Scorer."""

    name = "pooling_server"

    def __init__(self, spec: PrmSpec) -> None:
        check_options(spec, (*OPTIONS, "api", "system", "batch"))
        self.spec, self.server, self.model = spec, PrmServer(spec), model_of(spec)
        self.api, self.batch = spec.option("api", "vllm"), int(spec.option("batch", 8))
        if self.api not in APIS:
            raise SpecError(f"api is {self.api!r}; it must be {' or '.join(APIS)}.")
        self.fingerprint = hashlib.sha256(spec.fingerprint().encode()).hexdigest()

    def score(self, problem: str, traces: Sequence[Steps]) -> list[TraceScore]:
        """See Scorer."""
        reasons = [refuse(steps) or marked(steps) for steps in traces]
        ready = [number for number, reason in enumerate(reasons) if reason is None]
        batches = [ready[at : at + self.batch] for at in range(0, len(ready), self.batch)]
        answers = self.server.each(lambda batch: self.ask(problem, [traces[number] for number in batch]), batches)
        found = dict(zip(ready, (one for answer in answers for one in answer), strict=True))
        return [found.get(number) or TraceScore(PROBABILITY, reason=reason) for number, reason in enumerate(reasons)]

    def ask(self, problem: str, traces: Sequence[Steps]) -> list[TraceScore]:
        """Send one request; if the server refuses it, one per trace, so that only the faulty trace is unscored."""
        try:
            rows = self.vllm(problem, traces) if self.api == "vllm" else self.sglang(problem, traces)
        except RefusedError as error:
            if len(traces) > 1:
                return [one for steps in traces for one in self.ask(problem, [steps])]
            return [TraceScore(PROBABILITY, reason=f"the server refused the trace: {str(error)[:300]}")]
        return [score_of(logs, PROBABILITY, self.spec.aggregation) for logs in rows]

    def vllm(self, problem: str, traces: Sequence[Steps]) -> list[list[float]]:
        """Return log P of each step of each trace."""
        texts = [self.text(problem, steps) for steps in traces]
        body = {"model": self.model, "input": texts, "task": "token_classify"}
        answer = self.server.post("/pooling", body)
        rows = in_order(answer, len(texts))
        return [
            [log_of(pair[1]) for pair in numbers(row, len(steps), 2)] for row, steps in zip(rows, traces, strict=True)
        ]

    def sglang(self, problem: str, traces: Sequence[Steps]) -> list[list[float]]:
        """Return the same from one value per beginning."""
        texts = [self.text(problem, steps[: end + 1]) for steps in traces for end in range(len(steps))]
        answer = self.server.post("/classify", {"model": self.model, "text": texts})
        if not isinstance(answer, list) or len(answer) != len(texts):
            raise ServerError(f"The server should return {len(texts)} values for {len(texts)} texts.")
        rows = [one.get("embedding") if isinstance(one, dict) else None for one in answer]
        values = iter([numbers([row], 1, 1)[0][0] for row in rows])
        return [[-math.log1p(math.exp(-max(next(values), -80.0))) for _step in steps] for steps in traces]

    def text(self, problem: str, steps: Steps) -> str:
        """Return ChatML as Qwen's template writes it, up to the last mark."""
        system = self.spec.option("system", SYSTEM)
        turns = (
            f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{problem}<|im_end|>\n<|im_start|>assistant\n"
        )
        return turns + "".join(step + MARK for step in steps) + "<|im_end|>\n"


def marked(steps: Steps) -> str | None:
    """Return why a trace cannot be sent: a mark inside a step would add a step to the answer and shift later ones."""
    found = next((number for number, step in enumerate(steps) if MARK in step), None)
    return None if found is None else f"step {found} contains the text {MARK}"


def in_order(answer: Any, count: int) -> list[Any]:
    """Return the rows of a pooling answer, ordered by index. Raises ServerError if it is something else."""
    try:
        rows = {row["index"]: row["data"] for row in answer["data"]}
        return [rows[number] for number in range(count)]
    except (KeyError, TypeError) as error:
        raise ServerError(
            "The server does not answer like vLLM's /pooling. Is it an address of vLLM with a PRM?"
        ) from error


def numbers(row: Any, count: int, width: int) -> list[list[float]]:
    """Return `count` lists of `width` numbers. Another count, as without step pooling, is refused and never shifted."""
    if not isinstance(row, list) or len(row) != count:
        found = len(row) if isinstance(row, list) else "no"
        raise ServerError(f"The server returned {found} values for {count} steps. Does it pool by step at {MARK}?")
    if any(not isinstance(one, list) or len(one) != width for one in row):
        raise ServerError(f"The server should return {width} numbers per step.")
    return [[number(value) for value in one] for one in row]


def number(value: Any) -> float:
    """Return one number; NaN if the server has none. Raises ServerError, also for a number written as text."""
    if value is None:
        return math.nan
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        pass
    raise ServerError(f"The server returned {str(value)[:40]} instead of a number.")


def log_of(probability: float) -> float:
    """Return the logarithm; for an exact 0, that of the smallest float32."""
    if math.isnan(probability) or not -0.001 <= probability <= 1.001:
        return math.nan
    return math.log(min(probability, 1.0)) if probability > 0 else LOG_OF_ZERO
