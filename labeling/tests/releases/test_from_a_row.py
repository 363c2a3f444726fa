"""Tracing a released row or label back to its origin, and who is told what on the way."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.actions import exports, releases
from labeling.actions.labels import revise_label
from labeling.actions.release_folder import card_of
from labeling.actions.released_rows import find_row
from labeling.errors import InvalidFields, NotInRelease
from labeling.formats.release_card import readme
from labeling.models import Export, Project, User
from labeling.sources.marks import Hits
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import contents, give_label
from labeling.tests.factories import make_member, make_submission
from labeling.tests.imports.files import import_bytes, lines, prm800k_row
from labeling.tests.releases.test_releases import admin, drafted, project, ran, released
from labeling.tests.sources.world import count_rollouts, rollouts

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["admin", "project"]  # fixtures


def turned_around(value: Any) -> Any:
    """The same, its keys in another order."""
    if isinstance(value, list):
        return [turned_around(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: turned_around(value[name]) for name in reversed(value)}


def test_a_row_is_found_however_it_is_spelled_and_in_the_file_that_is_named(project: Project, admin: User) -> None:
    for ratings in ([1, 1, 1], [1, -1, None], [-1, None, None]):
        give_label(project, ratings, comments=[{"step": 0, "text": "Größe ½"}])
    asked: list[tuple[str, dict[str, Any]]] = [("neutral", {}), ("prm800k", {"gzip": True}), ("trl_stepwise", {})]
    made = [exports.create_export(project, by=None, format=name, **more).pk for name, more in asked]
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=made))
    for export, opened in zip(draft.exports.order_by("pk"), ("neutral", "prm800k", "trl_stepwise"), strict=True):
        path = f"data/{opened}-train.jsonl{'.gz' * (opened == 'prm800k')}"
        said, count = exports_rows(export)[-1], export.rows
        for spelled in (json.dumps(said), json.dumps(said, indent=2), json.dumps(turned_around(said))):
            found = find_row(draft, admin, spelled)
            assert (found.file, found.number) == (path, count)
        assert find_row(draft, admin, str(count), path).export == export
        assert find_row(draft, admin, str(count), path.removeprefix("data/")).export == export
    with pytest.raises(InvalidFields) as refused:
        find_row(draft, admin, "1", "train.jsonl")
    assert "data/prm800k-train.jsonl.gz" in refused.value.extra["fields"]["file"][0]


def exports_rows(export: Any) -> list[Any]:
    return [json.loads(line) for line in contents(export).splitlines()]


def test_a_researcher_is_told_what_is_not_there_and_what_only_admins_do(project: Project, admin: User) -> None:
    first_label = give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    revised = revise_label(first_label, make_submission([1, -1, None]))
    give_label(project, [1, 1, 1])
    second = released(drafted(project, admin), admin)
    reader = Browser(make_member(project, "researcher"))
    at = f"/api/releases/{second.pk}"
    told = reader.call("GET", f"{at}/labels/{first_label.pk}", status=404)
    assert told["detail"] == f"Sums v2 does not contain label {first_label.pk}."
    told = reader.call("POST", f"{at}/find_row", {"row": "{}"}, status=404)
    assert told["detail"].startswith("No row like that is in this release.")
    assert reader.call("POST", f"{at}/withdraw", {"because": "x"}, status=403)["code"] == "permission_denied"
    told = Browser(admin).call("POST", f"{at}/withdraw", {"because": " "}, status=400)
    assert told["fields"] == {"because": ["Give a reason: every later manifest contains it."]}
    label = reader.call("GET", f"{at}/labels/{revised.pk}")
    assert (label["supersedes"], label["earlier_release"], label["later_release"]) == (first_label.pk, first.pk, None)
    listed = [one["id"] for one in reader.call("GET", f"{at}/labels")["results"]]
    assert listed == sorted(listed, reverse=True), "newest first"
    [place] = label["places"]
    found = reader.call("POST", f"{at}/find_row", {"row": str(place["number"]), "file": place["file"]})
    assert (found["labels"], found["file"]) == ([revised.pk], "data/neutral-train.jsonl")


def test_a_draft_says_which_labelers_are_published_by_their_imported_names(
    project: Project, admin: User, tmp_path: Path
) -> None:
    import_bytes(project, lines(prm800k_row("1 + 1?", labeler="Jane Smith, Acme")), tmp_path)
    give_label(project, [1, 1, 1])
    draft = drafted(project, admin)
    shown = Browser(admin).call("GET", f"/api/releases/{draft.pk}")
    assert shown["imported_names"] == ["Jane Smith, Acme"]
    [personal] = [one for one in shown["questions"] if one["name"] == "personal"]
    assert personal["note"] == "Published under the names from their imports, not under salted ids: Jane Smith, Acme."
    card = readme(card_of(draft))
    assert "the same names here and in the files as in their imports" in card
    assert "no known version for 2 labels" in card


def test_a_row_leads_to_its_labels_also_where_some_gave_none_or_several_made_it(project: Project, admin: User) -> None:
    silent = give_label(project, [1, None, None], finish_reason="give_up", finish_detail={"text": "Too long."})
    right, wrong = give_label(project, [1, 1, 1]), give_label(project, [1, -1, None])
    made = [exports.create_export(project, by=None, format=name).pk for name in ("trl_stepwise", "qwen_soft")]
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=made))
    each, together = draft.exports.order_by("pk")
    assert (each.rows, together.rows) == (2, 1)

    def led_to(export: Export, file: str) -> list[list[int]]:
        found = [find_row(draft, admin, json.dumps(row), file).labels for row in exports_rows(export)]
        assert found == [find_row(draft, admin, str(number + 1), file).labels for number in range(export.rows)]
        return found

    assert led_to(each, "data/trl_stepwise-train.jsonl") == [[right.pk], [wrong.pk]]
    assert led_to(together, "data/qwen_soft-train.jsonl") == [[silent.pk, right.pk, wrong.pk]], "all of the trace"
    shown = Browser(admin).call("GET", f"/api/releases/{draft.pk}/labels/{right.pk}")["places"]
    assert [place["number"] for place in shown] == [None, None], "counting does not tell which row it is"


def test_a_label_is_in_the_files_that_were_frozen_after_it_and_a_table_is_not_looked_through(
    project: Project, admin: User
) -> None:
    early = give_label(project, [1, 1, 1])
    first = exports.create_export(project, by=None, format="neutral", container="parquet")
    exports.run_export(first.pk)
    late = give_label(project, [1, 0, -1])
    second = exports.create_export(project, by=None, format="neutral", container="parquet")
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=[first.pk, second.pk]))
    desk, files = Browser(admin), ["data/neutral-train.parquet", "data/neutral-train-2.parquet"]
    for label, holding in ((early, files), (late, files[1:])):
        places = desk.call("GET", f"/api/releases/{draft.pk}/labels/{label.pk}")["places"]
        assert [place["file"] for place in places] == holding
    assert find_row(draft, admin, "2", files[1]).labels == [late.pk]
    with pytest.raises(NotInRelease):
        find_row(draft, admin, json.dumps({"problem": early.task.trace.problem.text}))


def test_a_row_of_rollouts_leads_to_the_labels_of_its_trace(project: Project, admin: User) -> None:
    label = give_label(project, [1, 1, 1])
    trace, source = label.task.trace, rollouts(project, n=8)
    count_rollouts(source, trace, [Hits(6, 8), Hits(8, 8), Hits(2, 8), Hits(1, 8)])
    formats = ("process_advantages", "mc_qwen")
    made = [exports.create_export(project, by=None, format=name).pk for name in formats]
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=made))
    for export, name in zip(draft.exports.order_by("pk"), formats, strict=True):
        assert export.rows > 0
        for number in range(export.rows):
            assert find_row(draft, admin, str(number + 1), f"data/{name}-train.jsonl").labels == [label.pk]
