"""PRM800K as an import format; `labeling.formats.prm800k` turns rows into records and back."""

from labeling.formats.imports.import_format import ImportFormat, Json
from labeling.formats.prm800k import parse


def _marks(row: Json) -> int:
    return 3 if "question" in row and isinstance(row.get("label"), dict) else 0


FORMAT = ImportFormat(
    name="prm800k",
    title="PRM800K",
    means="OpenAI's rows with their labels, kept without loss.",
    looks_like="`question` with the problem and its steps, `label` with a rating for each completion.",
    leaves="Nothing.",
    sniff=_marks,
    read=parse,
    problem_field="question.problem",
)
