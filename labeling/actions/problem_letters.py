"""Letters of problems, by which they are found, made after the problems were written (actions/backlog.py).

Until then a search reads their texts (queries/words_asked.py).
"""

from django.db.backends.utils import CursorWrapper

from labeling.actions.backlog import Backlog
from labeling.models import Problem, ProblemsWithoutLetters

# What it reads is as it was when the range was locked, or newer. Of a problem that is gone nothing is written, and none
# can go meanwhile.
WRITE = """
    INSERT INTO labeling_problemletters (problem_id, project_id, text)
    SELECT id, project_id, text FROM labeling_problem WHERE id = ANY(%(taken)s) FOR KEY SHARE
    ON CONFLICT (problem_id) DO UPDATE SET text = excluded.text WHERE labeling_problemletters.text <> excluded.text
"""


def _write(cursor: CursorWrapper, taken: list[int]) -> None:
    cursor.execute(WRITE, {"taken": taken})


LETTERS = Backlog(ProblemsWithoutLetters, Problem, _write, batch=1_000)
