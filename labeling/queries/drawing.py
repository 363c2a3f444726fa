"""The scorers whose marks a round draws by or shows: looked up by id, and named in the round's config."""

from dataclasses import replace

from django.db.models import Q

from labeling.configs import PlainConfig, ScorerRef, ShownMarks
from labeling.errors import InvalidFields
from labeling.grading import GRADER_VERSION
from labeling.models import Project, StepScorer
from labeling.queries.disagreements import marked_by
from labeling.queries.rounds import usable_traces


def named(project: Project, config: PlainConfig) -> PlainConfig:
    """Return the config with its scorers as they are now and the size of an audit's pool. Raises InvalidFields."""
    by = config.by_machine
    if by is None:
        return config
    scorer = _ref(project, by.scorer.id)
    other = _ref(project, by.other.id) if by.other else None
    pool = marked_by(usable_traces(project, config.filter), scorer.id).count()
    return replace(config, by_machine=replace(by, scorer=scorer, other=other, pool=pool, grader=GRADER_VERSION))


def require_shown(project: Project, shown: ShownMarks | None) -> None:
    """Raise InvalidFields if a round would show marks of a scorer the project does not have, or would show them
    `beside` the steps when the scorer has not marked any trace yet: the round's two arms would be the same.
    """
    if shown is None:
        return
    scorer = require_scorer(project, shown.source, "machine")
    if shown.when == "beside" and not scorer.scores.filter(project=project).exists():
        said = f"{scorer.name} has marked no trace yet, so there is nothing to show. Let it run first."
        raise InvalidFields(fields={"machine": [said]})


def require_scorer(project: Project, scorer_id: int, field: str) -> StepScorer:
    """Return a step scorer from the project's lists, of any kind. Raises InvalidFields."""
    found = StepScorer.objects.filter(Q(project=None) | Q(project=project), pk=scorer_id).first()
    if found is None:
        said = "There is no such source of machine labels. Choose one from this project's list."
        raise InvalidFields(fields={field: [said]})
    return found


def _ref(project: Project, scorer_id: int) -> ScorerRef:
    found = require_scorer(project, scorer_id, "by_machine")
    return ScorerRef(found.pk, found.name, found.fingerprint)
