"""One prepared round over one file, in the environment of the installation: `-m bench.one_round FILE RECORD SETTINGS`.

Imports the file into its own project, lets the workers grade, score and select, and publishes. If the file records
what people found in its traces, submits those verdicts as labels. Prints the results as JSON.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import django
from django.db.models import F

django.setup()

from labeling.actions import gradings, imports, labels, round_stages, rounds  # noqa: E402
from labeling.actions.step_scorers import register_prm  # noqa: E402
from labeling.configs import StagedConfig  # noqa: E402
from labeling.models import GradingJob, Label, Membership, Project, Round, Score, StepScorer, Trace, User  # noqa: E402
from labeling.protocol.submission import Submission  # noqa: E402
from labeling.queries.round_report import report_of  # noqa: E402

Json = dict[str, Any]
LONGEST = 3600.0  # seconds per stage
SHOWN = 8  # differing grades that are shown


def run_round(file: Path, record: Json, settings: Json) -> Json:
    """Run the round; return seconds by stage, the grader's agreement, the selection, and the report."""
    project = Project.objects.create(slug=file.stem.replace("_", "-"), name=file.stem, answer_kind=settings["answers"])
    job = imports.record_import(
        project, by=None, path=str(file), file_name=file.name, format="", dry_run=False, skip_faulty=True
    )
    imports.run_import(job.pk)
    prm = register_prm(record["path"], record)
    wait(
        lambda: StepScorer.objects.get(pk=prm.pk).status != StepScorer.Status.UNCHECKED, "a worker has checked the PRM"
    )
    prm.refresh_from_db()
    found: Json = {"file": file.stem, "traces": project.traces.count(), "problems": project.problems.count()}
    found["grading"] = agreement(project)
    config = StagedConfig(**settings["rules"])
    round_ = round_stages.start_round(project, by=None, scorer=prm, config=config, seed=1)
    wait(lambda: Round.objects.get(pk=round_.pk).status in ("ready", "failed"), "the round is ready")
    round_.refresh_from_db()
    if round_.status == Round.Status.FAILED:
        raise RuntimeError(round_.error)
    found["stages"] = [stage_seconds(round_, stage) for stage in ("grading", "scoring", "selecting")]
    found["scores"] = scores_of(project, prm)
    found["selection"] = round_.selection
    rounds.publish_round(round_, by=None)
    if settings["label"]:
        label_as_recorded(project)
    round_.refresh_from_db()
    found["report"] = report_of(rounds.close_round(round_, by=None))
    return found


def agreement(project: Project) -> Json:
    """Compare the grader's outcomes with those of the file, before anything is applied."""
    job = gradings.create_grading(project, by=None)
    wait(lambda: GradingJob.objects.get(pk=job.pk).status in ("succeeded", "failed"), "the grading is done")
    pairs = Counter(job.grades.values_list("outcome_before", "outcome"))
    decided = job.grades.exclude(outcome="ungraded").exclude(outcome_before="ungraded")
    differing = decided.exclude(outcome=F("outcome_before")).select_related("trace__problem").order_by("pk")
    return {
        "pairs": [[*pair, count] for pair, count in sorted(pairs.items())],
        "differences": [
            {
                "problem": grade.trace.problem.external_id,
                "truth": grade.trace.problem.answer,
                "found": grade.answer,
                "recorded": grade.outcome_before,
                "graded": grade.outcome,
                "reason": grade.reason,
            }
            for grade in differing[:SHOWN]
        ],
    }


def stage_seconds(round_: Round, stage: str) -> Json:
    """Return the time from the first chunk's start to the last one's end."""
    chunks = list(round_.chunks.filter(stage=stage))
    began = min((chunk.started_at for chunk in chunks if chunk.started_at), default=None)
    ended = max((chunk.finished_at for chunk in chunks if chunk.finished_at), default=None)
    seconds = (ended - began).total_seconds() if began and ended else 0.0
    return {"stage": stage, "chunks": len(chunks), "done": sum(chunk.done for chunk in chunks), "seconds": seconds}


def scores_of(project: Project, prm: StepScorer) -> Json:
    """Count the scored and unscored traces, the latter by reason."""
    rows = Score.objects.filter(scorer=prm, trace__project=project)
    reasons = Counter(rows.filter(score__isnull=True).values_list("reason", flat=True))
    return {"scored": rows.filter(score__isnull=False).count(), "unscored": dict(reasons)}


def label_as_recorded(project: Project) -> None:
    """Label every task with what people found in its trace, as recorded in the file."""
    labeler = User.objects.create_user(f"{project.slug}-people")
    Membership.objects.create(project=project, user=labeler, role=Membership.Role.ANNOTATOR)
    while (label := labels.claim_next_label(labeler, project).label) is not None:
        labels.submit_label(label, recorded(label))


def recorded(label: Label) -> Submission:
    """Return the people's verdict on a trace as a submission; a trace that they did not judge is given up."""
    trace = label.task.trace
    first, steps = trace.recorded_first_error, len(trace.steps)
    if first is None or first >= steps:
        detail = {"text": "The file does not say what people found."}
        return Submission(uuid4(), "give_up", [None] * steps, finish_detail=detail)
    if first >= 0:
        return Submission(uuid4(), "found_error", [1] * first + [-1] + [None] * (steps - first - 1))
    reason = "People found every step right; so the file says."
    doubts = [{"code": "solution_but_answer_wrong", "reason": reason}] if trace.outcome == Trace.Outcome.WRONG else []
    return Submission(uuid4(), "solution", [1] * steps, confirmations=doubts)


def wait(true: Callable[[], bool], what: str) -> None:
    """Wait until `true()`, checking twice a second. Raises RuntimeError after an hour."""
    end = time.monotonic() + LONGEST
    while not true():
        if time.monotonic() > end:
            raise RuntimeError(f"Not within an hour: {what}")
        time.sleep(0.5)


def main(arguments: Sequence[str]) -> int:
    """Run a round over FILE, with a PRM's record and the settings as JSON, and print the results."""
    file, record, settings = arguments
    print(json.dumps(run_round(Path(file), json.loads(record), json.loads(settings))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
