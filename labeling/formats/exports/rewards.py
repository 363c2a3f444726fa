"""Whole answers with a reward for each step and its position in the text: for reinforcement learning."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labeling.formats import stepmark_reward
from labeling.formats.exporting import CORRECT, ExportedLabel, step_sources
from labeling.formats.exports.containers import NUMBER, TEXT, WHOLE, YES_NO
from labeling.formats.exports.export_format import Companion, ExportFormat
from labeling.formats.exports.rated_path import counted_path
from labeling.formats.exports.switches import AFTER_ERROR, ALTERNATIVES, HUMAN_STEPS, NEUTRAL, WHOSE

BETWEEN_STEPS = "\n\n"
Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [_row(label, switches) for label in labels if label.verdict is not None]


def _row(label: ExportedLabel, switches: Mapping[str, str]) -> Json:
    steps = label.trace.steps
    _, ratings = counted_path(label, switches)
    rated = [*ratings, *[None] * (len(steps) - len(ratings))]
    return {
        "prompt": label.trace.problem.text,
        "completion": BETWEEN_STEPS.join(steps),
        "step_spans": _spans(steps),
        "step_rewards": [float(rating or 0) for rating in rated],
        "mask": [int(rating is not None) for rating in rated],
        "step_sources": step_sources(label, rated),
        "outcome": CORRECT[label.trace.outcome],
    }


def _spans(steps: Sequence[str]) -> list[list[int]]:
    """Where each step begins and ends in the completion, in characters (code points) from 0. The end is exclusive."""
    spans, begin = [], 0
    for step in steps:
        spans.append([begin, begin + len(step)])
        begin += len(step) + len(BETWEEN_STEPS)
    return spans


def _reward_functions(format: str, file_name: str) -> bytes:
    return Path(stepmark_reward.__file__).read_bytes()


REWARD_FUNCTIONS = Companion(
    "stepmark_reward.py",
    "A PRM as a reward function of TRL, verl and OpenRLHF: one file without dependencies.",
    _reward_functions,
)
FORMAT = ExportFormat(
    name="rewards",
    title="Rewards of steps",
    kind="steps",
    means="Problem, whole answer, and each step's position in it and reward: for reinforcement learning with dense"
    " rewards.",
    loses="Alternatives; which labeler rated; labels without a verdict. A step without a rating has reward 0 and"
    " mask 0.",
    group="label",
    switches=(NEUTRAL, AFTER_ERROR.only("keep_unlabelled"), ALTERNATIVES.only("none"), HUMAN_STEPS, *WHOSE),
    fixed_because="A row is a whole answer.",
    columns={
        "prompt": TEXT,
        "completion": TEXT,
        "step_spans": [[WHOLE]],
        "step_rewards": [NUMBER],
        "mask": [WHOLE],
        "step_sources": [TEXT],
        "outcome": YES_NO,
    },
    rows=_rows,
    even=True,
    companions=(REWARD_FUNCTIONS,),
)
