"""Turns a labeler's submission into rows: checks that it is complete, and records it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError

from labeling import queries
from labeling.actions.path_labels import judge_path, keep_path, path_step_labels
from labeling.count_words import count_of
from labeling.errors import ConfirmationNeeded, LabelNotOpen, ReviseTooLate, SubmissionIncomplete, SubmissionMismatch
from labeling.models import Completion, Label, StepComment, StepLabel, Task, Trace, TraceReport
from labeling.models.suggestions import Suggestion
from labeling.protocol.active_time import ActiveTime, Span, active_time
from labeling.protocol.after_error import missing_after_error
from labeling.protocol.clauses import clauses_of
from labeling.protocol.registry import protocol_named
from labeling.protocol.run_marks import marks_missing
from labeling.protocol.submission import Finding, Submission
from labeling.queries.carried_over import Position, carried_over
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.sql_slots import fill
from labeling.queries.suggestions import suggestions_rated

# By how much a span may exceed the label's own time: the page shows a label leased ahead before the
# server hears of it, and clocks drift.
CLOCK_SLACK_MS = 5_000
MOST_REVISIONS = 50  # per label: each of its pages reads all of them
# The columns of a label that a submission writes.
WRITTEN = (
    *("status", "submitted_at", "leased_until", "finish_reason", "finish_detail", "verdict", "noticed_at_step"),
    *(
        "rated_steps",
        "mistake",
        "run_marks",
        "confirmations",
        "active_ms",
        "other_active_ms",
        "total_ms",
        "client_build",
        "submission",
    ),
    "idempotency_key",
)

# Decides whether a finished label passes as gold. Every submission runs it, so that none takes longer than another.
# For work there is no gold, and no row is written.
JUDGE = """
    INSERT INTO labeling_goldresult (label_id, gold_id, project_id, labeler_id, kind, verdict, decisive,
        passed, at)
    SELECT {label}.id, gold.id, {label}.project_id, {label}.labeler_id, judged_task.kind, {label}.verdict,
        said.decisive, coalesce({label}.verdict = ANY(gold.acceptable), false) AND (said.decisive IS NULL
            OR gold.acceptable_decisive = '{}' OR said.decisive = ANY(gold.acceptable_decisive)), %(submitted_at)s
    FROM {label} JOIN labeling_task judged_task ON judged_task.id = {label}.task_id AND judged_task.kind <> 'work'
    JOIN labeling_gold gold ON gold.trace_id = judged_task.trace_id
    CROSS JOIN LATERAL (SELECT ({label}.run_marks->>'decisive_error')::int AS decisive) said {where}
    ON CONFLICT (label_id) DO UPDATE SET verdict = excluded.verdict, decisive = excluded.decisive,
        passed = excluded.passed, at = excluded.at, weighed_at = NULL
"""
JUDGE_ONE = one_line(
    f"WITH judged AS ({fill(JUDGE, label='labeling_label', where='WHERE labeling_label.id = %(label)s')}) SELECT 1"
)


def require_complete(label: Label, submission: Submission) -> None:
    """Check by the round's protocol. Raises SubmissionMismatch, SubmissionIncomplete, ConfirmationNeeded."""
    trace, protocol = label.task.trace, protocol_named(label.task.round.protocol)
    _require_fit(trace, submission)
    _require_known(label, submission)
    detail = submission.finish_detail
    missing = protocol.missing(
        submission.ratings, submission.finish_reason, detail.get("kind", ""), detail.get("text", "")
    )
    missing += _asked_at_mistake(label, submission)
    missing += marks_missing(submission.ratings, submission.run_marks)
    if missing:
        raise SubmissionIncomplete(
            "Something is still missing from this label.",
            missing=[finding.__dict__ for finding in missing],
        )
    confirmed = {c["code"] for c in submission.confirmations if c["reason"].strip()}
    open_questions = [
        finding.__dict__
        for finding in protocol.contradictions(submission.ratings, submission.finish_reason, trace.outcome)
        if finding.code not in confirmed
    ]
    if open_questions:
        raise ConfirmationNeeded(
            "This label contradicts itself or the recorded outcome: confirm it with a reason.",
            contradictions=open_questions,
        )


