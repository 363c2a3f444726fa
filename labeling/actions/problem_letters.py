"""Letters of problems, used to find them, created after the problems were written (actions/backlog.py).

Until then, a search reads the problems' texts (queries/words_asked.py).
"""

from django.db.backends.utils import CursorWrapper

from labeling.actions.backlog import Backlog
from labeling.models import Problem, ProblemsWithoutLetters

# It reads the state at the locking of the range, or a newer one. Nothing is written for a deleted problem, and none can
# be deleted in the meantime.
WRITE = """
    INSERT INTO labeling_problemletters (problem_id, project_id, text)
    SELECT id, project_id, text FROM labeling_problem WHERE id = ANY(%(taken)s) FOR KEY SHARE
    ON CONFLICT (problem_id) DO UPDATE SET text = excluded.text WHERE labeling_problemletters.text <> excluded.text
"""


def _write(cursor: CursorWrapper, taken: list[int]) -> None:
    cursor.execute(WRITE, {"taken": taken})


LETTERS = Backlog(ProblemsWithoutLetters, Problem, _write, batch=1_000)
