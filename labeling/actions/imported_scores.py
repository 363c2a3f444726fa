"""Scores made elsewhere: a file of them becomes the scores of one step scorer of the kind `imported`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from labeling.actions import audit_log, kept_files
from labeling.actions.import_files import FOLDER, forget_upload, removed_unless_recorded
from labeling.actions.imports import NOT_IMPORTED, require_open, shown_name
from labeling.actions.jobs import Lease, cancel_job, finish_job, finish_unless_stopped, run_job, wake_worker
from labeling.actions.score_merge import ScoreMerge
from labeling.errors import PrmRegistered
from labeling.formats.faults import Fault, FaultLog, no_row
from labeling.formats.reading import read_rows
from labeling.formats.scores import About, about_of, parse_scores
from labeling.models import Project, ScoreCount, ScoreImport, StepScorer, Trace, User

IMPORT = "worker.import_scores"
FAMILY = "imported"  # in the record of such a scorer; no worker opens it
OTHER_MODEL = (
    "The name {name} belongs to {other}. Give these scores another name: scores of two models are never compared."
)
Json = dict[str, Any]


def create_score_import(project: Project, *, by: User, uploaded: Path, file_name: str, **asked: Any) -> ScoreImport:
    """Take over an uploaded file and queue its import. `asked`: the arguments of record_score_import.

    Raises ProjectArchived, PrmRegistered.
    """
    require_open(project)
    folder = settings.DATA_DIR / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    kept = folder / uuid4().hex
    os.replace(uploaded, kept)
    kept.chmod(0o600)
    kept_files.put(kept)
    with removed_unless_recorded(kept):
        path = f"{FOLDER}/{kept.name}"
        job = record_score_import(project, by=by, path=path, file_name=file_name, **asked)
    wake_worker(IMPORT, job.pk)
    return job


@transaction.atomic
def record_score_import(
    project: Project,
    *,
    by: User | None,
    path: str,
    file_name: str,
    name: str,
    fingerprint: str = "",
    scale: str = "",
    aggregation: str = "product",
    learned_from: str = "",
    dry_run: bool = False,
    skip_faulty: bool = False,
) -> ScoreImport:
    """Create the row of an import. `path` is relative to the data directory, or absolute if an operator named the file.

    Raises PrmRegistered if the name belongs to another model, as far as is known by now.
    """
    said = {"fingerprint": fingerprint, "scale": scale, "aggregation": aggregation}
    _refuse_another(_known(project, name), said)
    job = ScoreImport.objects.create(
        project=project,
        created_by=by,
        file_name=shown_name(file_name),
        path=path,
        name=name,
        learned_from=learned_from,
        dry_run=dry_run,
        skip_faulty=skip_faulty,
        bytes_total=(settings.DATA_DIR / path).stat().st_size,
        **said,
    )
    detail = {"file_name": job.file_name, "name": name, **said, "dry_run": dry_run, "skip_faulty": skip_faulty}
    audit_log.record("score_import.create", actor=by, project=project, target=f"score import {job.pk}", **detail)
    return job


def run_score_import(job_id: int) -> ScoreImport | None:
    """Do an import that is queued or whose worker died, wholly or not at all. Returns None if it is not free."""
    return run_job(ScoreImport, job_id, _import_file, at_end=forget_upload)


def cancel_score_import(job: ScoreImport, *, by: User) -> ScoreImport:
    """Stop an import of scores. Nothing of it is kept. Raises JobFinished."""
    return cancel_job(job, by=by, at_end=forget_upload)


def _import_file(job: ScoreImport, lease: Lease) -> None:
    """Read and write. The scores and the job's success are committed together or not at all.

    Raises FileGone, PrmRegistered, ProjectArchived.
    """
    with _opened(job) as raw, transaction.atomic(), connection.cursor() as cursor:
        reading = _Reading(job, cursor, lease, raw)
        reading.read()
        report = reading.report()
        imported = not job.dry_run and (job.skip_faulty or not reading.faults.total)
        lease.require()
        lease.end()
        ending: Json = {"report": {**report, "imported": imported}, "rows_done": reading.rows}
        ending |= {"bytes_done": job.bytes_total, "fingerprint": job.fingerprint, "scale": job.scale}
        if imported:
            finish_unless_stopped(job, **ending, scorer=reading.scorer)
        else:
            transaction.set_rollback(True)
    if not imported:
        status = ScoreImport.Status.SUCCEEDED if job.dry_run else ScoreImport.Status.FAILED
        finish_job(job, status, error="" if job.dry_run else NOT_IMPORTED, **ending)


def _opened(job: ScoreImport) -> BinaryIO:
    return kept_files.opened(settings.DATA_DIR / job.path)


class _Reading:
    """One file being read. Its first good row says whose scores these are, unless the import already does."""

    def __init__(self, job: ScoreImport, cursor: CursorWrapper, lease: Lease, raw: BinaryIO) -> None:
        self.job, self.cursor, self.lease, self.raw = job, cursor, lease, raw
        self.rows, self.faults = 0, FaultLog()
        self.about: About | None = None
        self.scorer: StepScorer | None = None
        self.merge: ScoreMerge | None = None
        self.unclear = ""  # the kind of fault that leaves it unknown whose scores these are

    def read(self) -> None:
        """Read every row: write it, or note a fault. Raises PrmRegistered."""
        self._pulse()
        for line in read_rows(self.raw, pulse=self._pulse):
            self.rows += 1
            if line.row is None:
                self.faults.add([line.fault] if line.fault else [])
            else:
                self.faults.add(self._take(line.row, line.number))
        if self.rows == 0:
            self.faults.add([no_row()])
        if self.merge is not None:
            self.faults.add(self.merge.finish())
        self._pulse()

    def report(self) -> Json:
        """Return what became of the rows. `without_score`: traces that a round by this scorer would skip."""
        new, good = (self.merge.new, self.merge.good) if self.merge else (0, 0)
        traces = Trace.objects.filter(project=self.job.project, is_path=False).count()
        scored = ScoreCount.objects.filter(scorer=self.scorer, project=self.job.project).first()
        told: Json = {"rows": self.rows, "scores": {"new": new, "known": good - new}}
        return told | {
            "without_score": traces - (scored.traces if scored else 0),
            "faults": self.faults.as_json(),
        }

    def _pulse(self) -> None:
        self.lease.progress = {"bytes_done": self.raw.tell(), "rows_done": self.rows}
        self.lease.require()

    def _take(self, row: Json, line: int) -> list[Fault]:
        if self.about is None:
            unclear = self._begin(row, line)
            if self.about is None:
                return unclear
        assert self.merge is not None
        parsed, faults = parse_scores(row, line, self.about)
        if parsed is not None and self.merge.add(parsed):
            faults = self.merge.write()
            self._pulse()
        return faults

    def _begin(self, row: Json, line: int) -> list[Fault]:
        self.about, faults = about_of(row, line, fingerprint=self.job.fingerprint, scale=self.job.scale)
        if faults and faults[0].kind == self.unclear:
            return []  # reported with the first such row; it is one fault of the file
        self.unclear = faults[0].kind if faults else ""
        if self.about is not None:
            self.job.fingerprint, self.job.scale = self.about
            self.scorer = _scorer_of(self.job)
            self.merge = ScoreMerge(self.cursor, self.scorer, self.job.project_id)
        return faults


def _scorer_of(job: ScoreImport) -> StepScorer:
    """Return the step scorer that these scores belong to, new or known. Raises PrmRegistered."""
    said = {name: getattr(job, name) for name in ("fingerprint", "scale", "aggregation")}
    about = {
        "kind": StepScorer.Kind.IMPORTED,
        "spec": {"family": FAMILY, "aggregation": job.aggregation},
        "status": StepScorer.Status.READY,
        "fingerprint": job.fingerprint,
        "scale": job.scale,
        "learned_from": job.learned_from,
        "created_by": job.created_by,
        "checked_at": timezone.now(),
    }
    known, _ = StepScorer.objects.get_or_create(project=job.project, name=job.name, defaults=about)
    _refuse_another(known, said)
    return known


def _known(project: Project, name: str) -> StepScorer | None:
    return StepScorer.objects.filter(project=project, name=name).first()


def _refuse_another(known: StepScorer | None, said: Mapping[str, str]) -> None:
    """Raise PrmRegistered if the name belongs to other scores. A part that is not given yet conflicts with nothing."""
    if known is None:
        return
    if known.kind != StepScorer.Kind.IMPORTED:
        raise PrmRegistered(OTHER_MODEL.format(name=known.name, other="a PRM that workers run here"))
    if known.status == StepScorer.Status.RETIRED:
        raise PrmRegistered(OTHER_MODEL.format(name=known.name, other="scores that were retired"))
    kept = {"fingerprint": known.fingerprint, "scale": known.scale, "aggregation": known.aggregation}
    for part, value in said.items():
        if value and value != kept[part]:
            raise PrmRegistered(OTHER_MODEL.format(name=known.name, other=f"scores with the {part} {kept[part]}"))
