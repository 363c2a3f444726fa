"""The project in which a labeling history is played, and the plays: what people do there, by the API's functions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from labeling import queries
from labeling.actions import labeler_quality, labels, problem_withdrawals, rounds
from labeling.actions.gold import make_gold
from labeling.configs import PlainConfig, TraceFilter
from labeling.errors import LabelingError
from labeling.models import Completion, Guideline, Label, Membership, Project, Round, Task, Trace, User
from labeling.protocol.submission import Submission
from labeling.quality.consensus import AskedOverlap
from labeling.queries.carried_over import carried_over
from labeling.queries.prepared_sql import execute_prepared
from labeling.tests.factories import join, make_member, make_project, make_siblings, make_user

BEGINNING = datetime(2030, 1, 1, tzinfo=UTC)
STEPS = 3
SIBLINGS = 3
RANDOM = {"labeling_auditevent": "request_id"}


@dataclass(frozen=True)
class Opened:
    """How one of the project's rounds is opened. `source`: the half of the traces that it uses; empty: all."""

    overlap: int = 1
    priority: int = 0
    source: str = ""
    adapts: bool = False


@dataclass(frozen=True)
class Setting:
    """A project in which a history starts."""

    problems: int = 2
    gold: int = 0
    session: int = 0
    people: int = 2
    rounds: tuple[Opened, ...] = (Opened(),)
    screening: bool = False
    salt: str = "salt"


@dataclass
class Clock:
    """The only time in Python; no statement of labeling asks Postgres for the time."""

    now: datetime = BEGINNING

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Step:
    """A play, its answer, and every row of every table after it."""

    done: str
    answer: Any
    rows: dict[str, str]


@contextmanager
def frozen(clock: Clock) -> Iterator[None]:
    """Have `timezone.now` return the clock's time, even where it is the default of a model's field."""

    class Now(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]  # a plain one, as rows hold it
            return clock.now

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "datetime", Now)
        yield


def build(setting: Setting) -> Project:
    """Make the project: problems with several traces that begin alike, gold, open rounds, members, guidelines, an
    admin.
    """
    project = make_project(
        slug="two-ways",
        export_salt=setting.salt,
        gold_per_round=setting.gold,
        session_traces=setting.session,
        screening=setting.screening,
        screening_tasks=min(2, max(1, setting.gold)),
    )
    for _ in range(setting.problems):
        _siblings(project)
    for end in range(setting.gold):
        [trace] = make_siblings(project, ["Gold.", "Wrong.", f"So {end}."])
        make_gold(trace, acceptable=[1], by=None)
    Guideline.objects.create(project=project, version=1, body="Be strict.")
    for number in range(setting.people):
        make_member(project, username=f"labeler-{number}")
    join(project, make_user("the-admin"), "admin")
    for number, one in enumerate(setting.rounds):
        _open(project, one, number)
    return project


def _siblings(project: Project) -> None:
    """Make three traces that differ in their last step. The last is the second half; two have an alternative."""
    made = make_siblings(project, *(["Let x be 1.", "Then 2x = 2.", f"So {end}."] for end in range(SIBLINGS)))
    Trace.objects.filter(pk__in=[one.pk for one in made[:-1]]).update(source="first")
    Trace.objects.filter(pk=made[-1].pk).update(source="second", outcome=Trace.Outcome.WRONG)
    for one in made[1:]:
        Completion.objects.create(trace=one, step_index=1, text="Then x = 2.")


def _open(project: Project, one: Opened, seed: int) -> Round:
    asked = AskedOverlap(one.overlap, needed=2, most=3) if one.adapts else AskedOverlap(one.overlap)
    config = PlainConfig.of("filter", seed=seed, filter=TraceFilter(source=one.source or None))
    return rounds.open_round(project, by=None, config=config, overlap=asked, priority=one.priority)


