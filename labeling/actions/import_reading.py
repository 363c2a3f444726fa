"""How the rows of one import are read: in which format, for which split, as gold, as labels, as whose marks."""

from typing import Any, NamedTuple

from django.conf import settings

from labeling.actions.imported_marks import StagedMarks, staged_marks
from labeling.errors import InvalidFields
from labeling.formats.benchmarks import SplitChoice
from labeling.formats.detection import format_of, not_ours
from labeling.formats.faults import Fault
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.agents.run import in_rated_units
from labeling.formats.imports.columns import mapped_format, mapping_faults
from labeling.formats.imports.decoded import decoded_faults
from labeling.formats.imports.import_format import ImportFormat, ParsedAll
from labeling.formats.imports.marks import as_marks, as_recorded
from labeling.formats.own_labels import is_alternative, own_label, says_no_verdict
from labeling.formats.reading import faults_of_extras
from labeling.formats.recorded_labels import contradictions, recorded_label
from labeling.formats.records import ParsedRow
from labeling.formats.redaction import Redaction
from labeling.models import ImportJob
from labeling.protocol.verdicts import recorded_verdict
from labeling.queries.imports import head_rows, known_beginning

Json = dict[str, Any]
HEAD_ROWS = 10
HEAD_BYTES = 200_000


class Read(NamedTuple):
    """One trace of a row, and its marks if they are a machine's."""

    row: ParsedRow
    marks: StagedMarks | None = None


def asked_format(job: ImportJob) -> ImportFormat | None:
    """Return the format that was chosen, or described by a mapping. None: the first row decides."""
    return mapped_format(job.mapping) if job.mapping else IMPORT_FORMATS.get(job.format)


class Reading:
    """The rows of an import, one after another."""

    def __init__(self, job: ImportJob) -> None:
        """Read as the import asks. Its format may have to be detected from the first row."""
        self.job, self.rows, self.without_label, self.recorded = job, 0, 0, 0
        self.asked = asked_format(job)
        self.format: ImportFormat | None = None
        self.split = SplitChoice(job.split, job.file_name)
        self.unit = job.project.rated_unit
        self.redaction = Redaction(settings.REDACTION_PATTERNS)
        self.head: list[Json] = []
        self.head_bytes = 0

    @property
    def asks_for_problems(self) -> bool:
        """Whether rows are read using the project's problems, so that none may be merged before all are read."""
        return self.format is not None and self.format.joined is not None

    def without_secrets(self, row: Json) -> Json:
        """Return the row as it may be stored: for an agent's run, without keys, tokens and addresses."""
        if not (self.format or self.asked or format_of(row)).runs:
            return row
        clean: Json = self.redaction.value(row)
        return clean

    def keep(self, row: Json, line: int, size: int) -> None:
        """Keep one of the first rows, for viewing and mapping. Skips rows that are deep or huge."""
        fits = len(self.head) < HEAD_ROWS and self.head_bytes + size <= HEAD_BYTES
        if fits and not faults_of_extras(row, line):
            self.head.append({"line": line, "names": list(row), "row": row})  # the database sorts keys
            self.head_bytes += size

    @property
    def has_head(self) -> bool:
        """Whether enough of the first rows have been kept or seen."""
        return self.rows >= HEAD_ROWS

    def refuses(self, row: Json, line: int) -> Fault | None:
        """Return the one fault of a file in a foreign format, judged by its first row."""
        return not_ours(row, line, self.asked) if self.format is None else None

    def parse(self, row: Json, line: int) -> tuple[list[Read], list[Fault]]:
        """Return the records of a row, or none and every fault in it."""
        if self.format is None:
            self.format = self.asked or format_of(row)
            self.job.format = self.format.name
        text = self.format.joined(row) if self.format.joined else None
        if text and (problem := known_beginning(self.job.project_id, text)):
            row = {**row, "problem": problem}
        parsed, faults = self.format.parse(row, line, asked=self.asked is not None)
        if decoded := [fault for one in parsed if self._holds_json(one) for fault in decoded_faults(one, line)]:
            return [], [*faults, *decoded]
        read = []
        for one in parsed:
            done, found = self._asked_for(self.split.place(in_rated_units(one, self.unit), row, self.format), line)
            faults += found
            read.append(done)
        return ([], faults) if faults else (read, [])

    def _holds_json(self, parsed: ParsedRow) -> bool:
        """Return whether parts of it may have been JSON inside a text in the row."""
        return bool(self.job.mapping or (parsed.trace is not None and parsed.trace.typed is not None))

    def _asked_for(self, parsed: ParsedRow, line: int) -> tuple[Read, list[Fault]]:
        parsed, source, faults = self._whose(parsed, line)
        if self.job.as_gold:
            faults = [*faults, *_gold_faults(parsed, line)]
        if self.job.labels_of:
            parsed, found = self._labeled(parsed, line)
            faults = [*faults, *found]
        elif parsed.label is None and parsed.trace is not None and not self.job.as_gold:
            self.recorded += parsed.trace.recorded_first_error is not None or bool(parsed.trace.recorded_ratings)
        if faults or parsed.marks is None or self.format is None:
            return Read(parsed), faults
        about = {"format": self.format.name, "import": self.job.pk, "file": self.job.file_name, "line": line}
        return Read(parsed, staged_marks(parsed.marks, source, about, formal=self.format.formal)), []

    def _whose(self, parsed: ParsedRow, line: int) -> tuple[ParsedRow, str, list[Fault]]:
        """Return the row with its marks as those of a named source, or as recorded by the file."""
        source = self.job.marks_of or (self.format.named_source(parsed.marks) if self.format else "")
        if self.job.marks_of:
            parsed = as_marks(parsed)
        if parsed.marks is None or (source and not self.job.labels_of and not self.job.as_gold):
            return parsed, source, []
        if parsed.marks.shares:
            return parsed, "", [_no_rating(parsed.marks.field, line)]
        return as_recorded(parsed), "", []

    def _labeled(self, parsed: ParsedRow, line: int) -> tuple[ParsedRow, list[Fault]]:
        """Return the row with what it says about its steps as a label. An own label is the better one."""
        if parsed.trace is None or parsed.label is not None:
            return parsed, []
        if not is_alternative(parsed.trace) and (faults := contradictions(parsed.trace, line)):
            return parsed, faults
        own, faults = own_label(parsed.trace, self.job.labels_of, line)
        if own is not None and own.alternative is not None:
            return parsed._replace(label=own.label, alternative=own.alternative), faults
        label = own.label if own is not None else recorded_label(parsed.trace, self.job.labels_of)
        self.without_label += label is None and not faults
        return parsed._replace(label=label), faults

    def report(self) -> Json:
        """Return the report's part about the rows themselves."""
        told: Json = {"rows": self.rows, "benchmarks": self.split.as_json()}
        if self.recorded:
            told["recorded"] = self.recorded
        if self.format is not None and self.format.runs:
            told["redacted"] = dict(self.redaction.counts)
        return told | ({"without_label": self.without_label} if self.job.labels_of else {})


