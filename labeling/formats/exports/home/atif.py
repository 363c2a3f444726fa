"""Runs as ATIF 1.7 trajectories (Harbor's rfcs/0001-trajectory-format.md) with labels in `step.extra.stepmark`.

A run that was read from ATIF keeps its step ids. Any other is converted to ATIF, with a step for each message of the
agent. Rows lack what typed steps do not hold (log probabilities, prices, images). To keep those, use the companion: it
adds a row's labels to the recorder's own file.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from labeling.formats import stepmark_atif
from labeling.formats.exporting import CORRECT, ExportedLabel, ExportedTrace
from labeling.formats.exports.containers import FURTHER_KEYS, TEXT
from labeling.formats.exports.export_format import Companion, ExportFormat
from labeling.formats.exports.home import said
from labeling.formats.exports.home.said import Score, scores_of
from labeling.formats.typed_steps import AGENT, AS_GIVEN, CALLS, as_written

Json = dict[str, Any]
VERSION = "ATIF-v1.7"
SOURCES = {AGENT: "agent", "user": "user"}
MARKS = {said.DECISIVE: "decisive_error", said.RECOVERED: "recovered"}


def _rows(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[Json]:
    return [_trajectory(labels)] if said.is_run(labels[0]) else []


def _trajectory(labels: Sequence[ExportedLabel]) -> Json:
    trace = labels[0].trace
    about = trace.metadata.get("atif") or {}
    told = Told(as_written(trace.typed_steps or [], trace.steps))
    for label in labels:
        _put(label, told)
    row = {
        "schema_version": VERSION,
        "session_id": about.get("session_id") or trace.problem.external_id or None,
        "trajectory_id": about.get("trajectory_id"),
        "agent": _agent(trace, about),
        "steps": told.steps,
        "notes": about.get("notes"),
        "final_metrics": about.get("final_metrics"),
        "continued_trajectory_ref": trace.metadata.get("continued_in"),
        "subagent_trajectories": told.nested,
        "extra": {"stepmark": _ours(trace) | {"labels": [_of_run(label, told) for label in labels]}},
    }
    return {name: value for name, value in row.items() if value not in (None, [])}


def _ours(trace: ExportedTrace) -> Json:
    """What ATIF has no place for, so that Stepmark's own import can restore it."""
    known = {
        "source": trace.source,
        "outcome": None if CORRECT[trace.outcome] is None else trace.outcome,
        "final_answer": trace.final_answer,
        "ground_truth_answer": trace.problem.answer,
    }
    return {"task": trace.problem.text} | {name: value for name, value in known.items() if value}


def _agent(trace: ExportedTrace, about: Json) -> Json:
    known = about.get("agent") or {}
    agent = {"name": known.get("name") or trace.source or "unknown", "version": known.get("version") or "unknown"}
    if trace.generator and trace.generator != agent["name"]:
        agent["model_name"] = trace.generator
    tools = trace.metadata.get("tools")
    if isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools):
        agent["tool_definitions"] = tools
    return agent


