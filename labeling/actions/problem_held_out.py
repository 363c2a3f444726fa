"""Benchmark problems, recognised by the hash of their text and kept out of every train split."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from labeling.actions import audit_log
from labeling.errors import InvalidFields
from labeling.formats.faults import Fault, shown
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.problems import neutral_names
from labeling.formats.normalise import normalised_text, problem_key
from labeling.formats.reading import Line, read_rows
from labeling.models import HeldOutText, Project
from labeling.queries.planner import note_written

HASH_LINE = re.compile(rb"\s*([0-9a-fA-F]{64})\s*")
NAME_LENGTH = 100
REFUSED = 'Leave the row out: a benchmark\'s problem is never trained on. Or import it with `"split": "held_out"`.'

ADD = """
    INSERT INTO labeling_heldouttext (project_id, name, text_hash, text)
    SELECT %(project)s, %(name)s, given.text_hash, given.text
    FROM unnest(%(hashes)s::bytea[], %(texts)s::text[]) AS given (text_hash, text)
    ON CONFLICT DO NOTHING
"""
# A list of hashes may get its texts later, so that near duplicates are found too (release_overlaps).
ADD_TEXTS = """
    UPDATE labeling_heldouttext AS held SET text = given.text
    FROM unnest(%(hashes)s::bytea[], %(texts)s::text[]) AS given (text_hash, text)
    WHERE held.text_hash = given.text_hash AND held.name = %(name)s AND held.text = '' AND given.text <> ''
        AND held.project_id IS NOT DISTINCT FROM %(project)s::bigint
"""
MARK = """
    WITH marked AS (
        UPDATE labeling_problem AS problem SET split = 'held_out' FROM labeling_heldouttext AS held
        WHERE held.text_hash = problem.text_hash AND problem.split = 'train' AND held.name = %(name)s
            AND held.project_id IS NOT DISTINCT FROM %(project)s::bigint
            AND (held.project_id IS NULL OR held.project_id = problem.project_id)
        RETURNING problem.project_id)
    SELECT project_id, count(*) FROM marked GROUP BY project_id ORDER BY project_id
"""
# Staged rows of problems that lists hold out, but whose split is `train`.
REFUSED_PROBLEMS = """
    CREATE TEMP TABLE held_out_problem (problem_no bigint, line bigint, text text, name text) ON COMMIT DROP
"""
# A problem held out in the project stays so, whatever a new row says about it. Problems that this import itself added
# (ids above `before`) do not count: whether a row is refused must not depend on its batch. If there is no list, no row
# is looked at.
FIND_STAGED = """
    INSERT INTO held_out_problem (problem_no, line, text, name)
    SELECT staged.problem_no, staged.line, staged.text, min(held.name) AS name
    FROM staged_problem AS staged JOIN labeling_heldouttext AS held ON held.text_hash = staged.text_hash
        AND (held.project_id IS NULL OR held.project_id = %(project)s)
    WHERE EXISTS (SELECT FROM labeling_heldouttext)
        AND staged.split = 'train' AND staged.problem_no > %(after)s AND staged.problem_no <= %(until)s
        AND NOT EXISTS (SELECT FROM held_out_problem AS found WHERE found.problem_no = staged.problem_no)
        AND NOT EXISTS (SELECT FROM labeling_problem AS known WHERE known.project_id = %(project)s
            AND known.text_hash = staged.text_hash AND known.split = 'held_out' AND known.id <= %(before)s)
    GROUP BY staged.problem_no, staged.line, staged.text
