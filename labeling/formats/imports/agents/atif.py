"""ATIF, Harbor's trajectory format, up to version 1.7 (its rfcs/0001-trajectory-format.md)."""

from typing import Any

from labeling.formats.imports.agents.pictures import pictures_in
from labeling.formats.imports.agents.run import NoRun, Run, first_task, run_format
from labeling.formats.imports.agents.told_before import known_before, task_before, told_before
from labeling.formats.imports.agents.turns import as_text, call_step
from labeling.formats.typed_steps import AGENT, AS_GIVEN

Json = dict[str, Any]
NEWEST = (1, 7)
ACTORS = {"user": "user", "system": "system", "agent": AGENT}
DEEPEST = 3  # levels of sub-agents within one trace; each also has its own trace, which shows three more levels


class _SubAgents:
    """The runs inside a trajectory that its observations may refer to. Each is shown once, however often it is
    named."""

    def __init__(self, row: Json, depth: int = 1) -> None:
        self.depth = depth
        self.waiting = {
            one.get("trajectory_id") or one.get("session_id"): one
            for one in row.get("subagent_trajectories") or ()
            if isinstance(one, dict)
        }
        self.known = set(self.waiting)

    def told(self, ref: Any) -> tuple[list[Json], str]:
        """Return the steps of the run that `ref` names, or the reason why they are not shown here."""
        name = (ref.get("trajectory_id") or ref.get("session_id")) if isinstance(ref, dict) else None
        if name not in self.known:
            return [], MISSING
        if self.depth > DEEPEST:
            return [], "[a sub-agent's run, which is a trace of its own]"
        run = self.waiting.pop(name, None)
        if run is None:
            return [], "[a sub-agent's run, which is told before]"
        return _steps(run["steps"], _SubAgents(run, self.depth + 1)), ""


MISSING = "[a sub-agent's run, which is not in this file]"


def _marks(row: Json) -> int:
    version = str(row.get("schema_version", ""))
    return 8 if version.upper().startswith("ATIF") and isinstance(row.get("steps"), list) else 0


def _run(row: Json) -> Run:
    _require_known(str(row["schema_version"]))
    steps = _steps(row["steps"], _SubAgents(row))
    agent, known = row.get("agent") or {}, known_before(row)
    return Run(
        task_before(row) or first_task(steps),
        steps,
        str(row.get("trajectory_id") or row.get("session_id") or ""),
        known["source"] or "atif",
        str(agent.get("model_name") or agent.get("name") or ""),
        answer=known["ground_truth_answer"] or None,
        final_answer=known["final_answer"] or None,
        outcome=known["outcome"] or "ungraded",
        metadata={
            "atif": {
                name: row.get(name)
                for name in ("schema_version", "session_id", "trajectory_id", "final_metrics", "notes")
                if row.get(name) is not None
            }
            | ({"agent": {name: agent[name] for name in ("name", "version") if name in agent}} if agent else {}),
            "tools": agent.get("tool_definitions"),
            "continued_in": row.get("continued_trajectory_ref"),
            "sub_agent_of": row.get("stepmark_parent"),
        },
    )


def _require_known(version: str) -> None:
    numbers = version.lower().removeprefix("atif-").removeprefix("v").split(".")
    try:
        known = tuple(int(one) for one in numbers[:2]) <= NEWEST
    except ValueError:
        known = False
    if not known:
        do = "This version of Stepmark reads ATIF up to 1.7. Write the run in that version."
        raise NoRun("schema_version", version, do, "newer_format")


def _steps(steps: list[Json], agents: _SubAgents) -> list[Json]:
    found: list[Json] = []
    for place, step in enumerate(steps):
        actor = ACTORS.get(str(step.get("source")), "user")
        for typed in _typed(step, actor, f"steps[{place}]", agents):
            typed["turn"] = step.get("step_id", place + 1)
            typed["source_ref"] = {"format": "atif", "step_id": step.get("step_id", place + 1)}
            if isinstance(step.get("timestamp"), str):
                typed["t_start"] = step["timestamp"]
            if step.get("is_copied_context"):
                typed["copied"] = True
            found.append(typed)
        if found and actor == AGENT and isinstance(metrics := step.get("metrics"), dict):
            found[-1]["tokens"] = metrics.get("completion_tokens")
    return found


def _typed(step: Json, actor: str, place: str, agents: _SubAgents) -> list[Json]:
    found: list[Json] = []
    if thought := step.get("reasoning_content"):
        found.append({"kind": "thought", "actor": actor, "text": as_text(thought)})
    message = as_text(step.get("message"))
    if message.strip() or not (found or step.get("tool_calls") or step.get("observation")):
        said = {"kind": "system" if actor == "system" else "message", "actor": actor, "text": message}
        found.append({**said, "pictures": pictures_in(step.get("message"))})
    ids = set()
    for call in step.get("tool_calls") or ():
        given = call.get("arguments")
        given = given[AS_GIVEN] if isinstance(given, dict) and list(given) == [AS_GIVEN] else given
        about = {"id": call.get("tool_call_id"), "name": call.get("function_name"), "arguments": given}
        found.append(call_step({**call, **about}))
        ids.add(call.get("tool_call_id"))
    for number, result in enumerate((step.get("observation") or {}).get("results") or ()):
        ident = result.get("source_call_id")
        if ident is not None and ident not in ids:
            do = "An observation must answer a call of its own step: correct `source_call_id`, or leave it out."
            raise NoRun(f"{place}.observation.results[{number}].source_call_id", ident, do, "no_such_call")
        found.append(_observation(result, ident, agents))
    return found


def _observation(result: Json, ident: Any, agents: _SubAgents) -> Json:
    content = result.get("content")
    typed: Json = {"kind": "observation", "actor": "tool", "text": as_text(content), "pictures": pictures_in(content)}
    if ident:
        typed["call_id"] = ident
    if typed["text"].endswith(MISSING):  # as Stepmark's own export writes it
        typed["cut"] = True
    refs = result.get("subagent_trajectory_ref") or []
    refs = refs if isinstance(refs, list) else [refs]
    told = [agents.told(ref) for ref in refs]
    if inner := [step for steps, _ in told for step in steps]:
        typed["nested"] = inner
    for why_not in dict.fromkeys(why_not for _, why_not in told if why_not):
        typed["text"] = f"{typed['text']}\n{why_not}".strip()
        typed |= {"cut": True} if why_not == MISSING else {}
    return typed


ATIF = run_format(
    _run,
    told_before,
    inner_have_rows=True,
    name="atif",
    title="ATIF",
    means="Trajectories of Harbor and other tools that write its format, up to ATIF 1.7. Sub-agents are traces of"
    " their own. Labels that Stepmark's export added become recorded verdicts.",
    looks_like="`schema_version` ATIF-v1.… and `steps`.",
    sniff=_marks,
)
