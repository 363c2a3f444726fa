"""The kinds of jobs: which task does each, on which queue, and what they are called in messages."""

from django.conf import settings

from labeling.models.grading import GradingJob
from labeling.models.jobs import Export, ImportJob, Job
from labeling.models.label_pushes import LabelPush
from labeling.models.project_moves import ProjectMove
from labeling.models.releases import Release, ReleasePush
from labeling.models.sources import SourceChunk
from labeling.models.step_scorers import PrmTrial, ScoreImport
from labeling.models.training import Evaluation, TrainingRun

JOBS: tuple[tuple[str, type[Job]], ...] = (
    ("worker.run_import", ImportJob),
    ("worker.run_export", Export),
    ("worker.grade_traces", GradingJob),
    ("worker.train_prm", TrainingRun),
    ("worker.evaluate_prm", Evaluation),
    ("worker.try_prm", PrmTrial),
    ("worker.import_scores", ScoreImport),
    ("worker.run_release", Release),
    ("worker.push_release", ReleasePush),
    ("worker.push_labels", LabelPush),
    ("worker.mark_traces", SourceChunk),
    ("worker.move_project", ProjectMove),
)
WORDS: dict[type[Job], str] = {
    ImportJob: "import",
    Export: "export",
    GradingJob: "grading",
    TrainingRun: "training",
    Evaluation: "evaluation",
    PrmTrial: "test scoring",
    ScoreImport: "score import",
    Release: "release",
    ReleasePush: "push of a release",
    LabelPush: "push of labels",
    SourceChunk: "chunk of a source",
    ProjectMove: "way out or back",
}


def queue_of(model: type[Job]) -> str:
    """Return the queue whose workers do jobs of this kind."""
    task = next(name for name, known in JOBS if known is model)
    return str(settings.CELERY_TASK_ROUTES.get(task, {}).get("queue", settings.CELERY_TASK_DEFAULT_QUEUE))


def kinds_on(queue: str) -> list[type[Job]]:
    """Return the kinds of jobs that workers of this queue do."""
    return [model for _task, model in JOBS if queue_of(model) == queue]
