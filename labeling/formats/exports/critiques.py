"""What people wrote about steps, in two formats: critiques of single steps, and chains that judge step after step.

For chains, see ThinkPRM (arXiv 2504.16828). It learned from chains in which every verdict was the label's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.containers import TEXT, WHOLE, YES_NO
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.neutral import KIND_OF_MISTAKE, kind_of_mistake
from labeling.formats.exports.rated_path import RatedPath, rated_paths
from labeling.formats.exports.switches import (
    AFTER_ERROR,
    AFTER_ERROR_MARKED,
    ALTERNATIVES,
    HUMAN_STEPS,
    MACHINE_WORDS,
    NEUTRAL,
    NEUTRAL_AS_MARK,
    WHOSE,
)

VERDICT = re.compile(r"\\boxed\s*\{\s*(?P<verdict>(?P<wrong>in)?correct)\s*\}", re.IGNORECASE)
Json = dict[str, Any]


def _critiques(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [row for label in labels for row in _critiques_of(label, switches)]


def _critiques_of(label: ExportedLabel, switches: Mapping[str, str]) -> list[Json]:
    """For each step: one row with what a person wrote about it, and one for each explanation of a machine."""
    return [
        {
            "problem": label.trace.problem.text,
            "prefix_steps": path.steps[:place],
            "step": step,
            "rating": rating,
            "critique": critique,
            "source": source,
            **kind_of_mistake((label.mistake or {}) if place == label.verdict else {}),
        }
        for path in rated_paths(label, {**switches, "alternatives": "none"})
        for place, (step, rating) in enumerate(zip(path.steps, path.ratings, strict=True))
        for source, critique in _said_of(label, place, switches)
    ]


def _said_of(label: ExportedLabel, step: int, switches: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Who said it, and what. The words are null if there is only a kind, a clause or a corrected step."""
    own, is_mistake = _critique(label, step), step == label.verdict
    if own or (is_mistake and any(kind_of_mistake(label.mistake or {}).values())):
        yield "person", own
    if is_mistake:
        yield from (("machine", text) for text in _found_good(label, switches))


def _found_good(label: ExportedLabel, switches: Mapping[str, str]) -> list[str]:
    """A machine's explanations of the mistake that the labeler rated as good without a flag."""
    if switches["machine_words"] != "include":
        return []
    rated = (label.mistake or {}).get("explanations", ())
    return [one["text"].strip() for one in rated if one["rating"] == 1 and not one["flagged"]]


def _critique(label: ExportedLabel, step: int) -> str | None:
    """Everything that a person wrote about a step: the mistake's explanation, then the comments."""
    words = [(label.mistake or {}).get("explanation")] if step == label.verdict else []
    words += [comment["text"] for comment in label.remarks.get("comments", ()) if comment["step"] == step]
    return "\n".join(word.strip() for word in words if word and word.strip()) or None


def _chains(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """One chain per label whose first error is explained, or that has comments on a solution without an error."""
    return [
        _chain(label, path, words)
        for label in labels
        for path in rated_paths(label, {**switches, "alternatives": "none"})
        if _is_told(path, words := _words(label, path, switches)) and _agrees(path, words)
    ]


def _words(label: ExportedLabel, path: RatedPath, switches: Mapping[str, str]) -> list[str]:
    """What was written about each step, on one line.

    This is a person's words. For the first error it may be a machine's first explanation that was rated as good.
    """
    said = [_critique(label, place) for place in range(len(path.steps))]
    if len(said) - 1 == label.verdict and not said[-1]:
        said[-1] = next(iter(_found_good(label, switches)), None)
    return [" ".join((words or "").split()) for words in said]


def _is_told(path: RatedPath, words: Sequence[str]) -> bool:
    return any(words) if path.is_right[-1] else bool(words[-1])


def _agrees(path: RatedPath, words: Sequence[str]) -> bool:
    """Whether no words box a verdict that differs from their step's. A chain must not contradict its label."""
    return all(
        bool(found["wrong"]) != right
        for right, said in zip(path.is_right, words, strict=True)
        for found in VERDICT.finditer(said)
    )


def _chain(label: ExportedLabel, path: RatedPath, words: Sequence[str]) -> Json:
    """A chain's row. Boxes within the words are removed, since readers take each box as the verdict on a step."""
    lines = []
    for place, (right, said) in enumerate(zip(path.is_right, words, strict=True), start=1):
        verdict = rf"The step is \boxed{{{'correct' if right else 'incorrect'}}}."
        plain = VERDICT.sub(r"\g<verdict>", said)
        lines.append(f"Step {place}: {f'{plain} ' if plain else ''}{verdict}")
    return {
        "problem": label.trace.problem.text,
        "prefix_steps": path.steps,
        "prefix_label": all(path.is_right),
        "cot": "\n".join(lines),
        "step_sources": path.sources,
    }


CRITIQUES = ExportFormat(
    name="critiques",
    title="Critiques of steps",
    kind="words",
    means="A step, its rating, what people wrote about it and the kind of mistake: for models that write critiques.",
    loses="Steps that nobody wrote about; a machine's explanations that labelers did not rate as good.",
    group="label",
    switches=(
        NEUTRAL.only("keep3"),
        AFTER_ERROR_MARKED.only("truncate", "keep_rated"),
        ALTERNATIVES.only("none"),
        HUMAN_STEPS,
        MACHINE_WORDS,
        *WHOSE,
    ),
    fixed_because="A critique is about a step of the trace, and its row has the rating unchanged.",
    columns={
        "problem": TEXT,
        "prefix_steps": [TEXT],
        "step": TEXT,
        "rating": WHOLE,
        "critique": TEXT,
        "source": TEXT,
        **KIND_OF_MISTAKE,
    },
    rows=_critiques,
    remarks=True,
    even=True,
)
CHAINS = ExportFormat(
    name="verification_chains",
    title="Verification chains",
    kind="words",
    means="Each step judged in words with a boxed verdict, made from people's own explanations: for verifiers that"
    " reason (ThinkPRM).",
    loses="Labels without text, or whose text boxes a verdict that differs from the label's; which labeler wrote it.",
    group="label",
    switches=(
        NEUTRAL_AS_MARK,
        AFTER_ERROR.only("truncate"),
        HUMAN_STEPS,
        MACHINE_WORDS.with_default("exclude"),
        *WHOSE,
    ),
    fixed_because="A chain ends at the first wrong step.",
    columns={"problem": TEXT, "prefix_steps": [TEXT], "prefix_label": YES_NO, "cot": TEXT, "step_sources": [TEXT]},
    rows=_chains,
    remarks=True,
)
