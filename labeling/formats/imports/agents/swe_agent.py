"""SWE-agent's `.traj` files, current and older ones. Demonstrations in them are skipped."""

from typing import Any

from labeling.formats.imports.agents.run import NoRun, Run, run_format
from labeling.formats.imports.agents.turns import steps_of_messages
from labeling.formats.typed_steps import AGENT, kind_of_call

Json = dict[str, Any]


def _marks(row: Json) -> int:
    history = row.get("history")
    if not isinstance(history, list) or not history or not isinstance(history[0], dict):
        return 0
    return 6 if "agent" in history[0] or "trajectory" in row or "message_type" in history[0] else 0


def _run(row: Json) -> Run:
    history = row["history"]
    info = row.get("info") or {}
    kept = [(place, one) for place, one in enumerate(history) if not one.get("is_demo")]
    if not kept:
        raise NoRun("history", "demonstrations only", "Choose the file of a run: all entries here are `is_demo`.")
    steps: list[Json] = []
    for place, entry in kept:
        steps += _entry(entry, place)
    times = [one.get("execution_time") for one in row.get("trajectory") or ()]
    _set_times(steps, times)
    config = row.get("replay_config") or {}
    statement = (config.get("problem_statement") or {}) if isinstance(config, dict) else {}
    return Run(
        task=str(statement.get("text") or _task(steps)),
        steps=steps,
        problem_id=str(statement.get("id") or ""),
        source="swe_agent",
        metadata={
            "environment": row.get("environment"),
            "exit_status": info.get("exit_status"),
            "submission": info.get("submission"),
            "model_stats": info.get("model_stats"),
        },
    )


def _entry(entry: Json, place: int) -> list[Json]:
    """Return the steps of an entry. Older files have no tool calls: the action is next to the thought, the result is a
    message of a user.
    """
    ref = {"format": "swe_agent", "message_index": place}
    action = entry.get("action")
    if entry.get("role") == "assistant" and isinstance(action, str) and not entry.get("tool_calls"):
        said = {"kind": "thought", "actor": AGENT, "text": str(entry.get("thought") or "")}
        tool = (action.split() or ["submit"])[0]
        call = {"kind": kind_of_call(tool, action), "actor": AGENT, "text": "", "tool": tool, "arguments": action}
        found = [said, call] if said["text"].strip() else [call]
        return [{**step, "turn": place, "source_ref": ref} for step in found]
    return steps_of_messages([entry], "swe_agent", at=place)


def _task(steps: list[Json]) -> str:
    return next((step["text"] for step in steps if step["actor"] == "user"), "")


def _set_times(steps: list[Json], seconds: list[Any]) -> None:
    """Set how long each action took. A user's message directly after a call is the call's result."""
    called, number, waiting = False, -1, None
    for step in steps:
        if step["actor"] == AGENT and "tool" in step:
            number, called, waiting = number + 1, True, step
            if number < len(seconds) and isinstance(seconds[number], int | float):
                step["seconds"] = seconds[number]
        elif step["actor"] == "user" and called and waiting is not None:
            step.update(kind="observation", actor="tool")
            if waiting.get("call_id"):
                step["call_id"] = waiting["call_id"]
            called = False
        elif step["actor"] == "tool":
            called = False


SWE_AGENT = run_format(
    _run,
    name="swe_agent",
    title="SWE-agent trajectories",
    means="`.traj` files: thoughts, commands and their output. Edits and test runs are recognised.",
    looks_like="`history` with roles and agents, usually with `trajectory` and `info` as well.",
    sniff=_marks,
)
