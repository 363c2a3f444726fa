"""Agents' runs as the chats of their models, for training: with a rating per message, or with how the run ended.

Messages are OpenAI's, as chat templates read them. Each rated message is one unit. Messages of tools, users and the
system come between them. A thought becomes the `reasoning_content` of its message.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from labeling.formats.exporting import CORRECT, ExportedLabel, ExportedTrace, path_ratings, step_sources
from labeling.formats.exports.containers import TEXT, WHOLE, YES_NO, Column, Columns
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.switches import (
    AFTER_ERROR,
    ALTERNATIVES,
    HUMAN_STEPS,
    NEUTRAL,
    WHOSE,
    apply_neutral_switch,
)
from labeling.formats.run_texts import told
from labeling.formats.typed_steps import AGENT, CALLS, as_written

Json = dict[str, Any]
ENDED = {"success": True, "failure": False}


def _process(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [_rated(label, switches) for label in labels if label.trace.typed_steps and label.verdict is not None]


def _rated(label: ExportedLabel, switches: Mapping[str, str]) -> Json:
    ratings = apply_neutral_switch(path_ratings(label), switches["neutral"])
    sources, chat = step_sources(label, ratings), chat_of(label.trace)
    return {
        "messages": [message for message, _ in chat],
        "labels": [None if unit is None else ratings[unit] for _, unit in chat],
        "label_sources": [None if unit is None else sources[unit] for _, unit in chat],
        "outcome": _ended(label),
    }


def _outcomes(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """One row per run, if all labels that say how it ended agree."""
    ended = {outcome for label in labels if (outcome := _ended(label)) is not None}
    if len(ended) != 1 or not labels[0].trace.typed_steps:
        return []
    return [{"messages": [message for message, _ in chat_of(labels[0].trace)], "label": ended.pop()}]


def _say_how_it_ended(rows: Sequence[Json], labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> set[int]:
    return {label.id for label in labels if _ended(label) is not None}


def _acts(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    """One row per unit judged by a clause: what came before, the unit, the clause and the verdict."""
    return [row for label in labels if label.trace.typed_steps for row in _acts_of(label)]


def _acts_of(label: ExportedLabel) -> Iterator[Json]:
    acts = (label.run_marks or {}).get("acts") or ()
    chat = chat_of(label.trace) if acts else []
    for act in acts:
        place = next((place for place, (_, unit) in enumerate(chat) if unit == act["step"]), None)
        if place is None:
            continue
        yield {
            "context": [message for message, _ in chat[:place]],
            "unit": chat[place][0],
            "source": label.labeler_kind,
            "clause": act["clause"],
            "clause_text": act.get("text") or None,
            "guideline_version": label.guideline_version,
            "verdict": act["verdict"],
            "severity": act.get("severity") or None,
            "comment": act.get("comment") or None,
        }


def _ended(label: ExportedLabel) -> bool | None:
    """Whether the run succeeded: as the labeler says, else by the trace's outcome. Null for partial or unknown."""
    said = (label.run_marks or {}).get("outcome")
    return ENDED.get(said) if said else CORRECT[label.trace.outcome]


def chat_of(trace: ExportedTrace) -> list[tuple[Json, int | None]]:
    """The run's messages, each with its unit, or null for context."""
    typed = as_written(trace.typed_steps or (), trace.steps)
    run: list[Json] = [step for step in typed if "executed" not in step]  # executions came after the run
    typed = sorted(run, key=_unit_of)
    found: list[tuple[Json, int | None]] = []
    last_call = ""
    for (unit, kind, _), group in groupby(typed, key=_message_key):
        message = _said(list(group), kind, last_call)
        last_call = (message.get("tool_calls") or [{"id": last_call}])[-1]["id"]
        found.append((message, unit))
    if not found or found[0][0]["role"] not in ("user", "system"):
        found.insert(0, ({"role": "user", "content": trace.problem.text}, None))
    return found