@dataclass(frozen=True)
class RatedSteps:
    """The steps of the trace itself that a submission rated, and the active time on each and on the rest."""

    steps: list[int]
    ratings: list[int]
    time: ActiveTime
    sources: Mapping[Position, int]

    @classmethod
    def of(cls, label: Label, submission: Submission, now: datetime) -> "RatedSteps":
        """Read them from a submission that arrives at `now`."""
        rated = {step: rating for step, rating in enumerate(submission.ratings) if rating is not None}
        sources = _sources(label, submission)
        return cls(list(rated), list(rated.values()), _time_of(label, submission, now), sources)

    def arrays(self) -> dict[str, list[Any]]:
        """Return arrays of equal length: steps, ratings, times (ms), ids of step labels they were carried over from."""
        times = [self.time.per_step[step] for step in self.steps]
        carried_from = [self.sources.get((step, None)) for step in self.steps]
        return {"steps": self.steps, "ratings": self.ratings, "times": times, "carried_from": carried_from}

    def typed(self) -> int:
        """Return how many ratings were not carried over."""
        return sum((step, None) not in self.sources for step in self.steps)


def columns_of(label: Label, submission: Submission, rated: RatedSteps, now: datetime) -> dict[str, Any]:
    """Return what a submission writes onto its label: a value for each name in WRITTEN."""
    return {
        "status": Label.Status.SUBMITTED,
        "submitted_at": now,
        "leased_until": None,
        "finish_reason": submission.finish_reason,
        "finish_detail": submission.finish_detail,
        "verdict": verdict_said(label.task.round.protocol, submission.ratings, submission.finish_reason),
        "rated_steps": None if submission.path is not None else rated.typed(),
        "noticed_at_step": submission.noticed_at_step,
        "mistake": _mistake_kept(label.task.trace, submission),
        "run_marks": _marks_kept(label, submission),
        "confirmations": submission.confirmations,
        "active_ms": rated.time.total,
        "other_active_ms": rated.time.other,
        "total_ms": submission.total_ms,
        "client_build": submission.client_build,
        "submission": submission.as_sent(),
        "idempotency_key": submission.idempotency_key,
    }


def verdict_said(protocol: str, ratings: Sequence[int | None], finish_reason: str) -> int | None:
    """Return the verdict to store with a finished label or review (sent, ruled or imported), from one rating per step.

    `protocol` is the name of the protocol of the label's round. This is the only place where actions compute a verdict;
    everything else reads the column.
    """
    return protocol_named(protocol).verdict(ratings, finish_reason)


def needs_own_rows(submission: Submission) -> bool:
    """Return whether a submission needs rows other than step labels of the trace's own steps."""
    return bool(submission.alternatives or submission.comments or submission.reports or _next_steps(submission))


def record_submission(label: Label, submission: Submission, *, now: datetime) -> None:
    """Write a checked submission to the label and its rows, in the caller's transaction."""
    if label.submitted_at is not None:  # it was reopened: remove the rows of the earlier submission
        label.step_labels.all().delete()
        label.comments.all().delete()
        label.reports.all().delete()
    if submission.path is not None:
        keep_path(label)
    rated = RatedSteps.of(label, submission, now)
    for name, value in columns_of(label, submission, rated, now).items():
        setattr(label, name, value)
    label.edited_after_reveal = label.scores_revealed_at is not None
    label.save(update_fields=[*WRITTEN, "surplus", "edited_after_reveal"])
    _write_rows(label, submission, rated)
    execute_prepared(JUDGE_ONE, {"label": label.pk, "submitted_at": now})
    if submission.path is not None:
        judge_path(label, now=now)


@contextmanager
def one_label_a_key() -> Iterator[None]:
    """Refuse an idempotency key that the labeler has used for another label. Raises LabelNotOpen."""
    try:
        yield
    except IntegrityError as fault:
        if "one_submission_a_key" not in str(fault):
            raise
        raise LabelNotOpen("This submission was already used for another label.") from fault


def require_revisable(label: Label, now: datetime) -> None:
    """Raise ReviseTooLate if a submitted label cannot be revised (`revisable_until`, and the checks here)."""
    if label.task.kind == Task.Kind.SCREENING:
        raise ReviseTooLate("A screening answer is final: the accepted one may have been shown.")
    until = queries.labels.revisable_until(label)
    if until is None or now > until:
        raise ReviseTooLate
    if queries.labeler_quality.is_barred(label.labeler, label.project):  # paused for submitted work, which must stay
        raise ReviseTooLate("Your work in this project is paused, so you cannot change what you have submitted.")
    if label.task.labels.filter(labeler=label.labeler, status=Label.Status.SUPERSEDED).count() >= MOST_REVISIONS:
        raise ReviseTooLate(f"You have revised this label {MOST_REVISIONS} times. Ask a reviewer to settle its trace.")


