"""Moves staged problems and traces into the real tables, each once: batch by batch while rows are read, or at the end.

Everything here runs in the import's one transaction, behind a lock per project, so that two imports of the same
problems cannot deadlock.
"""

from django.db.backends.utils import CursorWrapper

from labeling.actions.problem_held_out import REFUSED_PROBLEMS, find_held_out
from labeling.formats.imports.problems import FORMAT as PROBLEMS
from labeling.models import ImportJob
from labeling.queries.planner import look_roughly, note_written

MOST_MET = 20_000  # a project with more has statistics, from the imports that brought them
LOCK = "SELECT pg_advisory_xact_lock(hashtext('import'), %(project)s)"

# The project's problem for each staged one. `given`: what the row says differently, under the row's own keys.
PROBLEM_OF = "CREATE TEMP TABLE problem_of (problem_no bigint, problem_id bigint, given jsonb) ON COMMIT DROP"
BY_PROBLEM = "CREATE UNIQUE INDEX ON problem_of (problem_no)"

# The project's problems by their text, as far as this import has met them. They are looked up here, not in the real
# table: that has no statistics on this import's rows until the end, and the planner might scan all of it for each row.
MET = "CREATE TEMP TABLE met_problem (text_hash bytea, problem_id bigint) ON COMMIT DROP"
BY_TEXT = "CREATE INDEX ON met_problem USING hash (text_hash)"
MEET_ALL = """
    INSERT INTO met_problem (text_hash, problem_id)
    SELECT text_hash, id FROM labeling_problem WHERE project_id = %(project)s LIMIT %(most)s
"""
# Not met yet: problems of a larger project, and those that others have added to this one in the meantime.
UNMET = """
    SELECT count(*) FROM staged_problem AS staged WHERE problem_no > %(after)s AND problem_no <= %(until)s
        AND NOT EXISTS (SELECT FROM met_problem AS met WHERE met.text_hash = staged.text_hash)
        AND NOT EXISTS (SELECT FROM held_out_problem AS refused WHERE refused.problem_no = staged.problem_no)
"""
MEET_STAGED = """
    WITH unmet AS MATERIALIZED (
        SELECT DISTINCT text_hash FROM staged_problem AS staged
        WHERE problem_no > %(after)s AND problem_no <= %(until)s
            AND NOT EXISTS (SELECT FROM met_problem AS met WHERE met.text_hash = staged.text_hash)
    )
    INSERT INTO met_problem (text_hash, problem_id)
    SELECT kept.text_hash, kept.id
    FROM unmet JOIN labeling_problem AS kept ON kept.project_id = %(project)s AND kept.text_hash = unmet.text_hash
"""
# The first of equal problems is kept: they are inserted in order, and later ones conflict with it.
INSERT_PROBLEMS = """
    WITH made AS (
    INSERT INTO labeling_problem (project_id, external_id, text, answer, reference_solution, split, subject, level,
        source, licence, metadata, accepted_answers, status, text_hash)
    SELECT %(project)s, external_id, text, answer, reference_solution, split, subject, level, source,
        licence, metadata, accepted_answers, 'active', text_hash
    FROM staged_problem AS staged WHERE problem_no > %(after)s AND problem_no <= %(until)s
        AND NOT EXISTS (SELECT FROM held_out_problem AS refused WHERE refused.problem_no = staged.problem_no)
    ORDER BY problem_no
    ON CONFLICT (project_id, text_hash) DO NOTHING RETURNING text_hash, id
    )
    INSERT INTO met_problem (text_hash, problem_id) SELECT text_hash, id FROM made
"""

