"""The options of an export: filters, switches, and what its manifest says besides the figures."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from labeling.formats.exports.containers import CONTAINERS, JSON_LINES
from labeling.formats.exports.export_format import ExportFormat, Switch

SPLITS = ("train", "held_out")
AGREEMENTS = ("agrees", "differs")  # tasks that two or more people read
ROLES = {
    "base_model": "Base model",
    "policy_model": "Policy model",
    "orm": "Outcome reward model",
    "prm": "Process reward model",
    "automated_judge": "Automated judge",
    "human_label_source": "Human label source",
    "tool_scaffold": "Tool scaffold",
    "deployment_monitor": "Deployment monitor",
}
STATEMENTS = {
    "process_supervised": "What process was supervised?",
    "labels_produced": "How were the labels produced?",
    "tested_where": "Where was it tested?",
    "failures_remaining": "What failures remain?",
}
UNKNOWN = "unknown"
LISTED_HASHES = 1000
Json = dict[str, Any]


@dataclass(frozen=True)
class ExportConfig:
    """Every option of an export, with defaults for those not given.

    `filters`: rounds (ids), finish (reasons), split, labelers (ids), subjects, agreement, since and until (ISO 8601). A
    missing filter excludes nothing.
    """

    filters: Json
    switches: dict[str, str]
    container: str
    gzip: bool
    roles: dict[str, str]
    statements: dict[str, str]

    @classmethod
    def of(cls, format: ExportFormat, asked: Mapping[str, Any]) -> "ExportConfig":
        """Build a config from what a person asked for, or from what any version of Stepmark stored. `asked` must have
        no faults.

        A switch that is newer than the stored config gets its default. Names that are no longer known are dropped.
        """
        return cls(
            filters={name: value for name, value in (asked.get("filters") or {}).items() if value},
            switches=resolved_switches(format, asked.get("switches") or {}),
            container=asked.get("container") or JSON_LINES.name,
            gzip=bool(asked.get("gzip")),
            roles=_with_unknown(ROLES, asked.get("roles") or {}),
            statements=_with_unknown(STATEMENTS, asked.get("statements") or {}),
        )

    def told_filters(self, ids: Mapping[int, str]) -> Json:
        """Return the filters for publication: labelers by the `ids` that rows of the project use for them."""
        labelers = [ids[one] for one in self.filters.get("labelers", [])]
        return self.filters | ({"labelers": labelers} if labelers else {})

    def roles_with(self, counted: Mapping[str, str]) -> dict[str, str]:
        """Return the roles as stated; for those left unknown, the counted value."""
        return {name: counted.get(name, said) if said == UNKNOWN else said for name, said in self.roles.items()}

    def as_json(self) -> Json:
        """Return the config as it is stored with the export."""
        return asdict(self)


def resolved_switches(format: ExportFormat, asked: Mapping[str, str]) -> dict[str, str]:
    """Return every switch of the format with its value: the one asked for, else the default."""
    return {switch.name: asked.get(switch.name, switch.default) for switch in format.switches}


def switch_faults(format: ExportFormat, asked: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong with the given switches, per switch; empty if nothing is."""
    faults = {}
    for name, value in asked.items():
        switch = format.switch(name)
        if switch is None:
            known = ", ".join(switch.name for switch in format.switches)
            faults[name] = [f"There is no such switch. The switches are {known}."]
        elif value not in switch.values:
            faults[name] = [
                _why_fixed(format, switch) if switch.is_fixed else f"Choose one of {', '.join(switch.values)}."
            ]
    return faults


def _why_fixed(format: ExportFormat, switch: Switch) -> str:
    return switch.fixed_because or format.fixed_because


def container_faults(container: str, *, gzip: bool) -> dict[str, list[str]]:
    """Return what is wrong with the given container; empty if nothing is."""
    if container not in CONTAINERS:
        return {"container": [f"Choose one of {', '.join(CONTAINERS)}."]}
    if gzip and container != JSON_LINES.name:
        return {"gzip": ["A Parquet file is already compressed: export it without gzip."]}
    return {}


def statement_faults(names: Mapping[str, str], said: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong with roles or statements: an unknown name, or a blank ("unknown" is an answer, blank is
    not).
    """
    faults = {}
    for name, value in said.items():
        if name not in names:
            faults[name] = [f"There is no such entry. The entries are {', '.join(names)}."]
        elif not isinstance(value, str) or not value.strip():
            faults[name] = ['Say what it is, or enter "unknown". It cannot be blank.']
    return faults


def _with_unknown(names: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    """Return every role or statement; those not given are "unknown"."""
    return {name: said.get(name, UNKNOWN) for name in names}
