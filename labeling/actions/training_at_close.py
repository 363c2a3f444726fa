"""The training that the close of a round begins: on all labels, as the project's newest was, one at a time.

`close_round` notes it on the round in its own transaction; the sweep begins it. A worker that dies between the two
loses nothing, and a close begins one training at most. Nothing is ever promoted by it.
"""

from django.conf import settings
from django.db import transaction

from labeling import queries
from labeling.actions.training_runs import create_training_run
from labeling.configs import TrainingConfig
from labeling.errors import InvalidFields, LabelingError
from labeling.models import Project, Round, TrainingRun


def sweep_closes() -> int:
    """Begin the trainings of rounds that were closed; how many."""
    return sum(begin_training(project) for project in queries.training_at_close.projects_due())


@transaction.atomic
def begin_training(project: Project) -> bool:
    """Begin one training for all of the project's closes that wait; False where none waits, none is wanted any more,
    or another training of the project is under way, behind which they wait. Where it cannot begin, the rounds say why:
    it is not tried again, and the next close learns from their labels too.
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # one of two sweeps finds them
    rounds = queries.training_at_close.rounds_to_learn(project)
    closed = [one for one in rounds if one.training_due]
    if not closed:
        return False
    if not project.trains_at_close:
        _settle(closed)
        return False
    if queries.training_at_close.under_way(project) is not None:
        return False
    newest = closed[-1]
    try:
        config = _as_the_newest(project, rounds, newest)
        run = create_training_run(project, by=None, config=config, at_close_of=newest)
    except LabelingError as error:
        _settle(closed, training_error=_sentence(error))
        return False
    _settle(closed, training=run)
    return True


def _settle(rounds: list[Round], **found: object) -> None:
    Round.objects.filter(pk__in=[one.pk for one in rounds]).update(training_due=False, **found)


def _as_the_newest(project: Project, rounds: list[Round], newest: Round) -> TrainingConfig:
    """What is asked of it: what was asked of the project's newest training, else the form's own choices."""
    ids, name = tuple(one.pk for one in rounds), f"After round {newest.number}"
    like = queries.training_at_close.newest_training(project)
    if like is None:
        base = next(iter(settings.TRAINING_BASES), "")
        return TrainingConfig(ids, base, method=TrainingRun.Method.STACKED, name=name)
    return TrainingConfig(
        ids,
        like.base,
        method=like.method,
        target=like.target,
        name=name,
        switches=like.switches,
        sources={one["id"]: one["weight"] for one in like.sources},
        options=like.trainer_options,
        seed=like.seed,
    )


def _sentence(error: LabelingError) -> str:
    """Of a form's faults the first: here is no form beside which it could stand."""
    if isinstance(error, InvalidFields):
        return str(next(iter(error.extra["fields"].values()))[0])
    return error.detail
