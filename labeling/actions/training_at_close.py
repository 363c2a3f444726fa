"""The training that the close of a round starts: on all labels, like the project's newest training, one at a time.

`close_round` notes it on the round in its own transaction, and the sweep starts it. Nothing is lost if a worker dies
between the two, and a close starts at most one training. It never promotes anything.
"""

from django.conf import settings
from django.db import transaction

from labeling import queries
from labeling.actions.training_runs import create_training_run
from labeling.configs import TrainingConfig
from labeling.errors import InvalidFields, LabelingError
from labeling.models import Project, Round, TrainingRun


def sweep_closes() -> int:
    """Start the trainings of closed rounds. Returns how many."""
    return sum(begin_training(project) for project in queries.training_at_close.projects_due())


@transaction.atomic
def begin_training(project: Project) -> bool:
    """Start one training for all of the project's waiting closes. Returns False if none waits, none is wanted any more,
    or another training of the project is queued or running, for which they wait. If it cannot start, the rounds say
    why. It is not tried again, but the next close learns from their labels too.
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # of two sweeps, one finds them
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
    """Return the settings of the project's newest training, or else the form's defaults."""
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
    """Return the error's text; for a form's faults the first one, as there is no form here to show it in."""
    if isinstance(error, InvalidFields):
        return str(next(iter(error.extra["fields"].values()))[0])
    return error.detail
