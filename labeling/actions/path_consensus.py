"""Overlap that adapts if paths are chosen: each path is its own task, so the paths of a problem have to agree.

Their results are compared: the final answer (`grading.answer_key`), or that the problem is bad. Paths to the same
answer may differ in every step. The round's report says how far labelers agree about the same completions.
"""

from django.db.models import QuerySet
from django.utils import timezone

from labeling.actions.path_rounds import add_path
from labeling.grading.answer_key import answer_key
from labeling.models import Label, Round, Task
from labeling.protocol.interface import NO_ERROR
from labeling.quality.consensus import Decision, Overlap, decide
from labeling.queries.held_labels import HELD
from labeling.queries.paths import makes_path

Settlement = Task.Settlement
BAD_PROBLEM = object()


def paths_beside(task: Task) -> QuerySet[Task]:
    """Return the tasks of all paths through the task's problem in its round, locked in the order used everywhere."""
    tasks = Task.objects.filter(round=task.round_id, trace__problem=task.trace.problem_id, kind=Task.Kind.WORK)
    return tasks.select_for_update(no_key=True, of=("self",)).order_by("pk")


def lock_paths_beside(label: Label) -> None:
    """Lock all paths of the problem together if the label makes one. Call it before its own slot is locked."""
    if makes_path(label):
        list(paths_beside(label.task).values("pk"))


def resolve_answers(task: Task) -> None:
    """Decide again what follows from the paths of a task's problem. Does nothing if the round asks for no more labels,
    the task is gold, a reviewer has settled one of the paths, or one was taken off the queue.
    """
    round_ = Round.objects.get(pk=task.round_id)
    rule = round_.answers_wanted if task.kind == Task.Kind.WORK else None
    if rule is None:
        return
    tasks = list(paths_beside(task))
    if any(one.settlement == Settlement.RULED or one.withdrawn is not None for one in tasks):
        return
    decision = _decide(tasks, rule)
    _write(tasks, decision)
    if decision.ask and round_.status != Round.Status.CLOSED:
        for number in range(decision.ask):
            add_path(round_, task.trace.problem_id, len(tasks) + 1 + number)


def _decide(tasks: list[Task], rule: Overlap) -> Decision:
    """Decide from the paths' results. While one is wanted or being worked on, only say that more is coming."""
    labels = Label.objects.filter(task__in=tasks, surplus=False, status__in=[Label.Status.SUBMITTED, *HELD])
    known = list(labels.values_list("status", "finish_reason", "task__trace__final_answer"))
    if any(one.labels_wanted for one in tasks) or any(status in HELD for status, _, _ in known):
        return Decision("ask")
    return decide([_vote(reason, answer) for _, reason, answer in known], rule)


def _vote(finish_reason: str, answer: str | None) -> object:
    if finish_reason == Label.FinishReason.BAD_PROBLEM:
        return BAD_PROBLEM
    return answer_key(answer) if finish_reason == Label.FinishReason.SOLUTION else None


def _write(tasks: list[Task], decision: Decision) -> None:
    """Settle all paths of a settled problem. Without a consensus, the first path waits for the reviewer."""
    settled = decision.state == "settled"
    for number, task in enumerate(tasks):
        before = (task.settlement, task.settled_at, task.verdict)
        waits = decision.state == "no_consensus" and number == 0
        task.settlement = Settlement.AGREED if settled else Settlement.NO_CONSENSUS if waits else ""
        task.settled_at = (before[1] or timezone.now()) if settled else None
        task.verdict = NO_ERROR if settled and decision.verdict is not BAD_PROBLEM else None
        if (task.settlement, task.settled_at, task.verdict) != before:
            task.save(update_fields=["settlement", "settled_at", "verdict"])
