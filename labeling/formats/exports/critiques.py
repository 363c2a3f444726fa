"""What people wrote about steps: as critiques of single steps, and as chains that judge one step after the other
(ThinkPRM, arXiv 2504.16828: it learned from chains whose every verdict was the label's)."""

from collections.abc import Mapping, Sequence
from typing import Any

from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.rated_path import RatedPath, rated_paths
from labeling.formats.exports.switches import AFTER_ERROR, ALTERNATIVES, HUMAN_STEPS, NEUTRAL_AS_MARK, WHOSE
from labeling.formats.exports.switches import NEUTRAL as NEUTRAL_RATINGS

KINDS = ("scheme", "version", "code")
Json = dict[str, Any]


def _critiques(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [row for label in labels for row in _critiques_of(label, switches)]


def _critiques_of(label: ExportedLabel, switches: Mapping[str, str]) -> list[Json]:
    """A row for each step that somebody wrote about; and for the mistake also where only its kind was said."""
    return [
        {
            "problem": label.trace.problem.text,
            "prefix_steps": path.steps[:place],
            "step": step,
            "rating": rating,
            "critique": _critique(label, place, is_mistake=rating == -1),
            **_kind(label.mistake or {}, rating),
        }
        for path in rated_paths(label, {**switches, "neutral": "keep3"})
        for place, (step, rating) in enumerate(zip(path.steps, path.ratings, strict=True))
        if _critique(label, place, is_mistake=rating == -1) or (rating == -1 and (label.mistake or {}).get("kind"))
    ]


def _kind(mistake: Json, rating: int) -> Json:
    """What sort of mistake it is, where somebody said so."""
    said = mistake if rating == -1 else {}
    scheme, version, code = (said.get("kind") or "::").split(":", 2)
    return {
        "scheme": scheme or None,
        "scheme_version": int(version) if version else None,
        "code": code or None,
        "clause": said.get("clause") or None,
        "corrected_step": said.get("corrected_step") or None,
    }


def _critique(label: ExportedLabel, step: int, *, is_mistake: bool) -> str | None:
    """Everything that was written about a step: the mistake's explanation (the labeler's own, else the best of the
    machine's that people found good), then the comments."""
    words = [_explanation(label.mistake or {})] if is_mistake else []
    words += [comment["text"] for comment in label.remarks.get("comments", ()) if comment["step"] == step]
    return "\n".join(word.strip() for word in words if word and word.strip()) or None


def _explanation(mistake: Json) -> str | None:
    if own := mistake.get("explanation"):
        return str(own)
    return next((one["text"] for one in mistake.get("explanations", ()) if one.get("rating") == 1), None)


def _chains(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """A chain a label whose first error somebody explained, or with comments on a solution without one."""
    return [
        _chain(label, path)
        for label in labels
        for path in rated_paths(label, {**switches, "alternatives": "none"})
        if _is_told(label, path)
    ]


def _is_told(label: ExportedLabel, path: RatedPath) -> bool:
    last = len(path.steps) - 1
    if not path.is_right[-1]:
        return _critique(label, last, is_mistake=True) is not None
    return any(_critique(label, step, is_mistake=False) for step in range(len(path.steps)))


def _chain(label: ExportedLabel, path: RatedPath) -> Json:
    lines = []
    for place, right in enumerate(path.is_right):
        words = " ".join((_critique(label, place, is_mistake=not right) or "").split())
        verdict = rf"The step is \boxed{{{'correct' if right else 'incorrect'}}}."
        lines.append(f"Step {place + 1}: {f'{words} ' if words else ''}{verdict}")
    return {
        "problem": label.trace.problem.text,
        "prefix_steps": path.steps,
        "prefix_label": all(path.is_right),
        "cot": "\n".join(lines),
    }


CRITIQUES = ExportFormat(
    name="critiques",
    title="Critiques of steps",
    kind="words",
    means="A step, its rating, what people wrote about it and which kind of mistake it is: for models that criticise.",
    loses="Steps that nobody wrote about.",
    group="label",
    switches=(NEUTRAL_RATINGS.only("keep3"), AFTER_ERROR.only("truncate"), ALTERNATIVES, HUMAN_STEPS, *WHOSE),
    fixed_because="A critique stands beside the rating as it was given.",
    rows=_critiques,
    remarks=True,
)
CHAINS = ExportFormat(
    name="verification_chains",
    title="Verification chains",
    kind="words",
    means="Step after step judged in words, with a boxed verdict each, out of people's own explanations: for verifiers"
    " that reason (ThinkPRM).",
    loses="Labels in which nothing was written; who said it.",
    group="label",
    switches=(NEUTRAL_AS_MARK, AFTER_ERROR.only("truncate"), HUMAN_STEPS, *WHOSE),
    fixed_because="A chain ends at the first wrong step.",
    rows=_chains,
    remarks=True,
)
