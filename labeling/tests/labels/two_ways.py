"""One labeling history, played twice from the same rows: with the fast path, and with it switched off.

Ids, salts and the clock are the same both times, so rows and answers must be equal without any mapping. Only the
request id of an audit event, which is random, is left out.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from labeling.actions import label_fast_path, labels
from labeling.models import Label
from labeling.queries.held_labels import HELD
from labeling.tests.labels.played_project import Clock, Desk, Setting, Step, build, frozen


@dataclass
class Taken:
    """How many labels were leased and how many submissions were requested, and how many of each took the fast path."""

    claims: int = 0
    claims_fast: int = 0
    submissions: int = 0
    submissions_fast: int = 0


@contextmanager
def fast(taken: Taken) -> Iterator[None]:
    """Count the uses of the unchanged fast path."""

    def claim(*args: Any, **named: Any) -> Any:
        found = label_fast_path.claim_fast(*args, **named)
        taken.claims_fast += found is not None
        return found

    def submit(*args: Any, **named: Any) -> bool:
        done = label_fast_path.submit_fast(*args, **named)
        taken.submissions += 1
        taken.submissions_fast += done
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "claim_fast", claim)
        patch.setattr(labels, "submit_fast", submit)
        yield


@contextmanager
def slow() -> Iterator[None]:
    """Switch off the fast path: it declines claims and submissions. A draft has no other path; here is a plain one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "claim_fast", lambda *args, **named: None)
        patch.setattr(labels, "submit_fast", lambda *args, **named: False)
        patch.setattr(labels, "save_draft_fast", _save_draft_plainly)
        yield


def _save_draft_plainly(label: Label, draft: dict[str, Any], base_revision: int, *, now: datetime) -> bool:
    stored = Label.objects.get(pk=label.pk)
    if stored.draft_revision != base_revision:
        return False
    stored.draft, stored.draft_revision, stored.last_seen_at = draft, base_revision + 1, now
    whole = now + timedelta(minutes=stored.project.lease_minutes)
    held_until = stored.leased_until if stored.status in HELD else None
    if held_until is not None and held_until < whole - timedelta(seconds=30):
        stored.leased_until = whole
    stored.save()
    label.draft_revision, label.last_seen_at, label.leased_until = (
        stored.draft_revision,
        stored.last_seen_at,
        stored.leased_until if stored.status in HELD else None,
    )
    return True


class History:
    """A project and its plays: `play` does one with the fast path at once, `compare` does all without it at the end.

    Call it inside a transaction; everything is undone at the end.
    """

    def __init__(self, setting: Setting, taken: Taken | None = None) -> None:
        self.taken = taken or Taken()
        self.plays: list[tuple[str, dict[str, Any]]] = []
        self.before = transaction.savepoint()
        try:
            restart_sequences()
            with frozen(Clock()):
                self.project = build(setting)
        except BaseException:
            self.undo()
            raise
        self.begun = transaction.savepoint()
        self.counted = sequence_values()
        self.desk = Desk(self.project)
        self.steps: list[Step] = []

    def play(self, name: str, **how: Any) -> None:
        """Play with the fast path."""
        self.plays.append((name, how))
        with fast(self.taken):
            step = self.desk.step(name, how)
        before = _labels_in(self.steps[-1]) if self.steps else 0
        self.taken.claims += _labels_in(step) - before if name == "claim" else 0
        self.steps.append(step)

    def compare(self) -> None:
        """Do it all again without the fast path: answers and rows must be equal after every step."""
        transaction.savepoint_rollback(self.begun)
        restore_sequences(self.counted)
        desk = Desk(self.project)
        with slow():
            for number, ((name, how), expected) in enumerate(zip(self.plays, self.steps, strict=True)):
                said = differences(expected, desk.step(name, how))
                assert not said, "\n".join([f"step {number}: {expected.done}", *said])

    def undo(self) -> None:
        """Undo everything."""
        transaction.savepoint_rollback(self.before)


def both_ways(setting: Setting, *plays: tuple[str, dict[str, Any]]) -> list[Step]:
    """Play them both ways and compare. Return the steps."""
    history = History(setting)
    try:
        for name, how in plays:
            history.play(name, **how)
        history.compare()
        return history.steps
    finally:
        history.undo()


def differences(fast: Step, slow: Step) -> list[str]:
    """Yield where the two ways differ, a line each."""
    found = [] if fast.answer == slow.answer else [f"answer: fast {fast.answer}", f"        slow {slow.answer}"]
    for table in fast.rows:
        if fast.rows[table] != slow.rows[table]:
            found += [f"{table}: {line}" for line in _rows_apart(fast.rows[table], slow.rows[table])]
    return found


def _labels_in(step: Step) -> int:
    return step.rows["labeling_label"].count('"claimed_at"')


def _rows_apart(fast: str, slow: str) -> list[str]:
    one, other = (json.loads(rows) for rows in (fast, slow))
    apart = [("fast", row) for row in one if row not in other] + [("slow", row) for row in other if row not in one]
    return [f"{way} {row}" for way, row in apart] or ["the same rows in another order"]


def sequence_values() -> dict[str, int]:
    """Return the last id of each sequence."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sequencename, last_value FROM pg_sequences WHERE sequencename LIKE 'labeling%'")
        return {name: last or 1 for name, last in sorted(cursor.fetchall())}


def restart_sequences() -> None:
    """Start ids at the same number each time, and each table's at its own: no id can pass for another table's."""
    restore_sequences({name: (number + 1) * 100_000 for number, name in enumerate(sequence_values())})


def restore_sequences(values: dict[str, int]) -> None:
    """Continue after these ids."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(f"setval('{name}', {last})" for name, last in values.items()))
