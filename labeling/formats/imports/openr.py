"""OpenR's process labels: `{question, process, labels[]}`, with all steps in one text that marks each end with ки."""

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import read_renamed
from labeling.formats.imports.tagged import TAG, final_answer_of, parts_of, steps_of


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks, or every fault."""
    field = "labels" if "labels" in row else "label"
    parts, rest = parts_of(row["process"]) if isinstance(row.get("process"), str) else ([], "")
    if not parts or rest.strip():
        do = f"`process` is the solution as one text. End each step, including the last, with {TAG}."
        return None, [Fault("no_tag", line, "process", shown(row.get("process")), do)]
    told = {**row, "process": steps_of(parts)}
    given = {"final_answer": final_answer_of(parts)}
    names = {"problem": "question", "steps": "process"}
    return marked(read_renamed(told, line, names, used=[field], given=given), row.get(field), line, field)


def _marks(row: Json) -> int:
    told = isinstance(row.get("process"), str) and TAG in row["process"]
    return 3 if told and "question" in row and {"label", "labels"} & row.keys() else 0


FORMAT = ImportFormat(
    name="openr",
    title="OpenR",
    means="A question, its solution as one text whose steps end in ки, and a 1 or 0 for each step.",
    looks_like="`question`, `process` with ки, and `labels`.",
    leaves="`Step 1: ` before the steps if all are numbered like this; white space around steps.",
    sniff=_marks,
    read=parse,
    marks_by="OpenR",
    problem_field="question",
)
