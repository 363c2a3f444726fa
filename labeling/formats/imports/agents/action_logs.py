"""Logs of actions, of robots or of agents in a browser: actions, each followed by what was seen."""

from typing import Any

from labeling.formats.imports.agents.pictures import is_picture, pictures_in, table_of
from labeling.formats.imports.agents.run import NoRun, Run, run_format
from labeling.formats.imports.agents.turns import as_text, call_step
from labeling.formats.typed_steps import AGENT, kind_of_call

Json = dict[str, Any]
TASKS = ("task", "goal", "instruction", "intent", "question")
LISTS = ("steps", "actions", "log", "trajectory")
SEEN = ("image", "images", "screenshot", "table", "text", "content")
THOUGHTS = ("thought", "reasoning", "think")


def _log(row: Json) -> list[Json] | None:
    for name in LISTS:
        found = row.get(name)
        if isinstance(found, list) and all(isinstance(one, dict) for one in found) and _acts(found):
            return found
    return None


def _acts(log: list[Json]) -> bool:
    return any("action" in one for one in log) and any("observation" in one for one in log)


def _marks(row: Json) -> int:
    if _log(row) is None or "history" in row or "schema_version" in row:
        return 0
    return 6 if any(isinstance(row.get(name), str) for name in TASKS) else 4


def _run(row: Json) -> Run:
    log = _log(row)
    if log is None:
        raise NoRun("steps", list(row), "Give `steps`: a list of objects with action and observation.")
    steps: list[Json] = []
    if "observation" in row:
        steps += _observed(row["observation"], {}, -1)
    for place, entry in enumerate(log):
        steps += _entry(entry, place)
    success = row.get("success")
    return Run(
        task=next((row[name] for name in TASKS if isinstance(row.get(name), str)), ""),
        steps=steps,
        problem_id=str(row.get("id") or row.get("task_id") or row.get("episode_id") or ""),
        source=str(row.get("source") or "action_log"),
        generator=str(row.get("model") or row.get("policy") or ""),
        outcome={True: "correct", False: "wrong"}.get(success, "ungraded") if isinstance(success, bool) else "ungraded",
        metadata={name: row.get(name) for name in ("environment", "reward", "embodiment", "site")},
    )


def _entry(entry: Json, place: int) -> list[Json]:
    found: list[Json] = []
    for name in THOUGHTS:
        if isinstance(entry.get(name), str) and entry[name].strip():
            found.append({"kind": "thought", "actor": AGENT, "text": entry[name]})
            break
    if entry.get("action") not in (None, ""):
        found.append(_action(entry["action"], place))
    about: Json = {"turn": place, "source_ref": {"format": "action_log", "step_id": place}}
    for step in found:
        step.update(about)
        if isinstance(entry.get("timestamp"), str):
            step["t_start"] = entry["timestamp"]
    seconds = entry.get("seconds", entry.get("duration"))
    if found and type(seconds) in (int, float):
        found[-1]["seconds"] = seconds
    if "observation" in entry:
        found += _observed(entry["observation"], entry, place)
    return found


def _action(action: Any, place: int) -> Json:
    """Return an action as a call by name and arguments. If the action is a text, its first word is the tool."""
    ident = {"call_id": f"action-{place}"}
    if isinstance(action, dict):
        named = {"name": action.get("name") or action.get("type") or action.get("tool") or "act"}
        given = action.get("arguments", action.get("args", action.get("parameters")))
        if given is None:
            given = {name: value for name, value in action.items() if name not in ("name", "type", "tool")}
        return {**call_step({**named, "arguments": given}), **ident}
    text = action if isinstance(action, str) else as_text(action)
    tool = next(iter(text.replace("(", " ").split()), "act")
    about = {"kind": kind_of_call(tool, text), "actor": AGENT, "text": "", "tool": tool, "arguments": text}
    return about | ident


def _observed(seen: Any, entry: Json, place: int) -> list[Json]:
    """Return what was seen as steps: a text, parts, or an object with text, image and table."""
    step: Json = {"kind": "observation", "actor": "tool", "turn": place}
    step["source_ref"] = {"format": "action_log", "step_id": place}
    if place >= 0:
        step["call_id"] = f"action-{place}"
    if isinstance(seen, dict) and not is_picture(seen) and set(seen) & set(SEEN):
        given = seen.get("images") or [seen[name] for name in ("image", "screenshot") if name in seen]
        parts = [{"type": "image", "image": one} for one in (given if isinstance(given, list) else [given])]
        step["text"] = as_text(seen.get("text", seen.get("content")))
        rest = {name: value for name, value in seen.items() if name not in SEEN}
        if rest:
            step["text"] = f"{step['text']}\n{as_text(rest)}".strip()
        step["pictures"] = pictures_in(parts)
        if not step["pictures"] and parts:
            step["text"] = f"{step['text']}\n[image, not in this file]".strip()
        if (table := table_of(seen.get("table"))) is not None:
            step["table"] = table
    else:
        step |= {"text": as_text(seen), "pictures": pictures_in(seen)}
    if entry.get("error") or entry.get("is_error") is True:
        step["is_error"] = True
        if isinstance(entry.get("error"), str):
            step["text"] = f"{entry['error']}\n{step['text']}".strip()
    return [step]


ACTION_LOG = run_format(
    _run,
    name="action_log",
    title="Logs of actions",
    means="Runs of robots and of agents in a browser: each action, then what was seen, as text, picture or table.",
    looks_like="`steps` (or `actions`) with `action` and `observation`, and `task`.",
    sniff=_marks,
)
