"""Reads about step scorers: which of them a project may use, and how many of its traces each has scored."""

from django.db.models import F, Q, QuerySet

from labeling.errors import InvalidFields, NotFound, PermissionDenied
from labeling.models import PrmTrial, Project, ScoreCount, ScoreImport, StepScorer, User
from labeling.queries.projects import RESEARCHER, get_project_by_id_as

CHOOSABLE = (StepScorer.Kind.PRM, StepScorer.Kind.IMPORTED)  # a round may choose by their scores


def prms_of(project: Project) -> QuerySet[StepScorer]:
    """The PRMs that a project may use: its own and the site-wide ones, newest first."""
    return scorers_of(project).filter(kind=StepScorer.Kind.PRM)


def scorers_of(project: Project) -> QuerySet[StepScorer]:
    """The scorers by which a project's rounds may choose: its PRMs, and scores made elsewhere."""
    own = StepScorer.objects.filter(Q(project=None) | Q(project=project), kind__in=CHOOSABLE)
    own = own.select_related("training_run")
    return own.defer(*(f"training_run__{name}" for name in ("label_ids", "points", "log"))).order_by("-pk")


def get_scorer(project: Project, scorer_id: int | None) -> StepScorer | None:
    """Return the scorer a round is to choose by; None for none. Raises InvalidFields if the project cannot use it."""
    return None if scorer_id is None else _named_in_a_form(scorers_of(project), scorer_id)


def require_prm(project: Project, prm_id: int) -> StepScorer:
    """Return the PRM with that id. Raises InvalidFields if the project cannot use it, or for scores made elsewhere."""
    if scorers_of(project).filter(pk=prm_id, kind=StepScorer.Kind.IMPORTED).exists():
        said = "These scores were made elsewhere, so no worker can make more. Choose a PRM, or start a round with them."
        raise InvalidFields(fields={"prm": [said]})
    return _named_in_a_form(prms_of(project), prm_id)


def require_auditor(project: Project, scorer_id: int) -> StepScorer:
    """Return a PRM or source of machine labels for a label audit. Raises InvalidFields if the project cannot use it."""
    found = StepScorer.objects.filter(Q(project=None) | Q(project=project), pk=scorer_id).first()
    if found is None:
        said = "There is no such PRM or source. Choose one from this project's lists."
        raise InvalidFields(fields={"prm": [said]})
    return found


def _named_in_a_form(scorers: QuerySet[StepScorer], scorer_id: int) -> StepScorer:
    found = scorers.filter(pk=scorer_id).first()
    if found is None:
        raise InvalidFields(fields={"prm": ["There is no such PRM. Choose one from this project's list."]})
    return found


def named_scorer(project: Project, name: str) -> StepScorer | None:
    """Return the scorer with that name that a round is to choose by. The project's own takes precedence."""
    return scorers_of(project).filter(name=name).order_by(F("project").asc(nulls_last=True)).first()


def named_prm(project: Project, name: str) -> StepScorer | None:
    """Return the PRM with that name that the project may use. The project's own takes precedence."""
    return prms_of(project).filter(name=name).order_by(F("project").asc(nulls_last=True)).first()


def get_listed_prm(project: Project, prm_id: int) -> StepScorer:
    """Return a PRM of the project's list. Raises NotFound."""
    prm = prms_of(project).filter(pk=prm_id).first()
    if prm is None:
        raise NotFound
    return prm


def get_prm_to_change(user: User, project: Project, prm_id: int) -> StepScorer:
    """Return a scorer of the project's list that this admin may change. Site-wide ones need an admin of the site.

    Raises NotFound, PermissionDenied.
    """
    prm = scorers_of(project).filter(pk=prm_id).first()
    if prm is None:
        raise NotFound
    if prm.project_id is None and not user.is_superuser:
        raise PermissionDenied("This PRM is for all projects. Only an admin of the site can change it.")
    return prm


def twins_of(prm: StepScorer) -> list[str]:
    """The names of other PRMs and scores, offered to the same project, that score alike: of the same fingerprint."""
    if not prm.fingerprint:
        return []
    offered = Q(project=None) | Q(project=prm.project_id) if prm.project_id else Q(project=None)
    found = StepScorer.objects.filter(offered, kind__in=CHOOSABLE, fingerprint=prm.fingerprint).exclude(pk=prm.pk)
    return list(found.exclude(status=StepScorer.Status.RETIRED).order_by("pk").values_list("name", flat=True))


def get_visible_trial(user: User, trial_id: int) -> PrmTrial:
    """Return a trial of a project in which this person is a researcher. Raises NotFound."""
    trial = PrmTrial.objects.select_related("scorer").filter(pk=trial_id).first()
    if trial is None:
        raise NotFound
    get_project_by_id_as(user, trial.project_id, RESEARCHER)
    return trial


def score_imports_of(project: Project) -> QuerySet[ScoreImport]:
    """The project's imports of scores."""
    return ScoreImport.objects.filter(project=project).select_related("created_by")


def get_visible_score_import(user: User, import_id: int) -> ScoreImport:
    """Return an import of a project in which this person is a researcher. Raises NotFound."""
    found = ScoreImport.objects.select_related("project", "created_by").filter(pk=import_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def knows_origin(scorer: StepScorer) -> bool:
    """Return whether it is known what it learned from: it was trained here, or its meta.json lists the texts."""
    return scorer.learned_texts is not None or getattr(scorer, "training_run", None) is not None


def scored_counts(project: Project) -> dict[int, int]:
    """Return, per PRM, how many traces of the project have a score or a reason for none. One query."""
    return dict(ScoreCount.objects.filter(project=project).values_list("scorer", "traces"))