# A problem that existed before takes each field it lacks from the first row of a problem file that has it; its own
# values stay. What a trace's row says about its problem is kept with the trace, so that each is exported as it came.
# Right answers are filled as a unit: all from one row, and only if the problem has none. The update reads the problem
# again, since an answer may have been accepted in the meantime.
FILL_PROBLEMS = """
    UPDATE labeling_problem AS problem SET
        answer = CASE WHEN coalesce(problem.answer, '') = '' AND problem.accepted_answers = '{}'
            THEN coalesce(answers.answer, problem.answer) ELSE problem.answer END,
        accepted_answers = CASE WHEN coalesce(problem.answer, '') = '' AND problem.accepted_answers = '{}'
            THEN coalesce(answers.accepted_answers, '{}') ELSE problem.accepted_answers END,
        reference_solution =
            coalesce(nullif(problem.reference_solution, ''), said.solution, problem.reference_solution),
        external_id = coalesce(nullif(problem.external_id, ''), said.external_id, ''),
        subject = coalesce(nullif(problem.subject, ''), said.subject, ''),
        level = coalesce(nullif(problem.level, ''), said.level, ''),
        licence = coalesce(nullif(problem.licence, ''), said.licence, ''),
        source = coalesce(nullif(problem.source, ''), said.source, ''),
        metadata = CASE WHEN problem.metadata ? 'starting_steps' OR said.starts IS NULL THEN problem.metadata
            ELSE problem.metadata || jsonb_build_object('starting_steps', said.starts) END
    FROM (
        SELECT kept.id, min(problem_no) FILTER (WHERE gives.answer) AS answer_no,
            (array_agg(staged.reference_solution ORDER BY problem_no)
                FILTER (WHERE staged.reference_solution <> ''))[1] AS solution,
            (array_agg(staged.external_id ORDER BY problem_no) FILTER (WHERE staged.external_id <> ''))[1]
                AS external_id,
            (array_agg(staged.subject ORDER BY problem_no) FILTER (WHERE staged.subject <> ''))[1] AS subject,
            (array_agg(staged.level ORDER BY problem_no) FILTER (WHERE staged.level <> ''))[1] AS level,
            (array_agg(staged.licence ORDER BY problem_no) FILTER (WHERE staged.licence <> ''))[1] AS licence,
            (array_agg(staged.source ORDER BY problem_no) FILTER (WHERE staged.source <> ''))[1] AS source,
            (array_agg(staged.metadata -> 'starting_steps' ORDER BY problem_no)
                FILTER (WHERE staged.metadata ? 'starting_steps'))[1] AS starts
        FROM staged_problem AS staged JOIN met_problem AS met ON met.text_hash = staged.text_hash,
        LATERAL (SELECT * FROM labeling_problem WHERE id = met.problem_id LIMIT 1) AS kept,
        LATERAL (SELECT coalesce(kept.answer, '') = '' AND kept.accepted_answers = '{}'
            AND (staged.answer <> '' OR staged.accepted_answers <> '{}') AS answer) AS gives
        WHERE problem_no > %(after)s AND problem_no <= %(until)s AND met.problem_id <= %(before)s
            AND NOT EXISTS (SELECT FROM held_out_problem AS refused WHERE refused.problem_no = staged.problem_no)
            AND (gives.answer OR coalesce(kept.reference_solution, '') = '' AND staged.reference_solution <> ''
                OR kept.external_id = '' AND staged.external_id <> '' OR kept.subject = '' AND staged.subject <> ''
                OR kept.level = '' AND staged.level <> '' OR kept.licence = '' AND staged.licence <> ''
                OR kept.source = '' AND staged.source <> ''
                OR NOT kept.metadata ? 'starting_steps' AND staged.metadata ? 'starting_steps')
        GROUP BY kept.id) AS said
    LEFT JOIN staged_problem AS answers ON answers.problem_no = said.answer_no
    WHERE problem.id = said.id
    RETURNING problem.id
"""