def _require_fit(trace: Trace, submission: Submission) -> None:
    """Raise SubmissionMismatch unless every step and alternative that the submission names exists in the trace."""
    steps = len(trace.steps)
    if len(submission.ratings) != steps:
        ratings = count_of(len(submission.ratings), "rating")
        said = f"The trace has {count_of(steps, 'step')}, but the submission has {ratings}."
        raise SubmissionMismatch(f"{said} Reload the page and submit again.")
    named = [submission.noticed_at_step, *(c["step"] for c in submission.comments)]
    named += [report.get("step") for report in submission.reports]
    marks = submission.run_marks or {}
    named += [marks.get("decisive_error"), marks.get("recovered_at"), *(act["step"] for act in marks.get("acts") or ())]
    if any(step is not None and step >= steps for step in named):
        raise SubmissionMismatch(
            f"The submission names a step beyond the last one. The trace has {count_of(steps, 'step')}."
        )
    wanted = {alternative["completion"] for alternative in submission.alternatives}
    if wanted and Completion.objects.filter(trace=trace, pk__in=wanted).count() != len(wanted):
        raise SubmissionMismatch("The submission rates an alternative that this trace does not offer.")


def _require_known(label: Label, submission: Submission) -> None:
    """Raise SubmissionMismatch on a kind of mistake, clause or suggestion that this label does not have."""
    mistake = submission.mistake or {}
    kind, clause = mistake.get("kind"), mistake.get("clause")
    scheme = label.task.round.after_error_config.error_scheme if kind else None
    if kind and (scheme is None or not scheme.holds(kind)):
        raise SubmissionMismatch(
            f"{kind} is not in this round's list of kinds of mistakes. Reload the page and choose again."
        )
    cited = {clause, *(act["clause"] for act in (submission.run_marks or {}).get("acts") or ())} - {None, ""}
    if cited and (unknown := sorted(cited - _clauses(label).keys())):
        raise SubmissionMismatch(f"The guidelines of this label have no clause {unknown[0]}. Choose another, or none.")
    if submission.suggestions:
        places = {_place(one) for one in submission.suggestions}
        if places - set(suggestions_rated(label.task.trace_id, places)):
            raise SubmissionMismatch("The submission rates a suggestion of another trace. Reload the page.")


def _clauses(label: Label) -> dict[str, str]:
    """Return the clauses of the label's guidelines, with how each begins."""
    return {one.number: one.text for one in clauses_of(label.guideline.body)} if label.guideline else {}


def _marks_kept(label: Label, submission: Submission) -> dict[str, Any] | None:
    """Return the marks on the run. Acts keep the beginning of their clause, because guidelines change."""
    marks = submission.run_marks
    if not marks or not marks.get("acts"):
        return marks
    texts = _clauses(label)
    return {**marks, "acts": [{**act, "text": texts.get(act["clause"], "")} for act in marks["acts"]]}


def _asked_at_mistake(label: Label, submission: Submission) -> list[Finding]:
    asked = label.task.round.after_error.get("asked")
    if not asked or submission.finish_reason != "found_error":
        return []
    step = verdict_said(label.task.round.protocol, submission.ratings, submission.finish_reason)
    rated = {
        one["number"]: one["rating"]
        for one in submission.suggestions
        if one["step"] == step and one["kind"] == Suggestion.Kind.EXPLANATION
    }
    return missing_after_error(asked, step, submission.mistake or {}, rated)


def _place(rated: Mapping[str, Any]) -> tuple[int, str, int]:
    return rated["step"], rated["kind"], rated["number"]


def _mistake_kept(trace: Trace, submission: Submission) -> dict[str, Any] | None:
    """Return the mistake as submitted, with the text of each machine explanation that was rated."""
    rated = [one for one in submission.suggestions if one["kind"] == Suggestion.Kind.EXPLANATION]
    if not rated:
        return submission.mistake
    texts = suggestions_rated(trace.pk, {_place(one) for one in rated})
    explanations = [{"text": texts[_place(one)], "rating": one["rating"], "flagged": one["flagged"]} for one in rated]
    return {"progress": None, "explanation": "", **(submission.mistake or {}), "explanations": explanations}


def _next_steps(submission: Submission) -> list[dict[str, Any]]:
    return [one for one in submission.suggestions if one["kind"] == Suggestion.Kind.ALTERNATIVE]


