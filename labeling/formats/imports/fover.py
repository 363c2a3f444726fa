"""FoVer: steps that a prover or solver checked. Despite the name `error_labels`, true means right."""

from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import read_renamed


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks, or every fault."""
    names = {"steps": "solution_steps", "problem_id": "id", "source": "base_dataset"}
    parsed = read_renamed(row, line, names, used=["error_labels", "messages"])
    return marked(parsed, row.get("error_labels"), line, "error_labels")


def _marks(row: Json) -> int:
    return 3 if {"solution_steps", "error_labels"} <= row.keys() else 0


FORMAT = ImportFormat(
    name="fover",
    title="FoVer",
    means="Steps that a prover or solver checked: true means right, despite the key's name.",
    looks_like="`problem`, `solution_steps` and `error_labels`.",
    leaves="`messages`, which is the same as a chat. If a trace says nothing about the steps before a refuted one, it"
    " names no first error.",
    sniff=_marks,
    read=parse,
    marks_by="FoVer",
    formal=True,
)