FIND_PROBLEMS = """
    INSERT INTO problem_of (problem_no, problem_id, given)
    SELECT staged.problem_no, kept.id, CASE WHEN (staged.text, staged.external_id, staged.answer,
            staged.accepted_answers, staged.reference_solution, staged.subject, staged.level, staged.licence)
        IS NOT DISTINCT FROM (kept.text, kept.external_id, kept.answer,
            kept.accepted_answers, kept.reference_solution, kept.subject, kept.level, kept.licence) THEN '{}' ELSE
        CASE WHEN staged.text <> kept.text THEN jsonb_build_object('problem', staged.text) ELSE '{}' END
        || CASE WHEN staged.external_id <> kept.external_id
            THEN jsonb_build_object('problem_id', staged.external_id) ELSE '{}' END
        || CASE WHEN staged.answer IS DISTINCT FROM kept.answer
            THEN jsonb_build_object('ground_truth_answer', staged.answer) ELSE '{}' END
        || CASE WHEN staged.accepted_answers <> kept.accepted_answers
            THEN jsonb_build_object('ground_truth_answers', to_jsonb(staged.accepted_answers)) ELSE '{}' END
        || CASE WHEN staged.reference_solution IS DISTINCT FROM kept.reference_solution
            THEN jsonb_build_object('ground_truth_solution', staged.reference_solution) ELSE '{}' END
        || CASE WHEN staged.subject <> kept.subject THEN jsonb_build_object('subject', staged.subject) ELSE '{}' END
        || CASE WHEN staged.level <> kept.level THEN jsonb_build_object('level', staged.level) ELSE '{}' END
        || CASE WHEN staged.licence <> kept.licence THEN jsonb_build_object('licence', staged.licence) ELSE '{}' END END
    FROM staged_problem AS staged JOIN met_problem AS met ON met.text_hash = staged.text_hash,
    LATERAL (SELECT * FROM labeling_problem WHERE id = met.problem_id LIMIT 1) AS kept  -- by its id, whatever the plan
    WHERE problem_no > %(after)s AND problem_no <= %(until)s
        AND NOT EXISTS (SELECT FROM held_out_problem AS refused WHERE refused.problem_no = staged.problem_no)
"""

# If all were new, each staged problem is its own, and its row says nothing different.
FIND_NEW = """
    INSERT INTO problem_of (problem_no, problem_id, given)
    SELECT staged.problem_no, met.problem_id, '{}'
    FROM staged_problem AS staged JOIN met_problem AS met ON met.text_hash = staged.text_hash
    WHERE problem_no > %(after)s AND problem_no <= %(until)s
"""

INSERT_TRACES = """
    INSERT INTO labeling_trace (project_id, problem_id, external_id, source, generator, sampling, steps, final_answer,
        outcome, grader_version, splitter_version, recorded_first_error, recorded_ratings, recorded_marks,
        recorded_by, metadata, typed_steps, trace_hash)
    SELECT %(project)s, problem_id, '', source, generator, '{}', steps, final_answer, outcome, '', splitter,
        recorded_first_error, recorded_ratings, recorded_marks, recorded_by,
        CASE WHEN has_label OR given = '{}' THEN metadata
            ELSE metadata || coalesce((
                SELECT jsonb_build_object('problem_as_given', jsonb_object_agg(key, value)) FROM jsonb_each(given)
                WHERE value NOT IN ('null', '""', '[]')  -- a row that says nothing does not contradict
                HAVING count(*) > 0), '{}') END,
        typed_steps, trace_hash
    FROM staged_trace JOIN problem_of USING (problem_no)
    WHERE row_no > %(after)s AND row_no <= %(until)s ORDER BY row_no
    ON CONFLICT (project_id, trace_hash) DO NOTHING
"""


