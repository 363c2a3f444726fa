"""Rows of ActivePRM and others for PRMs like Qwen's: `{question, steps[], hard_labels[] | soft_labels[]}`."""

from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked, read_marks
from labeling.formats.imports.renamed import read_renamed

HARD, SOFT = "hard_labels", "soft_labels"


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks (the shares if a row has both), or every fault."""
    name = next((key for key in ("question", "problem", "prompt") if key in row), "question")
    field = SOFT if row.get(SOFT) is not None else HARD
    parsed = read_renamed(row, line, {"problem": name}, used=[HARD, SOFT])
    both = row.get(HARD) if field == SOFT else None
    read, faults = marked(parsed, row.get(field), line, field, shares=field == SOFT)
    if both is not None and read is not None and read.trace is not None:
        faults = read_marks(both, len(read.trace.steps), line, HARD)[1]
        read.trace.metadata[HARD] = both
    return (None, faults) if faults else (read, [])


def _marks(row: Json) -> int:
    return 3 if "steps" in row and (HARD in row or SOFT in row) else 0


FORMAT = ImportFormat(
    name="qwen",
    title="Qwen style",
    means="Question, steps, and a 0 or 1 (`hard_labels`) or a share (`soft_labels`) for each step: ActivePRM's rows.",
    looks_like="`steps`, and `hard_labels` or `soft_labels`.",
    leaves="Nothing. In rows with both, the shares are the marks, and the others are kept with the trace.",
    sniff=_marks,
    read=parse,
    marks_by="Qwen style labels",
    shares_by="Qwen style soft labels",
    problem_field="question",
)