class Desk:
    """The plays in the project, each as the API does it. People and objects are numbers modulo how many exist; a play
    returns `nothing` if there are none.
    """

    def __init__(self, project: Project) -> None:
        self.project = Project.objects.get(pk=project.pk)
        self.people = list(User.objects.filter(username__startswith="labeler-").order_by("pk"))
        self.admin = User.objects.get(username="the-admin")
        self.clock = Clock(BEGINNING + timedelta(days=1))
        self.sent: dict[int, tuple[int, Submission]] = {}  # by labeler: the label and the last submission
        self.keys = 0

    def step(self, name: str, how: dict[str, Any]) -> Step:
        """Do it, a second after the last action."""
        self.clock.pass_by(1)
        done: Callable[..., Any] = getattr(self, name)
        with frozen(self.clock):
            try:
                answer = done(**how)
            except LabelingError as error:
                answer = (type(error).__name__, str(error), error.extra)
        return Step(f"{name} {how}", answer, all_rows())

    def wait(self, minutes: int) -> None:
        self.clock.pass_by(60 * minutes)

    def claim(self, who: int, ahead: int = 0) -> Any:
        claim = labels.claim_next_label(self._person(who), self.project, prefetch=ahead > 0, ahead=ahead)
        return shown(claim.label), shown(claim.next), claim.empty, claim.further, shown(claim.leased)

    def submit(self, who: int, said: dict[str, Any], which: int | None = None) -> Any:
        """Submit the open label, or any."""
        label = self._label(who, which)
        return label and self._send(who, label, self._said(label, said))

    def send_again(self, who: int) -> Any:
        """Send the same submission to the same label."""
        if who not in self.sent:
            return "nothing"
        label, submission = self.sent[who]
        return self._send(who, label, submission)

    def send_elsewhere(self, who: int, said: dict[str, Any]) -> Any:
        """Submit the open label with a key that was used for another."""
        label = self._label(who, None)
        if label is None or who not in self.sent:
            return "nothing"
        key = self.sent[who][1].idempotency_key
        return self._send(who, label, Submission(**{**self._said(label, said).__dict__, "idempotency_key": key}))

    def draft(self, who: int, which: int | None = None, behind: int = 0) -> Any:
        label = self._own(who, which)
        if label is None:
            return "nothing"
        text = {"at": str(self.clock.now)}
        kept = labels.save_draft(label, draft=text, base_revision=label.draft_revision - behind)
        return kept.draft_revision, kept.leased_until, kept.last_seen_at

    def renew(self, who: int) -> Any:
        label = self._own(who, None)
        return label and labels.renew_lease(label).leased_until

    def expire(self) -> int:
        return labels.expire_overdue_labels()

    def release(self, who: int, which: int | None = None) -> Any:
        label = self._own(who, which)
        return label and labels.release_label(label, by=self._person(who)).status

    def resume(self, who: int, which: int) -> Any:
        label = self._own(who, which)
        return label and shown(labels.resume_label(label))

    def reopen(self, who: int, which: int | None = None) -> Any:
        last = self.sent.get(who)
        label = self._own(who, which) if last is None or which is not None else self._get(who, last[0])
        return label and shown(labels.reopen_label(label))

    def revise(self, who: int, which: int, said: dict[str, Any]) -> Any:
        label = self._own(who, which)
        return label and columns(labels.revise_label(label, self._said(label.pk, said)))

    def pause(self, who: int) -> None:
        labeler_quality.pause_member(self.admin, self.project, self._member(who).pk, reason="Slow.")

    def unpause(self, who: int) -> None:
        labeler_quality.unpause_member(self.admin, self.project, self._member(who).pk)

    def weigh(self) -> int:
        return len(labeler_quality.evaluate_labelers())

    def pause_round(self, which: int) -> str:
        return rounds.pause_round(self._round(which), by=self.admin).status

    def resume_round(self, which: int) -> str:
        return rounds.resume_round(self._round(which), by=self.admin).status

    def close_round(self, which: int) -> str:
        return rounds.close_round(self._round(which), by=self.admin).status

    def mark_bad(self, which: int) -> None:
        tasks = Task.objects.filter(round__project=self.project).order_by("pk")
        problem_withdrawals.mark_bad_problem(tasks[which % tasks.count()], by=self.admin, reason="No figure.")

    def new_guideline(self) -> None:
        version = Guideline.objects.filter(project=self.project).count() + 1
        Guideline.objects.create(project=self.project, version=version, body="Be stricter.")

    def archive(self, archived: bool) -> None:
        self.project.status = Project.Status.ARCHIVED if archived else Project.Status.ACTIVE
        self.project.save(update_fields=["status"])

    def _send(self, who: int, label: int, submission: Submission) -> Any:
        self.sent[who] = label, submission
        shown_label = queries.labels.get_own_label_shown(self._person(who), label)
        taken = labels.submit_label(shown_label, submission)
        return columns(taken)

    def _said(self, label: int, said: dict[str, Any]) -> Submission:
        """Return the test's submission, with what only the label knows: ids of alternatives, and carried ratings."""
        self.keys += 1
        of_label = Label.objects.get(pk=label)
        fields: dict[str, Any] = {"finish_reason": "solution", "ratings": [1] * STEPS, **said}
        if fields.pop("rate_alternative", False):
            others = Completion.objects.filter(trace=of_label.task.trace_id)
            fields["alternatives"] = [{"completion": one.pk, "rating": -1, "flagged": False} for one in others]
        if fields.pop("keep_carried", False):
            known = carried_over(of_label)
            fields |= _finished([one.rating for one in known if one.completion is None])
            fields["carried"] = [{"step": one.step, "completion": one.completion} for one in known]
        start = int(self.clock.now.timestamp() * 1000) - 500
        spans = [
            {"step": 0, "start": start, "end": start + 300},
            {"step": None, "start": start + 300, "end": start + 400},
        ]
        return Submission(idempotency_key=UUID(int=self.keys), spans=spans, total_ms=700, **fields)

    def _person(self, who: int) -> User:
        return self.people[who % len(self.people)]

    def _member(self, who: int) -> Membership:
        return self.project.memberships.get(user=self._person(who))

    def _round(self, which: int) -> Round:
        found = list(Round.objects.filter(project=self.project, number__gt=0).order_by("number"))
        return found[which % len(found)]

    def _label(self, who: int, which: int | None) -> int | None:
        """Return the labeler's open label, or one of all they have, the latest first."""
        own = Label.objects.filter(project=self.project, labeler=self._person(who))
        own = own.filter(status="open") if which is None else own
        ids = list(own.order_by("-pk").values_list("pk", flat=True))
        return ids[(which or 0) % len(ids)] if ids else None

    def _own(self, who: int, which: int | None) -> Label | None:
        label = self._label(who, which)
        return None if label is None else self._get(who, label)

    def _get(self, who: int, label: int) -> Label:
        return queries.labels.get_own_label(self._person(who), label)


