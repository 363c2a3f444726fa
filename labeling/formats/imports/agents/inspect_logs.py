"""Samples of Inspect logs: a `.json` log is one file, an `.eval` log has one member per sample (`files` unpacks it).

Based on the source of inspect_ai (src/inspect_ai/log/_log.py, _condense.py, _recorders/eval.py): long texts are stored
in a sample's `attachments` and referred to as `attachment://<hash>`. Its `message_pool` is for events; `messages` are
complete.
"""

from typing import Any

from labeling.formats.imports.agents.run import Run, first_task, run_format
from labeling.formats.imports.agents.turns import as_text, steps_of_messages
from labeling.formats.json_texts import texts_changed

Json = dict[str, Any]
ATTACHED = "attachment://"


def _marks(row: Json) -> int:
    return 9 if "inspect_sample" in row else 0


def _run(row: Json) -> Run:
    sample = row["inspect_sample"]
    about = row.get("inspect_log") or {}
    attachments = sample.get("attachments") or {}
    messages = attached(sample.get("messages") or [], attachments)
    steps = steps_of_messages(messages, "inspect")
    for step in steps:
        message = messages[step["source_ref"]["message_index"]]
        step["source_ref"] |= {"sample_id": sample.get("id"), "epoch": sample.get("epoch")}
        if isinstance(message.get("id"), str):
            step["source_ref"]["event_id"] = message["id"]
    given = attached(sample.get("input"), attachments)
    task = given if isinstance(given, str) else first_task(steps)
    scores = sample.get("scores") or {}
    target = sample.get("target")
    return Run(
        task=str(task),
        steps=steps,
        problem_id=f"{about.get('task', '')}/{sample.get('id', '')}".strip("/"),
        source="inspect",
        generator=str(about.get("model") or ""),
        answer=target if isinstance(target, str) and target.strip() else None,
        outcome=_outcome(scores),
        metadata={
            "inspect": {
                "sample_id": sample.get("id"),
                "epoch": sample.get("epoch"),
                "uuid": sample.get("uuid"),
                **about,
            },
            "scores": {name: score.get("value") for name, score in scores.items() if isinstance(score, dict)},
            "limit": as_text(sample.get("limit")),
            "error": as_text((sample.get("error") or {}).get("message")) if sample.get("error") else None,
        },
    )


def _outcome(scores: Json) -> str:
    values = {score.get("value") for score in scores.values() if isinstance(score, dict) and _plain(score)}
    return (
        {"C": "correct", 1: "correct", "I": "wrong", 0: "wrong"}.get(values.pop(), "ungraded") if values else "ungraded"
    )


def _plain(score: Json) -> bool:
    return score.get("value") in ("C", "I") or (type(score.get("value")) is int and score["value"] in (0, 1))


def attached(value: Any, attachments: Json) -> Any:
    """Return a value with its references to attachments replaced by the texts from the sample."""

    def found(text: str) -> Any:
        if not text.startswith(ATTACHED):
            return text
        return attachments.get(text.removeprefix(ATTACHED), "[an attachment that the log does not hold]")

    return texts_changed(value, found)


def samples_of(log: Json) -> list[Json]:
    """Return a row for each sample of a log that was written as one JSON object."""
    return [sample_row(sample, log.get("eval") or {}) for sample in log.get("samples") or ()]


def sample_row(sample: Json, about: Json) -> Json:
    """Return a sample as a row, together with what its log says about all samples."""
    kept = {name: about[name] for name in ("eval_id", "run_id", "task", "model", "created") if name in about}
    return {"inspect_sample": sample, "inspect_log": kept}


INSPECT = run_format(
    _run,
    name="inspect",
    title="Inspect logs",
    means="Samples of Inspect evaluations, `.eval` or `.json`: messages, calls, tool errors, scores.",
    looks_like="An `.eval` archive, or `eval` and `samples` in one object.",
    sniff=_marks,
)
