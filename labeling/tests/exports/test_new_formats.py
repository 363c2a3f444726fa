"""A format is one record: once registered, it is requested, chunked, written and described like the existing ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from labeling.actions import exports
from labeling.actions.exports import create_export, finished_file, repeat_export, run_export
from labeling.actions.jobs import LeaseLost
from labeling.errors import InvalidFields, LabelNotCarried
from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports import EXPORT_FORMATS, export_format
from labeling.formats.exports.containers import TEXT
from labeling.formats.exports.export_format import Choice, ExportFormat, Switch
from labeling.formats.exports.switches import GOLD, SURPLUS
from labeling.models import Export, Project
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import done, import_bytes, lines, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)

OVER = Switch("over", "Chosen over rejected", (Choice("negative", "+1 over -1"), Choice("neutral", "also 0 over -1")))


def step_pairs(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[dict[str, Any]]:
    """Pair each right step with each wrong one after the same steps, from any trace or labeler."""
    rated = {
        (tuple(label.trace.steps[: item.step_index]), item.text or label.trace.steps[item.step_index], item.rating)
        for label in labels
        for item in label.step_labels
        if item.rating is not None
    }
    least = 1 if switches["over"] == "negative" else 0
    return [
        {"prompt": labels[0].trace.problem.text, "prefix": list(prefix), "chosen": chosen, "rejected": rejected}
        for (prefix, chosen, good), (other, rejected, bad) in product(sorted(rated), repeat=2)
        if prefix == other and good >= least and bad == -1
    ]


STEP_PAIRS = ExportFormat(
    name="step_pairs",
    title="Step pairs",
    kind="pairs",
    means="A right and a wrong next step after the same steps.",
    loses="Everything but the pairs.",
    group="problem",
    switches=(OVER, GOLD, SURPLUS),
    columns={"prompt": TEXT, "prefix": [TEXT], "chosen": TEXT, "rejected": TEXT},
    rows=step_pairs,
)


def sizes(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[dict[str, Any]]:
    """Write one row per group: whose labels it contains."""
    return [{"problem": labels[0].trace.problem.text, "labels": [label.id for label in labels]}]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Create three problems with two traces each, by two labelers; their labels are interleaved in the order of ids."""
    project = make_project("algebra")
    rows = [
        two_steps(f"Problem {problem}?", labeler, first, rating)
        for labeler in ("ada", "ben")
        for first, rating in (("Add.", 1), ("Guess.", -1))
        for problem in (1, 2, 3)
    ]
    assert import_bytes(project, lines(*rows), tmp_path).report["labels"]["new"] == 12
    return project


def two_steps(problem: str, labeler: str, first: str, rating: int) -> dict[str, Any]:
    """A phase 2 row whose first step has this text and rating; the second is neutral."""
    row = prm800k_row(problem, labeler)
    row["question"]["pre_generated_steps"] = [first, f"So {problem}"]
    steps = [{"completions": [done(first, rating)], "human_completion": None, "chosen_completion": 0}]
    if rating >= 0:
        steps.append(
            {"completions": [done(f"So {problem}", 0)], "human_completion": None, "chosen_completion": 0},
        )
    row["label"] |= {"steps": steps, "finish_reason": "solution" if rating >= 0 else "found_error"}
    return row


def register(monkeypatch: pytest.MonkeyPatch, format: ExportFormat) -> str:
    monkeypatch.setitem(EXPORT_FORMATS, format.name, format)
    return format.name


