"""Public sets of runs whose steps somebody judged. Their judgements become the traces' recorded verdicts."""

import re
from typing import Any

import orjson

from labeling.formats.imports.agents.run import NoRun, Run, first_task, run_format
from labeling.formats.imports.agents.spans import span_run
from labeling.formats.imports.agents.turns import steps_of_messages
from labeling.formats.typed_steps import AGENT

Json = dict[str, Any]
PLACE = re.compile("[0-9]{1,9}")  # position of a message or step in its list


def _process_bench_marks(row: Json) -> int:
    return 8 if isinstance(row.get("messages"), list) and isinstance(row.get("step_labels"), dict) else 0


def _process_bench(row: Json) -> Run:
    steps = steps_of_messages(row["messages"], "agentprocessbench")
    turns = {step["turn"] for step in steps if step["actor"] == AGENT}
    for place, message in enumerate(row["messages"]):
        if message.get("role") == "assistant" and place not in turns:  # an empty one is rated too
            empty = {"kind": "message", "actor": AGENT, "text": "", "turn": place}
            steps.append({**empty, "source_ref": {"format": "agentprocessbench", "message_index": place}})
    steps.sort(key=lambda step: step["turn"])
    ratings = {}
    for key, rating in row["step_labels"].items():
        if (
            not PLACE.fullmatch(key)
            or int(key) >= len(row["messages"])
            or row["messages"][int(key)].get("role") != "assistant"
        ):
            do = "Name messages of the assistant by their positions, counted from 0."
            raise NoRun(f"step_labels.{key}", key, do, "no_such_step")
        if rating not in (-1, 0, 1):
            raise NoRun(f"step_labels.{key}", rating, "A rating is -1, 0 or 1.", "bad_rating")
        ratings[int(key)] = rating
    target = (row.get("ground_truth") or {}).get("target") if isinstance(row.get("ground_truth"), dict) else None
    final = row.get("final_label")
    return Run(
        task=str(row.get("question") or first_task(steps)),
        steps=steps,
        problem_id=f"{row.get('data_source', '')}/{row.get('query_index', '')}",
        source="AgentProcessBench",
        answer=str(target[0]) if isinstance(target, list) and target else None,
        final_answer=row.get("answer_text") if isinstance(row.get("answer_text"), str) else None,
        outcome={1: "correct", -1: "wrong"}.get(final or 0, "ungraded"),
        ratings=ratings,
        ended={1: "success", -1: "failure"}.get(final or 0, ""),
        metadata={
            "total_index": row.get("total_index"),
            "query_index": row.get("query_index"),
            "sample_index": row.get("sample_index"),
            "tools": row.get("tools"),
        },
    )


AGENT_PROCESS_BENCH = run_format(
    _process_bench,
    name="agentprocessbench",
    title="AgentProcessBench",
    means="Runs with a human rating of every message of the agent: recorded verdicts.",
    looks_like="`messages` and `step_labels` by message.",
    sniff=_process_bench_marks,
)


def _who_marks(row: Json) -> int:
    return 8 if isinstance(row.get("history"), list) and "mistake_step" in row else 0


def _who(row: Json) -> Run:
    """Read a run of several named agents. One step is the decisive mistake, given as a text that counts from 0."""
    steps: list[Json] = []
    people = {"human", "user"}
    for place, said in enumerate(row["history"]):
        name = str(said.get("name") or said.get("role") or "")
        actor = "user" if name.lower() in people else ("tool" if "terminal" in name.lower() else AGENT)
        kind = "observation" if actor == "tool" else "message"
        step = {"kind": kind, "actor": actor, "text": str(said.get("content") or ""), "name": name, "turn": place}
        steps.append({**step, "source_ref": {"format": "who_and_when", "message_index": place}})
    mistake = str(row["mistake_step"]).strip()
    if not PLACE.fullmatch(mistake) or int(mistake) >= len(steps):
        do = f"Give the decisive step as a number from 0 to {len(steps) - 1}."
        raise NoRun("mistake_step", mistake, do, "no_such_step")
    steps[int(mistake)]["actor"] = AGENT
    steps[int(mistake)]["kind"] = "message"
    right = row.get("is_correct", row.get("is_corrected"))
    return Run(
        task=str(row.get("question") or first_task(steps)),
        steps=steps,
        problem_id=str(row.get("question_ID") or ""),
        source="Who&When",
        answer=None if row.get("ground_truth") is None else str(row["ground_truth"]),
        outcome="correct" if right is True else "wrong",
        decisive=int(mistake),
        metadata={name: row.get(name) for name in ("mistake_agent", "mistake_reason", "level")},
    )


WHO_AND_WHEN = run_format(
    _who,
    name="who_and_when",
    title="Who&When",
    means="Runs of several agents with the one mistake that made the run fail: the recorded decisive error.",
    looks_like="`history` and `mistake_step`.",
    sniff=_who_marks,
)


def _trail_marks(row: Json) -> int:
    return 8 if "trace" in row and "labels" in row and isinstance(row["labels"], str | dict) else 0


def _trail(row: Json) -> Run:
    """Read a row whose two columns are JSON as text. Each error names the span where it is."""
    trace, labels = (_object(row[name], name) for name in ("trace", "labels"))
    run = span_run(_spans(trace.get("spans") or []))
    errors = [one for one in labels.get("errors") or () if isinstance(one, dict)]
    turns = {step["source_ref"].get("span_id"): step["turn"] for step in run.steps if step["actor"] == AGENT}
    wrong = [turns[one["location"]] for one in errors if one.get("location") in turns]
    run.source, run.problem_id = "TRAIL", str(trace.get("trace_id") or "")
    run.ratings = dict.fromkeys(wrong, -1)
    run.first_error = min(wrong) if wrong else (-1 if not errors else None)
    run.metadata |= {"trail_errors": errors, "trail_scores": labels.get("scores")}
    return run


def _spans(spans: list[Json]) -> list[Json]:
    """Return a tree of spans as a list."""
    found = []
    for span in spans:
        found += [span, *_spans(span.get("child_spans") or [])]
    return found


def _object(value: Any, name: str) -> Json:
    try:
        found = orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError as error:
        raise NoRun(name, str(error), "This column must hold JSON as text.", "bad_json") from None
    if not isinstance(found, dict):
        raise NoRun(name, found, "This column must hold one JSON object.", "wrong_type")
    return found


TRAIL = run_format(
    _trail,
    name="trail",
    title="TRAIL",
    means="Spans of runs with the errors that people found in them: recorded verdicts, with the errors kept with the"
    " trace.",
    looks_like="`trace` and `labels`, both JSON as text.",
    sniff=_trail_marks,
)
