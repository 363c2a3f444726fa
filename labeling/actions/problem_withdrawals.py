"""Takes tasks off the queue: for a bad problem (reversible), a corrected answer (re-graded) or a repaired split."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.gold import retire_gold
from labeling.actions.gold_plans import forget_gold
from labeling.actions.gradings import create_grading
from labeling.actions.label_slots import lock_tasks, return_slot
from labeling.actions.reviews import decide
from labeling.errors import AnswerAccepted, ProblemNotInStatus
from labeling.formats.imports.neutral import MOST_ANSWERS
from labeling.models import Gold, GradingJob, Label, Problem, ReviewDecision, ReviewKind, Round, Task, User

Outcome = ReviewDecision.Outcome


@transaction.atomic
def mark_bad_problem(task: Task, *, by: User, reason: str) -> Problem:
    """Record a reviewer's decision that the task's problem is bad: it and all its tasks leave the queue.

    Open labels continue and count; labels leased ahead are taken back. Gold on the problem is retired, so that no
    answer to it counts, and stays retired if the problem is restored. Raises ProblemNotInStatus.
    """
    problem = task.trace.problem
    if not Problem.objects.filter(pk=problem.pk, status=Problem.Status.ACTIVE).update(status=Problem.Status.BAD):
        raise ProblemNotInStatus("This problem is already marked as bad.", status=Problem.Status.BAD)
    open_tasks = Task.objects.filter(trace__problem=problem).exclude(round__status=Round.Status.CLOSED)
    withdraw_tasks(list(open_tasks.filter(withdrawn=None).values_list("pk", flat=True)))
    for reported in queries.reviews.waiting_tasks(task.round.project, ReviewKind.BAD_PROBLEM).filter(
        trace__problem=problem
    ):
        decide(reported, [ReviewKind.BAD_PROBLEM], Outcome.BAD_PROBLEM, by=by, reason=reason)
    for gold in Gold.objects.filter(trace__problem=problem, status=Gold.Status.ACTIVE):
        retire_gold(gold, by=by, reason="Its problem is bad.")
    decide(task, [ReviewKind.BAD_PROBLEM], Outcome.BAD_PROBLEM, by=by, reason=reason)
    about = {"reason": reason, "task": task.pk}
    audit_log.record("problem.bad", actor=by, project=task.round.project, target=f"problem {problem.pk}", **about)
    problem.status = Problem.Status.BAD
    return problem


@transaction.atomic
def restore_problem(task: Task, *, by: User) -> Problem:
    """Restore a bad problem: its tasks are served again with their former slots. Raises ProblemNotInStatus."""
    problem = task.trace.problem
    if not Problem.objects.filter(pk=problem.pk, status=Problem.Status.BAD).update(status=Problem.Status.ACTIVE):
        raise ProblemNotInStatus("This problem is not marked as bad.", status=Problem.Status.ACTIVE)
    gone = Task.objects.filter(trace__problem=problem, trace__replaced_by=None, withdrawn__isnull=False)
    ids = list(gone.values_list("pk", flat=True))
    lock_tasks(ids)
    Task.objects.filter(pk__in=ids).update(labels_wanted=F("withdrawn"), withdrawn=None)
    audit_log.record("problem.restore", actor=by, project=task.round.project, target=f"problem {problem.pk}")
    problem.status = Problem.Status.ACTIVE
    return problem


@transaction.atomic
def correct_answer(task: Task, *, by: User, answer: str, reason: str) -> GradingJob:
    """Give the problem another ground-truth answer, and grade its traces again.

    The grading lists what would change; no outcome changes until somebody applies it. Raises GradingRunning,
    ProjectArchived.
    """
    problem = Problem.objects.select_for_update(no_key=True).get(pk=task.trace.problem_id)
    before, problem.answer = problem.answer, answer
    problem.save(update_fields=["answer"])
    decide(task, [ReviewKind.ANSWER_WRONG], Outcome.CORRECTED, by=by, reason=reason)
    about = {"before": before, "after": answer, "reason": reason}
    audit_log.record(
        "problem.correct_answer", actor=by, project=task.round.project, target=f"problem {problem.pk}", **about
    )
    return create_grading(task.round.project, by=by, problem=problem)


@transaction.atomic
def accept_answer(task: Task, *, by: User, answer: str, reason: str, accepted: bool = True) -> GradingJob:
    """Accept an answer in addition to the problem's own, or no longer accept it, and grade its traces again.

    As with a corrected answer, no outcome changes until somebody applies the grading. Raises AnswerAccepted,
    GradingRunning, ProjectArchived.
    """
    problem = Problem.objects.select_for_update(no_key=True).get(pk=task.trace.problem_id)
    known = problem.accepted_answers
    if accepted and (answer == problem.answer or answer in known):
        raise AnswerAccepted("This is already a right answer of the problem.")
    if not accepted and answer not in known:
        raise AnswerAccepted("This is not one of the problem's further answers.")
    if accepted and len(known) >= MOST_ANSWERS:
        raise AnswerAccepted(f"A problem can have at most {MOST_ANSWERS} further answers.")
    problem.accepted_answers = [*known, answer] if accepted else [one for one in known if one != answer]
    problem.save(update_fields=["accepted_answers"])
    decide(task, [ReviewKind.ANSWER_WRONG], Outcome.ACCEPTED if accepted else Outcome.CORRECTED, by=by, reason=reason)
    action = "problem.accept_answer" if accepted else "problem.refuse_answer"
    about = {"answer": answer, "reason": reason}
    audit_log.record(action, actor=by, project=task.round.project, target=f"problem {problem.pk}", **about)
    return create_grading(task.round.project, by=by, problem=problem)


def withdraw_tasks(ids: Sequence[int]) -> None:
    """Take tasks off the queue, with the slots held by labels leased ahead, which their labelers have never seen.

    Gold among the tasks is no longer served. Locks labels before tasks, as everywhere, and gold plans last.
    """
    ahead = Label.objects.filter(task__in=ids, status=Label.Status.PREFETCHED, submitted_at=None)
    held = list(ahead.order_by("pk").select_for_update().values_list("pk", "task", "surplus"))
    lost = {"status": Label.Status.EXPIRED, "leased_until": timezone.now()}  # by the clock of claims and leases
    Label.objects.filter(pk__in=[pk for pk, _, _ in held]).update(**lost)
    lock_tasks(list(ids))
    Task.objects.filter(pk__in=ids).update(withdrawn=F("labels_wanted"), labels_wanted=0)
    for _, task_id, surplus in held:
        if not surplus:
            return_slot(task_id)
    forget_gold(set(Task.objects.filter(pk__in=ids, kind=Task.Kind.GOLD).values_list("pk", flat=True)))