def test_pairs_of_steps_are_made_from_all_labels_of_a_problem(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, export = exported(project, register(monkeypatch, STEP_PAIRS))
    assert rows == [
        {"prompt": f"Problem {number}?", "prefix": [], "chosen": "Add.", "rejected": "Guess."} for number in (1, 2, 3)
    ]
    assert export.manifest["format"] == "step_pairs"
    assert export.manifest["switches"] == {"over": "negative", "gold": "exclude", "surplus": "include"}
    assert (export.manifest["rows"], export.manifest["labels"]) == (3, 12)


def test_a_switch_of_its_own_is_checked_against_its_own_choices(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = register(monkeypatch, STEP_PAIRS)
    with pytest.raises(InvalidFields) as refused:
        create_export(project, by=None, format=name, switches={"over": "everything", "after_error": "truncate"})
    assert refused.value.extra["fields"] == {
        "over": ["Choose one of negative, neutral."],
        "after_error": ["There is no such switch. The switches are over, gold, surplus."],
    }
    assert exported(project, name, switches={"over": "neutral"})[1].manifest["switches"]["over"] == "neutral"


@pytest.mark.parametrize(("group", "count", "labels"), [("problem", 3, 4), ("trace", 6, 2), ("label", 12, 1)])
def test_a_group_is_whole_wherever_a_chunk_would_have_ended(
    project: Project, monkeypatch: pytest.MonkeyPatch, group: Any, count: int, labels: int
) -> None:
    name = register(monkeypatch, replace(STEP_PAIRS, name="sizes", rows=sizes, group=group))
    for chunk in (1, 3, 5, 1000):
        monkeypatch.setattr(export_format, "CHUNK", chunk)
        rows, _ = exported(project, name)
        assert [len(row["labels"]) for row in rows] == [labels] * count, chunk
        assert len({label for row in rows for label in row["labels"]}) == 12


@pytest.mark.parametrize("packed", [False, True])
def test_a_grouped_export_that_broke_goes_on_and_ends_equal(
    project: Project, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(export_format, "CHUNK", 3)
    monkeypatch.setattr(exports, "NOTE_EVERY", 0.0)
    name = register(monkeypatch, STEP_PAIRS)
    whole = exported(project, name, gzip=packed)[1]
    broken = repeat_export(whole, by=None)

    def lost_at_the_third(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[dict[str, Any]]:
        if labels[0].trace.problem.text == "Problem 3?":
            raise LeaseLost
        return step_pairs(labels, switches)

    register(monkeypatch, replace(STEP_PAIRS, rows=lost_at_the_third))
    assert run_export(broken.pk) is None
    broken.refresh_from_db()
    assert (broken.labels_done, broken.rows) == (8, 2), "two problems are on disk"
    register(monkeypatch, STEP_PAIRS)
    Export.objects.filter(pk=broken.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    mended = run_export(broken.pk)
    assert mended is not None
    assert finished_file(mended).read_bytes() == finished_file(whole).read_bytes()
    assert mended.manifest["row_hashes"] == whole.manifest["row_hashes"]


def test_a_format_that_cannot_say_what_a_label_says_fails_the_export_and_names_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_signs(labels: Sequence[ExportedLabel], switches: Mapping[str, str]) -> list[dict[str, Any]]:
        for label in labels:
            if any(item.rating == 0 for item in label.step_labels):
                raise LabelNotCarried(f"Label {label.id} has a neutral rating, and pairs have none: leave them out.")
        return []

    name = register(monkeypatch, replace(STEP_PAIRS, rows=only_signs))
    failed = run_export(create_export(project, by=None, format=name).pk)
    assert failed is not None
    assert failed.status == "failed"
    assert "has a neutral rating, and pairs have none" in failed.error


def test_what_an_older_version_kept_is_read_with_the_defaults_of_what_came_later(project: Project) -> None:
    export = create_export(project, by=None, format="neutral")
    kept = {"filters": {}, "switches": {"neutral": "drop", "colour": "red"}, "roles": {"prm": "ours"}}
    Export.objects.filter(pk=export.pk).update(config=kept)
    finished = run_export(export.pk)
    assert finished is not None
    assert finished.status == "succeeded"
    switches = finished.manifest["switches"]
    assert (switches["neutral"], switches["aggregate"], "colour" in switches) == ("drop", "each", False)
    assert (finished.manifest["roles"]["prm"], finished.manifest["roles"]["orm"]) == ("ours", "unknown")
    assert finished.manifest["file"]["gzip"] is False
    researcher = Browser(make_member(project, "researcher"))
    assert researcher.get(f"/api/exports/{export.pk}/download")["Content-Type"] == "application/x-ndjson"