class Told:
    """Typed steps as ATIF steps: one for each turn, which also holds the results of its calls."""

    def __init__(self, typed: Sequence[Json], prefix: str = "sub") -> None:
        """`prefix`: the beginning of the ids of sub-agents' trajectories."""
        self.steps: list[Json] = []
        self.nested: list[Json] = []
        self.of_units: dict[int, Json] = {}
        self._prefix = prefix
        self._of_turns: dict[str, Json] = {}
        self._of_calls: dict[str, Json] = {}
        for step in typed:
            self._tell(step)

    def _tell(self, step: Json) -> None:
        if step["kind"] == "observation":
            self._tell_result(step)
            return
        told = self._step_of(step, SOURCES.get(step["actor"], "system"))
        if "unit" in step:
            self.of_units.setdefault(step["unit"], told)
        if step["kind"] in CALLS:
            self._tell_call(step, told)
        else:
            key = "reasoning_content" if step["kind"] == "thought" and told["source"] == "agent" else "message"
            told[key] = "\n\n".join(part for part in (told.get(key), step.get("text", "")) if part)
        _count(step, told)

    def _step_of(self, step: Json, source: str) -> Json:
        """The step of this turn if it has the same source; else a new one."""
        turn = f"{step.get('turn', object())} {source}"
        if turn in self._of_turns:
            return self._of_turns[turn]
        told: Json = {"step_id": len(self.steps) + 1, "source": source, "message": ""}
        if (start := step.get("t_start")) and _is_time(start):
            told["timestamp"] = start
        if step.get("copied"):
            told["is_copied_context"] = True
        self.steps.append(told)
        self._of_turns[turn] = told
        return told

    def _tell_call(self, step: Json, told: Json) -> None:
        calls = told.setdefault("tool_calls", [])
        ident = step.get("call_id") or f"call-{told['step_id']}-{len(calls) + 1}"
        given = step.get("arguments")
        calls.append(
            {
                "tool_call_id": ident,
                "function_name": step.get("tool") or "unknown",
                "arguments": given if isinstance(given, dict) else {AS_GIVEN: given},
            }
        )
        self._of_calls[ident] = told
        if step.get("nested"):
            self._add_result(told, {"source_call_id": ident, **self._ref_to(step["nested"])})

    def _tell_result(self, step: Json) -> None:
        known = self._of_calls.get(step.get("call_id") or "")
        told = known or self._of_turns.get(f"{step.get('turn')} agent")
        if told is None and self.steps and self.steps[-1]["source"] == "agent" and not step.get("call_id"):
            told = self.steps[-1]
        if told is None:
            told = self._step_of(step, "system")
        result: Json = {"source_call_id": step["call_id"]} if known else {}
        result["content"] = step.get("text", "")
        if step.get("nested"):
            result |= self._ref_to(step["nested"])
        if step.get("is_error"):
            result["extra"] = {"is_error": True}
        self._add_result(told, result)
        _count(step, told)

    def _add_result(self, told: Json, result: Json) -> None:
        results = told.setdefault("observation", {"results": []})["results"]
        before = next((one for one in results if "content" not in one and one.get("source_call_id")), None)
        if before is not None and before["source_call_id"] == result.get("source_call_id"):
            before.update(result)  # the sub-agent that a call started, and the call's result
        else:
            results.append(result)

    def _ref_to(self, typed: Sequence[Json]) -> Json:
        ident = f"{self._prefix}-{len(self.nested) + 1}"
        inner = Told(typed, ident)
        told: Json = {"schema_version": VERSION, "trajectory_id": ident, "agent": {"name": ident, "version": "unknown"}}
        told |= {"steps": inner.steps, **({"subagent_trajectories": inner.nested} if inner.nested else {})}
        self.nested.append(told)
        return {"subagent_trajectory_ref": [{"trajectory_id": ident}]}


def _count(step: Json, told: Json) -> None:
    """Add the tokens of a typed step. In a run from ATIF, they are on the last entry of each step."""
    if type(tokens := step.get("tokens")) is int and told["source"] == "agent":
        told["metrics"] = {"completion_tokens": told.get("metrics", {}).get("completion_tokens", 0) + tokens}


def _is_time(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _put(label: ExportedLabel, told: Told) -> None:
    """Put each unit's scores onto its step. A step may hold several units."""
    for score in scores_of(label):
        step = told.of_units.get(-1 if score.unit is None else score.unit)
        if step is None:
            continue
        kept = step.setdefault("extra", {}).setdefault("stepmark", {"labels": []})["labels"]
        mine = next((one for one in kept if (one["labeler"], one["unit"]) == (label.labeler, score.unit)), None)
        if mine is None or score.name == said.STEP:
            mine = {"id": score.id, "labeler": label.labeler, "unit": score.unit, "marks": []}
            kept.append(mine)
        _say(mine, score, label)


def _say(mine: Json, score: Score, label: ExportedLabel) -> None:
    if score.name != said.STEP:
        mine["marks"].append(MARKS[score.name])
        return
    mine["rating"] = int(score.value)
    if score.unit == label.verdict:
        mine["marks"].append("first_error")
    if score.explanation:
        mine["explanation"] = score.explanation


def _of_run(label: ExportedLabel, told: Told) -> Json:
    first = next(score for score in (*scores_of(label), None) if score is None or score.name == said.FIRST_ERROR)
    step = told.of_units.get(label.verdict) if label.verdict is not None else None
    return {
        "id": first.id if first else None,
        "labeler": label.labeler,
        "submitted_at": label.submitted_at.isoformat(),
        "finish_reason": label.finish_reason,
        "first_error_step_id": step and step["step_id"],
        "run": label.run_marks,
    }


def _onto_originals(format: str, file_name: str) -> bytes:
    return Path(stepmark_atif.__file__).read_bytes()


FORMAT = ExportFormat(
    name="atif",
    title="ATIF trajectories",
    kind="home",
    means="Runs as ATIF 1.7 trajectories, with every label of a step in its extra.stepmark.",
    loses="Images, prices, log probabilities, prompt tokens and ids of sub-agents inside a run (the companion keeps"
    " them in the recorder's own file); traces that are not runs.",
    group="trace",
    switches=said.SWITCHES,
    columns={
        **dict.fromkeys(("schema_version", "session_id", "trajectory_id", "continued_trajectory_ref"), TEXT),
        FURTHER_KEYS: TEXT,
    },
    rows=_rows,
    remarks=True,
    fixed_because=said.FIXED,
    companions=(
        Companion(
            "stepmark_atif.py",
            "Adds the labels to the trajectories that the recorder wrote. One file without dependencies.",
            _onto_originals,
        ),
    ),
)
