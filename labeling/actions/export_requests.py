"""What an export may be asked for: format, filters, switches, container and texts."""

from datetime import datetime
from typing import Any

from labeling import queries
from labeling.errors import InvalidFields
from labeling.formats.export_config import (
    ROLES,
    STATEMENTS,
    ExportConfig,
    container_faults,
    statement_faults,
    switch_faults,
)
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import JSON_LINES
from labeling.models import Project

Json = dict[str, Any]


def config_asked(
    project: Project, format: str, filters: Json | None, switches: dict[str, str] | None, **about: Any
) -> ExportConfig:
    """Return the config of the requested export. Raises InvalidFields with everything that is wrong with it."""
    if format not in EXPORT_FORMATS:
        raise InvalidFields(fields={"format": [f"Choose one of {', '.join(EXPORT_FORMATS)}."]})
    asked: Json = {"filters": filters, "switches": switches, **about}
    faults = switch_faults(EXPORT_FORMATS[format], switches or {})
    faults |= statement_faults(ROLES, about.get("roles") or {})
    faults |= statement_faults(STATEMENTS, about.get("statements") or {})
    faults |= container_faults(about.get("container", JSON_LINES.name), gzip=about.get("gzip", False))
    faults |= _filter_faults(project, filters or {})
    if faults:
        raise InvalidFields(fields=faults)
    return ExportConfig.of(EXPORT_FORMATS[format], asked)


def _filter_faults(project: Project, filters: Json) -> dict[str, list[str]]:
    rounds, labelers = filters.get("rounds") or [], filters.get("labelers") or []
    known = set(project.rounds.filter(pk__in=rounds).values_list("pk", flat=True))
    people = queries.exports.labelers_among(project, labelers) if labelers else set()
    faults = []
    if unknown := [str(one) for one in rounds if one not in known]:
        faults.append(f"The project has no round with the id {', '.join(unknown)}.")
    if unknown := [str(one) for one in labelers if one not in people]:
        faults.append(f"The project has no label of anybody with the id {', '.join(unknown)}.")
    subjects = filters.get("subjects") or []
    of_problems = queries.exports.subjects_among(project, subjects) if subjects else set()
    if missing := [one for one in subjects if one not in of_problems]:
        faults.append(f"The project has no problem of the subject {', '.join(missing)}.")
    since, until = filters.get("since"), filters.get("until")
    if since and until and datetime.fromisoformat(since) >= datetime.fromisoformat(until):
        faults.append("Choose an `until` that is later than `since`: nothing lies between them.")
    return {"filters": faults} if faults else {}
