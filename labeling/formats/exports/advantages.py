"""Process advantages: how each step changed the chance of success, as counted by rollouts.

The columns follow *Rewarding Progress* (arXiv 2410.08146). No public data set has a format for it. A step's advantage
is the chance of success after it minus the chance before it, for one prover. Rows have the counts as well as the
shares, because a share of 8 rollouts and one of 800 are not worth the same. An advantage is never called correctness:
people's ratings have their own column.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labeling.formats.exporting import ExportedLabel, path_ratings, step_sources
from labeling.formats.exports.containers import NUMBER, TEXT, WHOLE, YES_NO
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.switches import AFTER_ERROR, ALTERNATIVES, HUMAN_STEPS, NEUTRAL, WHOSE

Json = dict[str, Any]


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """One row per source of rollouts and step that has counts before and after it. `labels`: all of one trace."""
    trace = labels[0].trace
    rated = [path_ratings(label, switches["human_steps"]) for label in labels]
    sources = [step_sources(label, ratings) for label, ratings in zip(labels, rated, strict=True)]
    return [
        {
            "problem": trace.problem.text,
            "prefix": trace.steps[:step],
            "step": trace.steps[step],
            **counted,
            "ratings": [one[step] for one in rated if one[step] is not None],
            "rating_sources": [one[step] for one in sources if one[step] is not None],
        }
        for rollouts in trace.rollouts
        for step, counted in _counted(rollouts, len(trace.steps))
    ]


def _counted(rollouts: Json, steps: int) -> Iterator[tuple[int, Json]]:
    """The steps with rollouts counted both before and after them. `hits` and `n` begin with the empty prefix."""
    hits, n = rollouts["hits"], rollouts["n"]
    for step in range(min(steps, len(n) - 1)):
        before, after = n[step], n[step + 1]
        if not before or not after:
            continue
        q_before, q_after = hits[step] / before, hits[step + 1] / after
        yield (
            step,
            {
                "q_before": q_before,
                "q_after": q_after,
                "advantage": q_after - q_before,
                "hits_before": hits[step],
                "n_before": before,
                "hits_after": hits[step + 1],
                "n_after": after,
                "after_is_own_answer": bool(rollouts["own_answer"]) and step + 1 == steps,
                "prover": rollouts["prover"],
                "completer": rollouts["completer"],
                "seed": rollouts["seed"],
                "source": rollouts["source"],
            },
        )


FORMAT = ExportFormat(
    name="process_advantages",
    title="Process advantages",
    kind="steps",
    means="How each step changed the chance of success, as counted by rollouts, along with people's ratings of the"
    " step.",
    loses="Traces without rollouts; steps without counts before or after them; which labeler rated; comments and"
    " explanations.",
    group="trace",
    switches=(
        NEUTRAL.only("keep3"),
        AFTER_ERROR.only("keep_unlabelled"),
        ALTERNATIVES.only("none", because="Rollouts start from the trace's own path."),
        HUMAN_STEPS,
        *WHOSE,
    ),
    fixed_because="This format exports the ratings unchanged, next to the counts.",
    columns={
        "problem": TEXT,
        "prefix": [TEXT],
        "step": TEXT,
        "q_before": NUMBER,
        "q_after": NUMBER,
        "advantage": NUMBER,
        "hits_before": WHOLE,
        "n_before": WHOLE,
        "hits_after": WHOLE,
        "n_after": WHOLE,
        "after_is_own_answer": YES_NO,
        "prover": TEXT,
        "completer": TEXT,
        "seed": WHOLE,
        "source": TEXT,
        "ratings": [WHOLE],
        "rating_sources": [TEXT],
    },
    rows=_rows,
    rollouts=True,
)
