"""What an export may be asked for: switches, and the manifest that ships with the file (PROTOCOL, other formats)."""

from collections.abc import Mapping
from typing import Any

EXPORT_FORMATS = ("prm800k", "neutral")
FINISH_REASONS = ("found_error", "solution", "bad_problem", "give_up")
SPLITS = ("train", "held_out")
SWITCHES: dict[str, tuple[str, ...]] = {
    "neutral": ("keep3", "positive", "negative", "drop"),
    "after_error": ("keep_unlabelled", "truncate", "fill_negative"),
    "alternatives": ("none", "rows"),
    "human_steps": ("include", "exclude"),
    "gold": ("exclude", "include"),
    "surplus": ("include", "exclude"),
    "aggregate": ("each", "adjudicated"),
}
# PRM800K rows carry every rating, every alternative and their own gold flags: there is nothing to switch off.
FIXED_FOR_PRM800K = {
    "neutral": "keep3",
    "after_error": "keep_unlabelled",
    "alternatives": "rows",
    "human_steps": "include",
    "aggregate": "each",
}
ROLES = (
    "base_model",
    "policy_model",
    "orm",
    "prm",
    "automated_judge",
    "human_label_source",
    "tool_scaffold",
    "deployment_monitor",
)
STATEMENTS = ("process_supervised", "labels_produced", "tested_where", "failures_remaining")
UNKNOWN = "unknown"
LISTED_HASHES = 1000


def resolved_switches(format: str, asked: Mapping[str, str]) -> dict[str, str]:
    """Every switch with its value: what was asked for, else the format's default. `asked` must have no faults."""
    switches = {name: values[0] for name, values in SWITCHES.items()}
    if format == "prm800k":
        switches |= FIXED_FOR_PRM800K | {"gold": "include"}
    return switches | dict(asked)


def switch_faults(format: str, asked: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is wrong with the switches asked for, per switch; empty where nothing is."""
    faults = {}
    for name, value in asked.items():
        allowed = SWITCHES.get(name)
        if allowed is None:
            faults[name] = [f"There is no such switch. The switches are {', '.join(SWITCHES)}."]
        elif format == "prm800k" and name in FIXED_FOR_PRM800K:
            if value != FIXED_FOR_PRM800K[name]:
                faults[name] = ["prm800k rows carry everything: leave this switch out, or export as neutral."]
        elif value not in allowed:
            faults[name] = [f"Choose one of {', '.join(allowed)}."]
    return faults


def statement_faults(names: tuple[str, ...], said: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is wrong with roles or statements: an unknown name, or a blank ("unknown" is an answer, blank is none)."""
    faults = {}
    for name, value in said.items():
        if name not in names:
            faults[name] = [f"There is no such entry. The entries are {', '.join(names)}."]
        elif not isinstance(value, str) or not value.strip():
            faults[name] = ['Say what it is, or "unknown"; blank is not accepted.']
    return faults


def with_unknown(names: tuple[str, ...], said: Mapping[str, str]) -> dict[str, str]:
    """Every role or statement; what was not said is "unknown"."""
    return {name: said.get(name, UNKNOWN) for name in names}
