"""The first half of an import: copies parsed rows to temporary tables, with one batch in memory at a time.

While the next batch is read, Postgres merges the problems and traces of the previous one.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson
from django.db.backends.utils import CursorWrapper

from annotation_app.postgres.binary_rows import BinaryRows
from labeling.actions import imported_marks
from labeling.actions.import_traces import TraceMerge
from labeling.actions.imported_marks import StagedMarks
from labeling.actions.label_submissions import verdict_said
from labeling.formats.faults import Fault
from labeling.formats.normalise import problem_key, trace_key
from labeling.formats.prm800k_checks import COMPLETION_LIMIT
from labeling.formats.records import LabelRecord, ParsedRow, ProblemRecord, StepLabelRecord, TraceRecord
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR

BATCH_ROWS = 5000
BATCH_BYTES = 8 * 2**20
FIRST_ROWS = 1000  # so that Postgres starts early; each later batch may be twice as large
REMEMBERED_PROBLEMS = 4096  # traces of one problem are mostly next to each other

TABLES = {
    "staged_problem": """
        problem_no bigint, line bigint, text_hash bytea, text text, external_id text, answer text,
        reference_solution text, split text, subject text, level text, source text, licence text, metadata jsonb,
        accepted_answers text[]""",
    "staged_trace": """
        row_no bigint, line bigint, problem_no bigint, trace_hash bytea, has_label boolean, steps text[], source text,
        generator text, final_answer text, outcome text, recorded_first_error int, recorded_ratings smallint[],
        recorded_marks jsonb, recorded_by text, splitter text, metadata jsonb, typed_steps jsonb""",
    "staged_label": """
        row_no bigint, trace_hash bytea, labeler text, row_key uuid, submitted_at timestamptz, finish_reason text,
        verdict int, rated_steps int, total_ms bigint, quality_control boolean, nameless boolean, extra jsonb,
        run_marks jsonb, told jsonb, former_key uuid, every_step boolean""",
    "staged_suggestion": """
        row_no bigint, place int, trace_hash bytea, step_index int, kind text, text text""",
    "staged_step": """
        row_no bigint, step_index int, position int, text text, source text, occurrence int, rating smallint,
        flagged boolean, chosen boolean""",
    "staged_mark": imported_marks.TABLE,
    "staged_picture": "sha256 bytea, content_type text, width int, height int, data bytea",
}
# Most of what is copied: encoded while the connection is busy with the previous batch.
BINARY = ("staged_problem", "staged_trace", "staged_label", "staged_step")
# To find the rows of a batch among all that are staged.
INDEXES = (
    "CREATE UNIQUE INDEX ON staged_problem (problem_no)",
    "CREATE UNIQUE INDEX ON staged_trace (row_no)",
)
# Columns that the merge joins, groups and filters by. Statistics of the others would take a second of a large import.
JOINED = {
    "staged_problem": "problem_no, text_hash, split",
    "staged_trace": "row_no, problem_no, trace_hash",
    "staged_label": "row_no, trace_hash, labeler, row_key, nameless",
    "staged_suggestion": "trace_hash, step_index, kind",
    "staged_step": "row_no, step_index, source, occurrence",
    "staged_mark": imported_marks.JOINED,
    "staged_picture": "sha256",
}


class Staging:
    """Takes parsed rows, and holds one batch of them and the latest problems in memory.

    `row_no` counts what is staged: a list on one line has many rows there, and one row may hold several traces. While
    the staging is open, the connection belongs to the merging thread, except after `settle`.
    """

    def __init__(self, cursor: CursorWrapper, project_id: int, merge: TraceMerge) -> None:
        """Create the temporary tables, which last until the transaction ends."""
        self.cursor, self.trace_merge = cursor, merge
        self.project = project_id.to_bytes(8, "little")
        self.rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in TABLES if table not in BINARY}
        self.binary = {table: BinaryRows(table, TABLES[table]) for table in BINARY}
        self.problem_rows, self.trace_rows, self.label_rows, self.rating_rows = self.binary.values()
        self.bytes, self.row_no = 0, 0
        self._most = FIRST_ROWS
        self.problems: OrderedDict[ProblemRecord, tuple[int, bytes]] = OrderedDict()
        self.problem_count = 0
        self.rated_last: _Rated | None = None  # the next rows may add to it
        self.faults: list[Fault] = []  # of rows staged since the last `take_faults`
        self.without_label = 0  # alternatives whose label is missing
        self.moves_early = False  # whether problems and traces of a batch are merged with it
        self._noted = False
        self._thread = ThreadPoolExecutor(1, "import-batch")  # only waits for Postgres
        self._merging: Future[None] | None = None
        for table, columns in TABLES.items():
            cursor.execute(f"CREATE TEMP TABLE {table} ({columns}) ON COMMIT DROP")
        for statement in INDEXES:
            cursor.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        """Give the connection back to the caller, whatever happened. `settle` raises the error of a failed batch."""
        self._thread.shutdown()

    def settle(self) -> None:
        """Wait for the batch that is being merged, and raise its error if it failed."""
        merging, self._merging = self._merging, None
        if merging is not None:
            merging.result()

    def add(
        self, line: int, size: int, row: dict[str, Any], parsed: ParsedRow, marks: StagedMarks | None = None
    ) -> bool:
        """Stage a trace from a row of `size` bytes. Returns whether a batch was written."""
        problem_no, text_hash = self._problem(parsed.problem, line)
        trace = parsed.trace
        if parsed.alternative is not None:
            if self._alternative(text_hash, parsed, line):
                return self._is_written(size)
            parsed = parsed._replace(label=None)  # the label's own row is missing: a trace like any other
            self.without_label += 1
        self.row_no += 1
        if trace is not None:
            trace_hash = trace_key(text_hash, trace.steps, trace.typed)
            values = (
                *(trace.source, trace.generator, trace.final_answer, trace.outcome, trace.recorded_first_error),
                trace.recorded_ratings,
                trace.recorded_marks and orjson.dumps(trace.recorded_marks).decode(),
                *(trace.recorded_by, trace.splitter),
                orjson.dumps(trace.metadata).decode() if trace.metadata else "{}",
                None if trace.typed is None else orjson.dumps(trace.typed).decode(),
            )
            has_label = parsed.label is not None and not parsed.label.recorded
            self.trace_rows.append((self.row_no, line, problem_no, trace_hash, has_label, trace.steps, *values))
            self.rows["staged_suggestion"] += [
                (self.row_no, place, trace_hash, *suggestion) for place, suggestion in enumerate(trace.suggestions)
            ]
            for one in trace.pictures:
                about = (one.content_type, one.width, one.height, one.data)
                self.rows["staged_picture"].append((bytes.fromhex(one.sha256), *about))
                self.bytes += len(one.data)
            if marks is not None:
                self.rows["staged_mark"].append((self.row_no, trace_hash, *marks))
            if parsed.label is not None:
                self._label(trace_hash, _key_of(row, trace_hash, parsed.label), parsed.label, trace)
                self.rated_last = _Rated(self.row_no, text_hash, parsed.label, trace.steps, {}, {})
        return self._is_written(size)

    def _is_written(self, size: int) -> bool:
        """Count a row, and write the batch if it is full."""
        self.bytes += size
        if self.bytes < BATCH_BYTES and len(self.trace_rows) < min(self._most, BATCH_ROWS):
            return False
        self.flush()
        return True

    def flush(self) -> None:
        """Write the batch once the previous one is merged, and start to merge it.

        This thread writes, because the merging thread would wait every few rows for this one to release the
        interpreter.
        """
        self.settle()
        for waiting in self.binary.values():
            waiting.write(self.cursor)
        for table, rows in self.rows.items():
            if not rows:
                continue
            with self.cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for values in rows:
                    copy.write_row(values)
            rows.clear()
        self.bytes, self._most = 0, self._most * 2
        if self.moves_early:
            self._merging = self._thread.submit(self._move, self.problem_count, self.row_no)

    def take_faults(self) -> list[Fault]:
        """Return the faults of the rows added since the last call that only show in several rows together."""
        found, self.faults = self.faults, []
        return found

    def finish(self) -> None:
        """Write the rest, and tell the planner how much there is."""
        self.flush()
        self.settle()
        self._note(JOINED)

    def _move(self, problem_no: int, row_no: int) -> None:
        if not self._noted:
            self._note(("staged_problem", "staged_trace"))
            self._noted = True
        self.trace_merge.move(problem_no, row_no)

    def _note(self, tables: Iterable[str]) -> None:
        for table in tables:
            self.cursor.execute(f"ANALYZE {table} ({JOINED[table]})")

    def _problem(self, problem: ProblemRecord, line: int) -> tuple[int, bytes]:
        known = self.problems.get(problem)
        if known is not None:
            return known
        text_hash = problem_key(problem.text)
        self.problem_count += 1
        self.problem_rows.append((self.problem_count, line, text_hash, *problem))
        self.problems[problem] = self.problem_count, text_hash
        if len(self.problems) > REMEMBERED_PROBLEMS:
            self.problems.popitem(last=False)
        return self.problem_count, text_hash

    def _label(self, trace_hash: bytes, key: bytes, label: LabelRecord, trace: TraceRecord) -> None:
        """Stage a label with a key that recognises it when it is imported again."""
        row_key, former_key = self._uuid(key), None
        if label.told is not None:  # one person may have given two equal labels at different times
            former_key, row_key = row_key, self._uuid(key + str(label.submitted_at).encode())
        protocol = FIRST_ERROR if trace.typed is None else EVERY_STEP
        ratings = _path_ratings(label.step_labels, len(trace.steps))
        verdict = verdict_said(protocol.name, ratings, label.finish_reason)
        every_step = label.told is not None and (protocol is EVERY_STEP or FIRST_ERROR.counted(ratings) != ratings)
        nameless = label.recorded and not trace.recorded_by
        rated = sum(item.text is None and item.rating is not None for item in label.step_labels)
        said = (label.submitted_at, label.finish_reason, verdict, rated, label.total_ms, label.quality_control)
        more = [value and orjson.dumps(value).decode() for value in (label.run_marks, label.told)]
        values = (*said, nameless, orjson.dumps(label.extra).decode(), *more, former_key, every_step)
        self.label_rows.append((self.row_no, trace_hash, label.labeler, row_key, *values))
        for row in step_rows(self.row_no, label.step_labels):
            self.rating_rows.append(row)

    def _uuid(self, key: bytes) -> bytes:
        return hashlib.sha256(self.project + key).digest()[:16]

    def _alternative(self, text_hash: bytes, parsed: ParsedRow, line: int) -> bool:
        """Add a rated text to the label of the last row that has one. Returns False if it belongs to another label."""
        said, item, trace, last = parsed.label, parsed.alternative, parsed.trace, self.rated_last
        if said is None or item is None or trace is None or last is None or not last.is_of(text_hash, said, trace):
            return False
        place = last.places.get(item.step_index, 0) + 1
        if place > COMPLETION_LIMIT:
            do = f"A step may have at most {COMPLETION_LIMIT:,}. Leave the row out."
            field, found = "label.alternative_at_step", f"alternative {place:,} of one step"
            self.faults.append(Fault("too_many_completions", line, field, found, do))
            return True
        last.places[item.step_index] = place
        same = item.step_index, hashlib.sha256((item.text or "").encode()).digest()  # the texts are not kept in memory
        occurrence = last.alternatives.get(same, 0)
        last.alternatives[same] = occurrence + 1
        values = (item.step_index, place, item.text, item.source, occurrence, item.rating, item.flagged, item.chosen)
        self.rating_rows.append((last.row_no, *values))
        return True


class _Rated(NamedTuple):
    """A row whose label was staged, with how often it rated other texts: by step and text, and by step."""

    row_no: int
    text_hash: bytes
    label: LabelRecord
    steps: list[str]
    alternatives: dict[tuple[int, bytes], int]
    places: dict[int, int]

    def is_of(self, text_hash: bytes, label: LabelRecord, trace: TraceRecord) -> bool:
        """Return whether an alternative's row belongs to this label: same person, same time, same path up to it.

        Without a time, a person's two labels of one trace cannot be told apart.
        """
        if label.submitted_at is None:
            return False
        same = (self.text_hash, self.label.labeler, self.label.submitted_at)
        before = trace.steps[:-1]
        return same == (text_hash, label.labeler, label.submitted_at) and self.steps[: len(before)] == before


def _key_of(row: dict[str, Any], trace_hash: bytes, label: LabelRecord) -> bytes:
    """Return what identifies a label: its whole row; if made of recorded ratings, who gave which to what."""
    if not label.recorded:
        return orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
    said = [(item.step_index, item.rating) for item in label.step_labels]
    decisive = (label.run_marks or {}).get("decisive_error")
    if not said and decisive is not None:
        said = [(decisive, -1)]  # for a label that names nothing else: such labels were always known by it
    return trace_hash + orjson.dumps([label.labeler, label.finish_reason, said])


def step_rows(row_no: int, step_labels: Sequence[StepLabelRecord]) -> list[tuple[Any, ...]]:
    """Return rows of `staged_step`. `occurrence` distinguishes equal texts offered for one step."""
    seen: dict[tuple[int, str, str | None], int] = {}
    rows = []
    for item in step_labels:
        key = (item.step_index, item.source, item.text)
        occurrence = seen.get(key, 0)
        seen[key] = occurrence + 1
        judged = (item.rating, item.flagged, item.chosen)
        rows.append((row_no, item.step_index, item.position, item.text, item.source, occurrence, *judged))
    return rows


def _path_ratings(step_labels: Sequence[StepLabelRecord], steps: int) -> list[int | None]:
    """Return one rating per step of the trace, for its own steps."""
    ratings: list[int | None] = [None] * steps
    for item in step_labels:
        if item.text is None and item.step_index < steps:
            ratings[item.step_index] = item.rating
    return ratings