"""
DROP_STAGED = (
    """DELETE FROM staged_step USING staged_trace JOIN held_out_problem USING (problem_no)
        WHERE staged_step.row_no = staged_trace.row_no""",
    """DELETE FROM staged_label USING staged_trace JOIN held_out_problem USING (problem_no)
        WHERE staged_label.row_no = staged_trace.row_no""",
    """DELETE FROM staged_mark USING staged_trace JOIN held_out_problem USING (problem_no)
        WHERE staged_mark.row_no = staged_trace.row_no""",
    "DELETE FROM staged_trace USING held_out_problem AS held WHERE staged_trace.problem_no = held.problem_no",
    "DELETE FROM staged_problem USING held_out_problem AS held WHERE staged_problem.problem_no = held.problem_no",
)


class HeldOutLoaded(NamedTuple):
    """The number of new and of known hashes, and of existing train problems that are held out now."""

    new: int
    known: int
    marked: int


def find_held_out(cursor: CursorWrapper, about: dict[str, int]) -> int:
    """Put staged train rows of held-out problems into `held_out_problem`, if their numbers are above `after` and up to
    `until`. Returns how many were added.
    """
    cursor.execute(FIND_STAGED, about)
    found = cursor.rowcount
    if found or not about["after"]:
        cursor.execute("ANALYZE held_out_problem")
    return found


def drop_held_out(cursor: CursorWrapper, format: str) -> list[Fault]:
    """Remove the problems in `held_out_problem` from the staged rows. Returns a fault for each, at its first row."""
    cursor.execute("SELECT line, name, text FROM held_out_problem ORDER BY line")
    refused = cursor.fetchall()
    for statement in DROP_STAGED if refused else ():
        cursor.execute(statement)
    field = IMPORT_FORMATS[format].problem_field if format in IMPORT_FORMATS else "problem"
    return [Fault("held_out_problem", line, field, shown(f"{name}: {text}"), REFUSED) for line, name, text in refused]


@transaction.atomic
def load_held_out(name: str, file: BinaryIO, *, project: Project | None = None) -> HeldOutLoaded:
    """Add a benchmark's problems to the list `name` of one project or, with None, of all.

    `file` holds JSON lines with the problems, or one SHA-256 of a normalised text per line, in hex. Existing train
    problems become held out. Raises InvalidFields (name, file), having changed nothing.
    """
    if not name.strip() or len(name) > NAME_LENGTH:
        raise InvalidFields(fields={"name": [f"Give the list a name of at most {NAME_LENGTH} characters."]})
    given = dict(_texts(file))
    if not given:
        raise InvalidFields(fields={"file": ["The file is empty. Give one problem or one hash per line."]})
    about: dict[str, Any] = {"project": project and project.pk, "name": name}
    about |= {"hashes": list(given), "texts": list(given.values())}
    with connection.cursor() as cursor:
        cursor.execute(ADD, about)
        new = cursor.rowcount
        note_written(cursor, "labeling_heldouttext", new)
        cursor.execute(ADD_TEXTS, about)
        cursor.execute(MARK, about)
        marked = cursor.fetchall()
    for project_id, count in marked:
        changed = Project.objects.get(pk=project_id)
        audit_log.record("problems.hold_out", actor=None, project=changed, target=f"list {name}", problems=count)
    return HeldOutLoaded(new, len(given) - new, sum(count for _, count in marked))


def remove_held_out(name: str, *, project: Project | None = None) -> int:
    """Remove a list. Problems that it held out stay held out. Returns how many hashes it had."""
    removed, _ = HeldOutText.objects.filter(name=name, project=project).delete()
    return removed


def _texts(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield each problem's hash and its text, which is empty in a list of hashes."""
    first = next((line for line in file if line.strip()), b"")
    if HASH_LINE.fullmatch(first):
        yield from ((listed, "") for listed in _listed_hashes(chain([first], file)))
        return
    file.seek(0)
    for line in read_rows(file):
        text = normalised_text(_problem_text(line))
        yield problem_key(text), text


def _listed_hashes(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        match = HASH_LINE.fullmatch(line)
        if match:
            yield bytes.fromhex(match[1].decode())
        elif line.strip():
            raise InvalidFields(fields={"file": [f"Not a SHA-256 in hex: {shown(line.decode(errors='replace'))}"]})


def _problem_text(line: Line) -> str:
    if line.row is None:
        found = f"{line.fault.found} -> {line.fault.do}" if line.fault else ""
        raise InvalidFields(fields={"file": [f"Line {line.number}: {found}"]})
    text = neutral_names(line.row).get("problem")
    if not isinstance(text, str) or not text.strip():
        raise InvalidFields(fields={"file": [f"Line {line.number} has no `problem`."]})
    return text
