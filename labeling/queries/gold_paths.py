"""Gold in rounds whose labelers choose paths: the items available, and which of their steps follows a prefix."""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef

from labeling.formats.prm800k import ANSWER_MARK
from labeling.generation.next_step import holds_answer
from labeling.models import Gold, GoldPath, PathStep, Problem, Project, Round, Trace
from labeling.quality.gold_paths import Told, told_of_gold
from labeling.queries.gold import active_gold, gold_for_round


def has_gold() -> Exists:
    """Return, for a query of problems, whether a trace of the problem is gold, so that its path is no work."""
    return Exists(Gold.objects.filter(trace__problem=OuterRef("pk"), status=Gold.Status.ACTIVE))


def gold_for_paths(project: Project, wanted: int) -> list[Gold]:
    """Return the gold for a new round of paths: one item per problem, each of which a path can follow to an answer."""
    if not wanted:
        return []
    of_problem: dict[int, Gold] = {}
    for gold in gold_for_round(project, active_gold(project).count()):
        if fits_paths(gold.trace):
            of_problem.setdefault(gold.trace.problem_id, gold)
    return list(of_problem.values())[:wanted]


def fits_paths(trace: Trace) -> bool:
    """Return whether it begins as its problem does, goes on, and reaches an answer, and its problem is in use."""
    given = trace.problem.metadata.get("starting_steps")
    starts = given if isinstance(given, list) else []  # as STARTING_STEPS of `queries.paths` reads it
    goes_on = len(trace.steps) > len(starts) and trace.steps[: len(starts)] == starts
    ends = goes_on and holds_answer(step_offered(trace, trace.steps[:-1]) or "")
    return ends and trace.problem.status == Problem.Status.ACTIVE


def gold_step(round_: Round, problem_id: int, prefix: Sequence[str]) -> str | None:
    """Return the gold's step after this prefix; None for work, and once the path has left the gold."""
    gold = gold_met(round_, problem_id)
    return None if gold is None else step_offered(gold.trace, prefix)


def gold_met(round_: Round, problem_id: int) -> Gold | None:
    """Return the gold that labelers meet in this problem's path; None for work."""
    if not round_.gold_count:
        return None
    paths = GoldPath.objects.filter(task__round=round_, task__trace__problem=problem_id)
    found = paths.select_related("gold__trace").first()
    return None if found is None else found.gold


def step_offered(trace: Trace, prefix: Sequence[str]) -> str | None:
    """Return the trace's step after this prefix, if any; the answer is added to a last step that does not state it."""
    at = len(prefix)
    if at >= len(trace.steps) or trace.steps[:at] != list(prefix):
        return None
    text, last = trace.steps[at], at == len(trace.steps) - 1
    silent = last and trace.final_answer is not None and "# Answer" not in text
    return f"{text}{ANSWER_MARK}{trace.final_answer}" if silent else text


def told_by(gold: Gold, given: int, steps: Sequence[PathStep]) -> Told | None:
    """Return what a path said of the gold it was to follow."""
    said: list[int] = []
    for step in steps:
        rating = next((rating for number, rating, _ in step.said if number == 0), None)
        if step.offer.prefix != gold.trace.steps[: step.step] or step.step >= len(gold.trace.steps) or rating is None:
            break
        said.append(rating)
    return told_of_gold(said, given=given, steps=len(gold.trace.steps), acceptable=gold.acceptable)
