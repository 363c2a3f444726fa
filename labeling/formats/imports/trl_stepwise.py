"""TRL's stepwise supervision: `{prompt, completions[], labels[]}`, a true or false for each completion."""

from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import read_renamed

NAMES = {"problem": "prompt", "steps": "completions"}


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks, or every fault."""
    return marked(read_renamed(row, line, NAMES, used=["labels"]), row.get("labels"), line, "labels")


def _marks(row: Json) -> int:
    return 3 if {"prompt", "completions", "labels"} <= row.keys() and isinstance(row["completions"], list) else 0


FORMAT = ImportFormat(
    name="trl_stepwise",
    title="TRL stepwise supervision",
    means="A problem, its steps, and whether each is right: what TRL's PRMTrainer reads.",
    looks_like="`prompt`, `completions` and `labels`.",
    leaves="Nothing: further keys are kept. Chat messages in place of texts are faults.",
    sniff=_marks,
    read=parse,
    problem_field="prompt",
)