def _time_of(label: Label, submission: Submission, now: datetime) -> ActiveTime:
    """Return the active time: never more than the label's own time, and without what an earlier version counted."""
    counted: list[Span] = []
    earlier = label.supersedes
    while earlier is not None:
        counted += _spans((earlier.submission or {}).get("spans", []))
        earlier = earlier.supersedes
    wall_ms = int((now - label.claimed_at).total_seconds() * 1000) + CLOCK_SLACK_MS
    return active_time(_spans(submission.spans), len(submission.ratings), counted=counted, limit_ms=wall_ms)


def _spans(sent: list[dict[str, Any]]) -> list[Span]:
    return [Span(span["start"], span["end"], span["step"]) for span in sent]


def _sources(label: Label, submission: Submission) -> dict[Position, int]:
    """Return the earlier step label of each rating that the labeler left as it was filled in.

    A rating that was changed, or whose source cannot be found any more, counts as typed.
    """
    if not submission.carried:
        return {}
    sent: dict[Position, tuple[int | None, bool]] = {
        (step, None): (rating, False) for step, rating in enumerate(submission.ratings)
    }
    for alternative in submission.alternatives:
        for step in (mark["step"] for mark in submission.carried if mark["completion"] == alternative["completion"]):
            sent[step, alternative["completion"]] = (alternative["rating"], bool(alternative["flagged"]))
    left = {(mark["step"], mark["completion"]) for mark in submission.carried}
    return {
        known.position: known.step_label
        for known in carried_over(label)
        if known.position in left and sent.get(known.position) == (known.rating, known.flagged)
    }


def _write_rows(label: Label, submission: Submission, rated: RatedSteps) -> None:
    if submission.path is not None:
        StepLabel.objects.bulk_create(path_step_labels(label, rated.time))
    else:
        StepLabel.objects.bulk_create(_step_labels(label, submission, rated))
    StepComment.objects.bulk_create(
        StepComment(label=label, step_index=c["step"], author=label.labeler, text=c["text"])
        for c in submission.comments
    )
    TraceReport.objects.bulk_create(
        TraceReport(
            label=label,
            trace=label.task.trace,
            kind=report["kind"],
            step_index=report.get("step"),
            text=report["text"],
        )
        for report in submission.reports
    )


def _step_labels(label: Label, submission: Submission, rated: RatedSteps) -> list[StepLabel]:
    own = [
        StepLabel(
            label=label,
            step_index=step,
            rating=rating,
            active_ms=active_ms,
            **_carried(source),
        )
        for step, rating, active_ms, source in zip(*rated.arrays().values(), strict=True)
    ]
    steps = dict(
        Completion.objects.filter(
            pk__in=[alternative["completion"] for alternative in submission.alternatives]
        ).values_list("pk", "step_index")
        if submission.alternatives
        else ()
    )
    others = [
        StepLabel(
            label=label,
            step_index=steps[alternative["completion"]],
            completion_id=alternative["completion"],
            position=place,
            rating=alternative["rating"],
            flagged=alternative["flagged"],
            **_carried(rated.sources.get((steps[alternative["completion"]], alternative["completion"]))),
        )
        for place, alternative in enumerate(submission.alternatives, start=1)
        if alternative["rating"] is not None or alternative["flagged"]
    ]
    others += _rated_next_steps(label, submission, len(others))
    return own + others


def _rated_next_steps(label: Label, submission: Submission, before: int) -> list[StepLabel]:
    """Make completions of the trace from a machine's next steps that were rated. Returns their step labels."""
    rated = [one for one in _next_steps(submission) if one["rating"] is not None or one["flagged"]]
    if not rated:
        return []
    texts = suggestions_rated(label.task.trace_id, {_place(one) for one in rated})
    found = []
    for place, one in enumerate(rated, start=before + 1):
        completion, _ = Completion.objects.get_or_create(
            trace=label.task.trace,
            step_index=one["step"],
            source=Completion.Source.SUGGESTED,
            metadata={"suggestion": one["number"]},
            defaults={"text": texts[_place(one)]},
        )
        said = {"rating": one["rating"], "flagged": one["flagged"]}
        found.append(StepLabel(label=label, step_index=one["step"], completion=completion, position=place, **said))
    return found


def _carried(source: int | None) -> dict[str, Any]:
    return {} if source is None else {"source": StepLabel.Source.CARRIED, "carried_from_id": source}