def _finished(ratings: list[int | None]) -> dict[str, Any]:
    """Return the carried ratings, followed by neutral ones; a found error ends them."""
    rest = STEPS - len(ratings)
    if -1 in ratings:
        return {"finish_reason": "found_error", "ratings": ratings + [None] * rest}
    return {"finish_reason": "solution", "ratings": ratings + [0] * rest}


def columns(label: Label) -> dict[str, Any]:
    """Return the label's own columns, as the call returned them."""
    return {field.attname: getattr(label, field.attname) for field in Label._meta.concrete_fields}


def shown(label: Label | None) -> Any:
    """Return the label with all that the labeling page shows of it."""
    if label is None:
        return None
    task, trace = label.task, label.task.trace
    known = [
        (task, "pk", "kind", "settlement", "settled_at"),
        (task.round, "pk", "number", "name", "status", "overlap_most", "protocol"),
        (trace, "pk", "steps", "outcome", "alternatives"),
        (trace.problem, "pk", "text", "answer", "reference_solution", "subject", "level"),
        *([(label.guideline, "pk", "version")] if label.guideline else []),
    ]
    values = [[getattr(row, name, None) for name in names] for row, *names in known]
    return columns(label), values, carried_over(label), queries.carried_over.judged_before(label)


@cache
def _all_rows_sql() -> str:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)

    def one(table: str) -> str:
        row = f"to_jsonb(t) - '{RANDOM[table]}'" if table in RANDOM else "to_jsonb(t)"
        return f"SELECT '{table}', (SELECT jsonb_agg({row} ORDER BY {row})::text FROM {table} t)"

    return " UNION ALL ".join(one(name) for name in sorted(names) if name.startswith("labeling_"))


def all_rows() -> dict[str, str]:
    """Return the rows of every table of the product as JSON, by table."""
    return {table: rows or "[]" for table, rows in execute_prepared(_all_rows_sql(), {})}
