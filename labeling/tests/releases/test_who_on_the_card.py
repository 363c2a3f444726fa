"""A release's card about labelers and graders, each counted correctly."""

from pathlib import Path

import pytest

from labeling.actions import exports, releases
from labeling.actions.release_folder import card_of
from labeling.actions.reviews import settle_task
from labeling.formats.release_card import readme
from labeling.models import Label, Project, Trace, User
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_member
from labeling.tests.imports.files import import_bytes, lines, prm800k_row
from labeling.tests.releases.test_releases import admin, drafted, project, ran

__all__ = ["admin", "project"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_card_tells_labelers_imported_names_and_reviewers_apart_and_counts_traces_as_traces(
    project: Project, admin: User, tmp_path: Path
) -> None:
    import_bytes(project, lines(prm800k_row("1 + 1?", labeler="Jane"), prm800k_row("2?", labeler="Joe")), tmp_path)
    first, ada = make_member(project), make_member(project)
    label = give_label(project, [1, 1, 1], first)
    Trace.objects.filter(pk=label.task.trace_id).update(grader_version="9")
    assert give_label(project, [1, -1, None], ada).task_id == label.task_id
    settle_task(label.task, by=admin, ratings=[1, 1, 1], finish_reason="solution", note="")
    made = [{"format": "neutral"}, {"format": "trl_stepwise", "switches": {"aggregate": "adjudicated"}}]
    files = [exports.create_export(project, by=None, **asked).pk for asked in made]
    card = readme(card_of(ran(releases.create_release(project, by=admin, name="Sums", exports=files))))
    assert "Labels: 5. Labelers: 2. Labeler names from imports: 2. Reviewers who ruled: 1. Made" in card
    [told] = [line for line in card.splitlines() if line.startswith("Traces by")]
    others = Label.objects.filter(project=project).values("task__trace").distinct().count() - 1
    assert told.startswith(f"Traces by the grader of their answers: 1 by version 9, {others} not graded by Stepmark")


def test_a_card_answers_no_question_that_it_does_not_ask(project: Project, admin: User) -> None:
    give_label(project, [1, 1, 1])
    draft = drafted(project, admin)
    draft.overlaps |= {"exact": 1}
    card = readme(card_of(draft))
    assert "## Who labeled\n" in card
    assert "Contact: unknown" in card
    assert "**Who are the labelers, and how were they found and paid?** unknown" in card
    assert "**Which parts are held out, and why are they released anyway?** unknown" in card
    assert "unknown" not in card.splitlines(), "a line of its own would say of nothing that it is unknown"
