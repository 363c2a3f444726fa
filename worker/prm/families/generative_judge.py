"""A language model on any OpenAI-compatible server, asked in words for the first wrong step.

Two templates. "processbench": paragraphs in tags; the answer is the index of the first wrong one, or -1, in \\boxed{}.
"thinkprm": a critique of each step, ending in \\boxed{correct} or \\boxed{incorrect}; the first incorrect one stops.

`votes` answers are requested. Of the votes that found every earlier step right, P(step k correct) is the share that
finds step k right, (right + 1/2) / (votes + 1). So the product over all steps follows the share that found no error,
and no P is exactly 0 or 1. An unreadable answer is not a vote; a trace without any vote is unscored.

Sources: QwenLM/ProcessBench, code/templates/critique_template.txt; mukhal/thinkprm, README.
"""

import hashlib
import math
import re
from collections.abc import Sequence
from typing import Any

from worker.http.errors import RefusedError
from worker.prm.errors import ServerError, SpecError
from worker.prm.family import PROBABILITY, check_options
from worker.prm.scoring import Steps, TraceScore, refuse, score_of
from worker.prm.servers import OPTIONS, PrmServer, model_of
from worker.prm.spec import PrmSpec

PROCESSBENCH = """The following is a math problem and a solution (split into paragraphs, enclosed with tags and \
indexed from 0):

[Math Problem]

{problem}

[Solution]

{solution}

Your task is to review and critique the solution paragraph by paragraph. Once you identify an error in a \
paragraph, return the index of the paragraph where the earliest error occurs. Otherwise, return the index of -1 \
(which typically denotes "not found").

Please put your final answer (i.e., the index) in \\boxed{{}}.
"""
THINKPRM = """You are given a math problem and a proposed step-by-step solution:

[Math Problem]

{problem}

[Solution]

{solution}

Review and critique each step in the proposed solution to determine whether each step is correct. If the solution is \
incomplete, only verify the provided steps."""
TEMPLATES = ("processbench", "thinkprm")
NO_ERROR = -1
BOXED = re.compile(r"\\boxed\{\s*(-?\d+|correct|incorrect|\\text\{\s*(?:in)?correct\s*\})\s*\}")
INDEX = re.compile(r"-?[0-9]{1,9}")  # judges write numbers of any length


class GenerativeJudge:
    """See Scorer."""

    name = "generative_judge"

    def __init__(self, spec: PrmSpec) -> None:
        check_options(spec, (*OPTIONS, "template", "votes", "temperature", "top_p", "max_tokens", "seed"))
        self.spec, self.server, self.model = spec, PrmServer(spec), model_of(spec)
        self.template, self.votes = spec.option("template", "processbench"), int(spec.option("votes", 1))
        if self.template not in TEMPLATES:
            raise SpecError(f"template is {self.template!r}; it must be {' or '.join(TEMPLATES)}.")
        if not 1 <= self.votes <= 64:
            raise SpecError("votes must be between 1 and 64.")
        self.fingerprint = hashlib.sha256(spec.fingerprint().encode()).hexdigest()

    def score(self, problem: str, traces: Sequence[Steps]) -> list[TraceScore]:
        """See Scorer."""
        return self.server.each(lambda steps: self.judge(problem, steps), traces)

    def judge(self, problem: str, steps: Steps) -> TraceScore:
        """Score one trace with `votes` requests (many servers return one choice per request)."""
        if reason := refuse(steps):
            return TraceScore(PROBABILITY, reason=reason)
        try:
            texts = [self.ask(problem, steps, vote) for vote in range(self.votes)]
        except RefusedError as error:
            return TraceScore(PROBABILITY, reason=f"the server refused the trace: {str(error)[:300]}")
        read = [first_error(text, len(steps), self.template) for text in texts]
        votes = [vote for vote in read if vote is not None]
        if not votes:
            return TraceScore(PROBABILITY, reason=f"no verdict in {len(texts)} answers")
        return score_of(log_shares(votes, len(steps)), PROBABILITY, self.spec.aggregation)

    def ask(self, problem: str, steps: Steps, vote: int) -> str:
        """Return the text of one answer."""
        body: dict[str, Any] = {"model": self.model, "messages": self.messages(problem, steps)}
        body["temperature"] = self.spec.option("temperature", 0.0 if self.votes == 1 else 0.7)
        body["max_tokens"] = self.spec.option("max_tokens", 4096)
        if (top_p := self.spec.option("top_p", None)) is not None:
            body["top_p"] = top_p
        if (seed := self.spec.option("seed", None)) is not None:
            body["seed"] = seed + vote
        answer = self.server.post("/chat/completions", body)
        try:
            return str(answer["choices"][0]["message"]["content"] or "")
        except (KeyError, IndexError, TypeError) as error:
            raise ServerError("The server does not answer like OpenAI's /chat/completions.") from error

    def messages(self, problem: str, steps: Steps) -> list[dict[str, str]]:
        """Return the messages that the judge reads."""
        if self.template == "thinkprm":
            solution = "\n".join(f"Step {number}: {step}" for number, step in enumerate(steps, start=1))
            text = THINKPRM.format(problem=problem, solution=solution)
        else:
            tagged = [f"<paragraph_{number}>\n{step}\n</paragraph_{number}>" for number, step in enumerate(steps)]
            text = PROCESSBENCH.format(problem=problem, solution="\n\n".join(tagged))
        return [{"role": "user", "content": text}]


def first_error(text: str, steps: int, template: str) -> int | None:
    """Return the first wrong step according to one answer, NO_ERROR, or None if the answer does not say."""
    found = BOXED.findall(text)
    if template == "processbench":
        last = found[-1] if found else ""
        index = int(last) if INDEX.fullmatch(last) else None
        return index if index is not None and NO_ERROR <= index < steps else None
    verdicts = ["incorrect" not in one for one in found if "correct" in one][:steps]
    if False in verdicts:
        return verdicts.index(False)
    return NO_ERROR if len(verdicts) == steps else None


def log_shares(votes: Sequence[int], steps: int) -> list[float]:
    """Return log P(step correct | all earlier ones correct), from first errors."""
    logs = []
    for step in range(steps):
        still = [vote for vote in votes if vote == NO_ERROR or vote >= step]
        right = sum(vote != step for vote in still)
        logs.append(math.log((right + 0.5) / (len(still) + 1)))
    return logs