def require_mapping(mapping: Any) -> None:
    """Raise InvalidFields (mapping) if a mapping is given that says nothing or something impossible."""
    faults = {} if mapping is None else mapping_faults(mapping)
    if faults:
        raise InvalidFields(fields={"mapping": [f"{key}: {said}" for key, said in faults.items()]})


def previewed(job: ImportJob, mapping: Json | None) -> tuple[list[tuple[int, ParsedRow]], list[Fault]]:
    """Return the first traces of a checked file as a mapping, or its own format, reads them, and the faults.

    Raises InvalidFields (mapping).
    """
    require_mapping(mapping)
    format = mapped_format(mapping) if mapping else asked_format(job)
    read: list[tuple[int, ParsedRow]] = []
    faults: list[Fault] = []
    for line, row in head_rows(job):
        found = not_ours(row, line, format) if format is None and not read else None
        parsed: ParsedAll = ([], [found]) if found else (format or format_of(row)).parse(row, line, asked=bool(mapping))
        read += [(line, in_rated_units(one, job.project.rated_unit)) for one in parsed[0]]
        faults += parsed[1]
    return read, faults


def _no_rating(field: str, line: int) -> Fault:
    do = "Name the machine they are from (Marks of a machine, marks_of). Shares are kept as scores, not as ratings."
    return Fault("shares_are_no_ratings", line, field, "shares between 0 and 1", do)


def _gold_faults(parsed: ParsedRow, line: int) -> list[Fault]:
    """Return what keeps a row from being gold: it has no solution, or does not say where that goes wrong."""
    trace = parsed.trace
    if trace is None:
        return [Fault("no_steps", line, "steps", "only a problem", "Gold needs a solution: give its steps.")]
    if trace.recorded_first_error is not None:
        return []
    if not says_no_verdict(trace) and recorded_verdict(None, trace.recorded_ratings) is not None:
        return []
    do = "Give `first_error` (a step from 0, or -1 for no error), or `step_labels` with a -1 or for every step."
    return [Fault("no_first_error", line, "first_error", "no first error", do)]
