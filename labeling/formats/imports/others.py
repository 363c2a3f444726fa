"""Third-party formats that are recognised but not read yet. An import names them once per file.

To read one, write a file for it next to this one and remove it from the list.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from labeling.formats.faults import Fault

Json = dict[str, Any]
AS_TRACES = "Write a row for each solution in the format Traces (docs/formats.md): "
FINISHED = "`problem`, `steps` (a list of texts), `step_labels` (1, 0, -1 or null for each)."


class OtherFormat(NamedTuple):
    """A format: its name, the keys by which a row is recognised, what to do, and whether the values fit."""

    name: str
    keys: tuple[str, ...]
    do: str = AS_TRACES + FINISHED
    fits: Callable[[Json], bool] = lambda row: True


def _objects(value: Any, *keys: str) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) and set(keys) <= item.keys() for item in value)


OTHER_FORMATS = (
    OtherFormat("Math-APS (OmegaPRM)", ("question", "reasoning_steps")),
    OtherFormat("ThinkPRM", ("problem", "prefix_steps")),
    OtherFormat("Step-DPO", ("initial_reason_steps", "chosen", "rejected")),
    OtherFormat("preference pairs", ("chosen", "rejected"), "Pairs rate whole answers, not steps: they are not read."),
    OtherFormat("OpenTelemetry spans", ("trace_id", "span_id")),
    OtherFormat("a chat log", ("messages",), fits=lambda row: _objects(row["messages"], "role")),
    OtherFormat("a chat log (ShareGPT)", ("conversations",), fits=lambda row: _objects(row["conversations"])),
    OtherFormat("a chat log", ("traj",), fits=lambda row: _objects(row["traj"], "role")),
    OtherFormat("instructions and outputs (Alpaca)", ("instruction", "output")),
    OtherFormat("rows of verl", ("data_source", "prompt", "reward_model")),
)


def other_format_of(row: Json) -> OtherFormat | None:
    """Return the third-party format of a row, if it is a known one."""
    return next((one for one in OTHER_FORMATS if row.keys() >= set(one.keys) and one.fits(row)), None) or _wrapped(row)


def fault_of(other: OtherFormat, line: int) -> Fault:
    """Return the one fault of a whole file."""
    keys = ", ".join(f"`{key}`" for key in other.keys)
    return Fault("other_format", line, "", f"{other.name}: {keys}", f"{other.do} The rest of the file was not read.")


def _wrapped(row: Json) -> OtherFormat | None:
    """Recognise rows inside one object, as a list or column by column."""
    for key, value in row.items():
        if len(row) <= 5 and (_objects(value, "problem") or _objects(value, "question")):
            do = f"Give only the rows: jq -c '.{key}[]' FILE > rows.jsonl"
            return OtherFormat("rows inside one object", (key,), do)
    column = row.get("problem", row.get("question"))
    if isinstance(column, dict) and "0" in column:
        do = "Write one object per row: in pandas, use orient='records', lines=True."
        return OtherFormat("columns instead of rows", tuple(row)[:5], do)
    return None