def _unit_of(step: Json) -> int:
    """The unit that the step belongs to, or follows."""
    unit: int = step["unit"] if "unit" in step else step.get("after", -1)
    return unit


def _message_key(step: Json) -> tuple[int | None, str, Any]:
    """The key of a message. It holds a whole unit, or the context of one turn; each result is its own message."""
    if "unit" in step:
        return step["unit"], "assistant", None
    if step["kind"] == "observation":
        return None, "tool", id(step)
    role = "assistant" if step["actor"] == AGENT else "system" if step["actor"] == "system" else "user"
    return None, role, step.get("turn", id(step))


def _said(steps: list[Json], role: str, last_call: str) -> Json:
    thoughts = [step for step in steps if step["kind"] == "thought"]
    calls = [step for step in steps if step["kind"] in CALLS]
    message: Json = {"role": role, "content": _joined(one for one in steps if one not in thoughts and one not in calls)}
    if role == "tool":
        message["tool_call_id"] = steps[0].get("call_id") or last_call
    if thoughts:
        message["reasoning_content"] = _joined(thoughts)
    if calls:
        message["tool_calls"] = [_call(call, place) for place, call in enumerate(calls)]
    return message


def _joined(steps: Iterable[Json]) -> str:
    return "\n\n".join(text for step in steps if (text := told(step)).strip())


def _call(step: Json, place: int) -> Json:
    given = step.get("arguments", {})
    arguments = given if isinstance(given, str) else orjson.dumps(given).decode()
    ident = step.get("call_id") or f"call_{step.get('unit', 'before')}_{place}"
    return {"id": ident, "type": "function", "function": {"name": step.get("tool", ""), "arguments": arguments}}


MESSAGES: list[Column] = [
    {
        **dict.fromkeys(("role", "content", "reasoning_content", "tool_call_id"), TEXT),
        "tool_calls": [{"id": TEXT, "type": TEXT, "function": {"name": TEXT, "arguments": TEXT}}],
    }
]
COLUMNS: Columns = {"messages": MESSAGES, "labels": [WHOLE], "label_sources": [TEXT], "outcome": YES_NO}
SWITCHES = (AFTER_ERROR.only("keep_unlabelled"), ALTERNATIVES.only("none"), HUMAN_STEPS.only("include"), *WHOSE)
FIXED = "A row is a whole run, including ratings after its first error."
PROCESS = ExportFormat(
    name="run_process",
    title="Rated runs, as chats",
    kind="steps",
    means="An agent's run as its model's chat, with a rating for each of its messages: for PRMs that see tool results.",
    loses="Which labeler rated; marks of the run other than its outcome; traces that are not runs. Context has the"
    " rating null.",
    group="label",
    switches=(NEUTRAL, *SWITCHES),
    fixed_because=FIXED,
    columns=COLUMNS,
    rows=_process,
)
OUTCOME = ExportFormat(
    name="run_outcome",
    title="Runs with their outcome, as chats",
    kind="traces",
    means="An agent's run as its model's chat, and whether it reached its goal: for outcome reward models.",
    loses="Ratings of steps; runs that partly succeeded, have no known outcome, or that people disagree on.",
    group="trace",
    switches=SWITCHES,
    fixed_because=FIXED,
    columns={"messages": MESSAGES, "label": YES_NO},
    rows=_outcomes,
    told=_say_how_it_ended,
)
CLAUSES = ExportFormat(
    name="run_clauses",
    title="Acts, judged by clauses",
    kind="steps",
    means="What an agent did, what came before, a clause, and whether the act is against it: for safety training.",
    loses="Units that nobody judged by a clause; all but the beginning of the clause; which labeler judged.",
    group="label",
    switches=SWITCHES,
    fixed_because=FIXED,
    columns={
        "context": MESSAGES,
        "unit": MESSAGES[0],
        **dict.fromkeys(("source", "clause", "clause_text"), TEXT),
        "guideline_version": WHOLE,
        **dict.fromkeys(("verdict", "severity", "comment"), TEXT),
    },
    rows=_acts,
)