class TraceMerge:
    """How many staged problems and traces are in the real tables, and how many of these were new."""

    def __init__(self, cursor: CursorWrapper, job: ImportJob) -> None:
        """Start with nothing moved. Each statement checks foreign keys, rather than the commit all at once."""
        self.cursor, self.project, self._job = cursor, job.project_id, job
        self.problem_no, self.row_no = 0, 0  # everything up to these numbers was moved
        self.new_problems, self.new_traces = 0, 0
        self.before = 0  # the newest problem that existed before
        self._filled: set[int] = set()  # those of them that took something from a row
        self._met, self._begun = 0, False
        look_roughly(cursor)
        for statement in (PROBLEM_OF, BY_PROBLEM, MET, BY_TEXT, REFUSED_PROBLEMS, "SET CONSTRAINTS ALL IMMEDIATE"):
            cursor.execute(statement)

    def move(self, problem_no: int, row_no: int) -> None:
        """Insert the new ones among the problems and traces staged since the last call, up to these numbers.

        Rows of problems that lists hold out go to `held_out_problem` instead.
        """
        if not self._begun:
            self._begin()
        if problem_no > self.problem_no:
            find_held_out(self.cursor, self._about(self.problem_no, problem_no))
            new = self._run(INSERT_PROBLEMS, self.problem_no, problem_no)
            self.new_problems += new
            if not self.problem_no:
                self.cursor.execute("ANALYZE met_problem")
            all_new = new == problem_no - self.problem_no
            if not all_new and self._count(UNMET, self.problem_no, problem_no):
                self._met += self._run(MEET_STAGED, self.problem_no, problem_no)
            if self._job.format == PROBLEMS.name and self._met and not all_new:
                self._fill(problem_no)
            self._run(FIND_NEW if all_new else FIND_PROBLEMS, self.problem_no, problem_no)
            if not self.problem_no:  # later batches use the plan of the first
                self.cursor.execute("ANALYZE problem_of")
            self.problem_no = problem_no
        if row_no > self.row_no:
            self.new_traces += self._run(INSERT_TRACES, self.row_no, row_no)
            self.row_no = row_no

    @property
    def filled_problems(self) -> int:
        """The number of previously existing problems that took something from a row."""
        return len(self._filled)

    def refuses_more(self, *, until_the_end: bool = False) -> bool:
        """Return whether a list added in the meantime holds out moved rows. With `until_the_end`, none is added before
        the transaction ends: whoever adds one waits, and then finds what was imported.
        """
        if until_the_end:
            self.cursor.execute("LOCK TABLE labeling_heldouttext IN SHARE MODE")
        return find_held_out(self.cursor, self._about(0, self.problem_no)) > 0

    def end(self) -> None:
        """Update the planner's statistics. Do this only at the end: once updated in a transaction, nobody else can
        update them before it ends.
        """
        note_written(self.cursor, "labeling_problem", self.new_problems)
        note_written(self.cursor, "labeling_trace", self.new_traces)
        self.cursor.execute("ANALYZE problem_of")

    def _begin(self) -> None:
        self._begun = True
        self.cursor.execute(LOCK, {"project": self.project})
        self.cursor.execute("SELECT coalesce(max(id), 0) FROM labeling_problem")
        self.before = self.cursor.fetchone()[0]
        self.cursor.execute(MEET_ALL, {"project": self.project, "most": MOST_MET})
        self._met = self.cursor.rowcount
        self.cursor.execute("ANALYZE met_problem")

    def _fill(self, until: int) -> None:
        """Fill known problems, before `problem_of` is: a value that a row fills in is no difference."""
        self.cursor.execute(FILL_PROBLEMS, self._about(self.problem_no, until))
        self._filled.update(problem for [problem] in self.cursor.fetchall())

    def _run(self, statement: str, after: int, until: int) -> int:
        self.cursor.execute(statement, self._about(after, until))
        return self.cursor.rowcount

    def _count(self, statement: str, after: int, until: int) -> int:
        self.cursor.execute(statement, self._about(after, until))
        [count] = self.cursor.fetchone()
        return int(count)

    def _about(self, after: int, until: int) -> dict[str, int]:
        return {"project": self.project, "after": after, "until": until, "before": self.before}
