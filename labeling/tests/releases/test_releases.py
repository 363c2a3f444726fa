"""A release from its draft to its withdrawal: what it refuses, its folder's contents, and the way back to a label."""

import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from huggingface_hub import DatasetCardData

from labeling import queries
from labeling.actions import exports, releases, rounds
from labeling.actions.jobs import LeaseLost
from labeling.actions.labels import claim_next_label, revise_label, submit_label
from labeling.actions.problem_held_out import load_held_out
from labeling.actions.release_folder import card_of, folder_path, forget_half_packed, pack, zip_path
from labeling.actions.released_rows import find_row
from labeling.errors import InvalidFields, NotFound, NotInRelease, ReleaseNotInState, ReleaseNotReady, ReleaseWithdrawn
from labeling.formats.release_card import Card, licence_text, readme
from labeling.formats.release_questions import OVERLAP, QUESTIONS
from labeling.models import EvaluationSet, Export, Project, Release, ScreeningAttempt, User
from labeling.queries.release_diffs import diff_of, diff_rows
from labeling.selection import Mix
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_member, make_project, make_submission, make_traces
from labeling.tests.selection.pools import PoolTrace, give_scores, make_pool, make_prm, ready_round

pytestmark = pytest.mark.django_db(transaction=True)
PACKED: list[tuple[str, dict[str, Any]]] = [
    ("neutral", {}),
    ("trl_stepwise", {"gzip": True}),
    ("processbench", {}),
]
HOSTILE = "---\nlicense: mit\n--- | <b>x</b> `"


@pytest.fixture
def project() -> Project:
    made = make_project(name="Sums | <b>")
    make_traces(made, 3, generator="policy-1")
    return made


@pytest.fixture
def admin(project: Project) -> User:
    return make_member(project, "admin")


def drafted(project: Project, admin: User, *formats: str, name: str = "Sums") -> Release:
    made = [exports.create_export(project, by=None, format=format) for format in formats or ("neutral",)]
    draft = releases.create_release(project, by=admin, name=name, exports=[one.pk for one in made])
    return ran(draft)


def ran(release: Release) -> Release:
    done = releases.run_release(release.pk)
    assert done is not None
    assert done.status == "succeeded", done.error
    return done


def released(draft: Release, admin: User, **answers: str) -> Release:
    said = {question.name: "unknown" for question in QUESTIONS} | {"language": "en", "licence": "cc-by-4.0"}
    releases.answer_release(draft, by=admin, answers={**said, **answers})
    return ran(releases.publish_release(draft, by=admin))


def test_the_folder_loads_with_other_peoples_readers_and_its_hashes_hold(
    project: Project, admin: User, tmp_path: Path, settings: Any
) -> None:
    settings.SITE_URL = "https://label.example.org"
    give_label(project, [1, 0, -1])
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin, "neutral", "trl_stepwise"), admin, purpose=HOSTILE)
    with zipfile.ZipFile(releases.hand_out_release(first, by=admin)) as archive:
        archive.extractall(tmp_path)
    manifest = json.loads((tmp_path / "MANIFEST.json").read_text())
    assert hashlib.sha256((tmp_path / "MANIFEST.json").read_bytes()).hexdigest() == first.manifest_sha256
    listed = {file["path"]: file["sha256"] for file in manifest["files"]}
    found = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*") if path.is_file()}
    assert set(listed) == set(found) - {"MANIFEST.json"}
    assert all(hashlib.sha256(found[name].read_bytes()).hexdigest() == said for name, said in listed.items())
    card = (tmp_path / "README.md").read_text()
    said = yaml.safe_load(card.split("---\n")[1])
    assert DatasetCardData(**said).to_dict()["license"] == "cc-by-4.0"
    assert said["language"] == ["en"]
    assert "<b>" not in card, "what people typed is text"
    for name in ("policy-1", "Labels: 2. Labelers: 2.", "Krippendorff", "What failures remain?", "Deployment monitor"):
        assert name in card
    # Both labels are in both files, and count once.
    first.facts = {}
    assert releases.card_text(first) == card, "what is packed stays as it was written"
    for counted in ("1 at a first error", "1 without an error", "along the paths: 1 of -1, 1 of 0, 4 of 1."):
        assert counted in card
    datasets = pytest.importorskip("datasets")
    for config, rows in (("neutral-train", 2), ("trl_stepwise-train", 2)):
        assert len(datasets.load_dataset(str(tmp_path), config, cache_dir=str(tmp_path / "c"))["train"]) == rows
    described = json.loads((tmp_path / "croissant.json").read_text())
    assert described["url"] == f"https://label.example.org/projects/{project.slug}/releases/{first.pk}"
    assert {one["name"] for one in described["distribution"]} == {"neutral-train.jsonl", "trl_stepwise-train.jsonl"}
    assert {field["dataType"] for field in described["recordSet"][0]["field"]} >= {"sc:Text", "sc:Integer"}
    read = pytest.importorskip("mlcroissant").Dataset(jsonld=str(tmp_path / "croissant.json"))
    assert not read.metadata.ctx.issues.errors
    assert not read.metadata.ctx.issues.warnings
    for name, steps in (("neutral-train", "steps"), ("trl_stepwise-train", "completions")):
        lines = (tmp_path / "data" / f"{name}.jsonl").read_text().splitlines()
        loaded = [[step.decode() for step in row[f"{name}/{steps}"]] for row in read.records(name)]
        assert loaded == [json.loads(line)[steps] for line in lines]


def test_a_draft_goes_away_with_its_version_and_what_was_released_does_not(project: Project, admin: User) -> None:
    empty = exports.create_export(project, by=None, format="neutral")
    failed = releases.create_release(project, by=admin, name="Sums", exports=[empty.pk])
    with pytest.raises(ReleaseNotReady):
        releases.remove_draft(failed, by=admin)
    over = releases.run_release(failed.pk)
    assert over is not None
    assert "contain no labels" in over.error
    give_label(project, [1, 1, 1])
    later = drafted(project, admin)
    assert later.supersedes == failed
    releases.remove_draft(failed, by=admin)
    later.refresh_from_db()
    assert later.supersedes is None
    assert Export.objects.filter(pk=empty.pk).exists()
    first = released(later, admin)
    with pytest.raises(ReleaseNotInState):
        releases.remove_draft(first, by=admin)
    releases.remove_draft(drafted(project, admin), by=admin)
    assert drafted(project, admin).version == first.version + 1


def test_a_draft_that_somebody_removed_meanwhile_is_not_found(project: Project, admin: User) -> None:
    give_label(project, [1, 1, 1])
    draft = drafted(project, admin)
    releases.remove_draft(Release.objects.get(pk=draft.pk), by=admin)
    late: list[Callable[[], object]] = [
        lambda: releases.answer_release(draft, by=admin, answers={}),
        lambda: releases.check_release(draft, by=admin),
        lambda: releases.publish_release(draft, by=admin),
        lambda: releases.withdraw_release(draft, by=admin, because="A fault."),
        lambda: releases.remove_draft(draft, by=admin),
    ]
    for act in late:
        with pytest.raises(NotFound):
            act()


def test_a_name_that_turns_the_text_after_it_around_is_refused(project: Project, admin: User) -> None:
    made = exports.create_export(project, by=None, format="neutral")
    with pytest.raises(InvalidFields) as refused:
        releases.create_release(project, by=admin, name="sums\u202egnp.exe", exports=[made.pk])
    assert "U+202E" in str(refused.value.extra["fields"]["name"])
    assert releases.create_release(project, by=admin, name="מספרים", exports=[made.pk]).version == 1


def test_a_blank_answer_refuses_the_release_and_a_withdrawn_one_stands_in_every_later_manifest(
    project: Project, admin: User
) -> None:
    give_label(project, [1, 1, 1])
    draft = drafted(project, admin)
    assert draft.answers["policy_model"] == "policy-1", "what the product knows is filled in"
    with pytest.raises(InvalidFields) as refused:
        releases.publish_release(draft, by=admin)
    assert "deployment_monitor" in refused.value.extra["fields"]
    assert "policy_model" not in refused.value.extra["fields"]
    with pytest.raises(InvalidFields):
        releases.answer_release(draft, by=admin, answers={"annotators": "robots"})
    first = released(draft, admin)
    with pytest.raises(ReleaseNotInState):
        releases.answer_release(first, by=admin, answers={"purpose": "Another."})
    releases.withdraw_release(first, by=admin, because="A labeler guessed.")
    first.refresh_from_db()
    with pytest.raises(ReleaseWithdrawn):
        releases.hand_out_release(first, by=admin)
    second = released(drafted(project, admin), admin)
    assert (second.version, second.supersedes) == (2, first)
    assert [one["because"] for one in second.manifest["withdrawn"]] == ["A labeler guessed."]
    assert second.manifest["withdrawn"][0]["manifest_sha256"] == first.manifest_sha256


def test_a_difference_names_what_came_went_and_was_revised(project: Project, admin: User) -> None:
    revised, kept = give_label(project, [1, 1, 1]), give_label(project, [1, 0, 1])
    first = released(drafted(project, admin), admin)
    revise_label(revised, make_submission([1, -1, None]))
    new = give_label(project, [0, 0, 0])
    second = drafted(project, admin)
    found = diff_of(first, second)
    assert found["totals"] == {"added": 1, "removed": 0, "changed": 1, "same": 1, "verdicts": 1}
    changed, added = diff_rows(first, second)
    assert (changed.change, changed.label_before, changed.verdict_before, changed.verdict_after) == (
        "changed",
        revised.pk,
        -1,
        1,
    )
    assert changed.steps == 2, "the second is another, the third is not rated any more"
    assert (added.change, added.label_after) == ("added", new.pk)
    ids = {queries.releases.released_id(project, one.labeler) for one in (revised, new)}
    assert {part["name"] for part in found["by_labeler"]} == ids
    assert found["by_round"] == [{"name": "1", "added": 1, "removed": 0, "changed": 1}]
    assert diff_of(second, first)["totals"]["removed"] == 1
    assert kept.pk not in {row.label_before for row in diff_rows(first, second)}


def test_held_out_texts_are_found_exactly_and_nearly_and_must_be_answered_for(project: Project, admin: User) -> None:
    text = "A farmer has {} sheep and sells half of them to a neighbour who pays nine coins for each one of them."
    same, near, far = project.problems.order_by("pk")
    for problem, said in ((same, text.format("ten")), (near, text.format("forty")), (far, "What is 1 + 1?")):
        type(problem).objects.filter(pk=problem.pk).update(text=said)
    for _ in range(3):
        give_label(project, [1, 1, 1], make_member(project))
    labeler = make_member(project)
    for _ in range(3):
        give_label(project, [1, 1, 1], labeler)
    benchmark = json.dumps({"problem": text.format("ten")}).encode()
    load_held_out("Farms", io.BytesIO(benchmark), project=project)
    hashes = hashlib.sha256(b"of something else").hexdigest()
    load_held_out("Hashes", io.BytesIO(hashes.encode()), project=project)
    draft = drafted(project, admin)
    found = {row["problem"]: row for row in draft.overlaps["rows"]}
    # The hash of the problem that is the same was made of another text: it is near by its words, as the other one is.
    assert {pk: row["held_out"] for pk, row in found.items()} == {same.pk: "Farms", near.pk: "Farms"}
    assert found[same.pk]["similarity"] > found[near.pk]["similarity"] >= 0.5
    assert {one["name"]: one["by_hash_alone"] for one in draft.overlaps["lists"]}["Hashes"] == 1
    with pytest.raises(InvalidFields) as refused:
        released(draft, admin)
    assert list(refused.value.extra["fields"]) == [OVERLAP.name]
    card = folder_path(released(draft, admin, overlap="They are the warm-up.")) / "README.md"
    assert "They are the warm-up." in card.read_text()


def test_a_row_leads_to_its_label_and_a_labeler_to_all_that_holds_their_labels(project: Project, admin: User) -> None:
    labels = [give_label(project, ratings) for ratings in ([1, 1, 1], [1, -1, None], [0, 0, 1])]
    first = released(drafted(project, admin, "neutral"), admin)
    export = first.exports.get()
    lines = exports.finished_file(export).read_text().splitlines()
    for row, label in zip(lines, queries.exports.frozen_ids(export), strict=True):
        assert find_row(first, admin, row).labels == [label]
        assert find_row(first, admin, hashlib.sha256(row.encode()).hexdigest()).labels == [label]
    assert find_row(first, admin, "2").number == 2
    with pytest.raises(NotInRelease, match="No row like that is in this release"):
        find_row(first, admin, "4")
    pairs = drafted(project, admin, "trl_stepwise", name="Other")
    released_row = exports.finished_file(pairs.exports.get()).read_text().splitlines()[1]
    assert find_row(pairs, admin, released_row).number == 2
    name = queries.releases.released_id(project, labels[1].labeler)
    went = queries.releases.went_into(project, queries.releases.labels_by_labeler(project, name))
    assert [(one.pk, count) for one, count in went["releases"]] == [(pairs.pk, 1), (first.pk, 1)]
    second = released(ran(releases.release_without(first, by=admin, labeler=name)), admin)
    assert list(queries.releases.label_ids(second)) == sorted([labels[0].pk, labels[2].pk])
    assert second.manifest["without"] == [{"labeler": name, "labels": 1}]
    assert second.manifest["exports"][0]["left_out"]["labelers"] == 1
    assert second.answers == first.answers
    with pytest.raises(NotFound):
        releases.release_without(second, by=admin, labeler=name)


def test_a_push_takes_the_folder_to_the_place_that_the_operator_named(
    project: Project, admin: User, settings: Any
) -> None:
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    with pytest.raises(InvalidFields):
        releases.create_push(first, by=admin, target="https://elsewhere.example.org")
    settings.RELEASE_TARGETS = {"hub": object()}
    sent: list[tuple[Path, str]] = []

    def send(folder: Path, target: Any, title: str) -> str:
        sent.append((folder, title))
        return "https://hub.example.org/1"

    push = releases.run_push(releases.create_push(first, by=admin, target="hub").pk, send)
    assert (push.status, push.address) == ("succeeded", "https://hub.example.org/1")
    assert sent == [(folder_path(first), "Sums v1")]


def test_who_lost_a_release_while_packing_does_not_touch_what_another_worker_packed(
    project: Project, admin: User
) -> None:
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin, name="Sums\x7f"), admin)
    late = Release.objects.select_related("project", "supersedes").get(pk=first.pk)
    late.lease_token, first.lease_token = uuid4(), uuid4()
    asked = iter([None, first])

    def lost_meanwhile() -> None:
        if next(asked) is not None:
            pack(first, lambda: None)
            raise LeaseLost

    with pytest.raises(LeaseLost):
        pack(late, lost_meanwhile)
    with zipfile.ZipFile(zip_path(first)) as archive:
        assert archive.testzip() is None
        front_matter = archive.read("README.md").decode().split("---\n")[1]
    assert yaml.safe_load(front_matter)["pretty_name"] == "Sums\x7f"
    assert {one.name for one in folder_path(first).parent.glob(f".{first.pk}.*")} == set()


def test_a_release_whose_files_are_gone_is_packed_again_as_it_was(project: Project, admin: User) -> None:
    label = give_label(project, [1, 1, 1])
    made = [exports.create_export(project, by=None, format=name, **more) for name, more in PACKED]
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=[one.pk for one in made]))
    first = released(draft, admin)
    before = zip_path(first).read_bytes()
    with pytest.raises(ReleaseNotReady, match="never changes"):
        releases.repack_release(first, by=admin)
    withdrawn = released(drafted(project, admin, name="Other"), admin)
    releases.withdraw_release(withdrawn, by=admin, because="A labeler guessed.")
    revise_label(label, make_submission([1, -1, None]))
    for folder in ("releases", "exports"):
        shutil.rmtree(folder_path(first).parents[1] / folder)
    with pytest.raises(ReleaseNotReady, match="packed again"):
        releases.hand_out_release(first, by=admin)
    (folder_path(first).parent / f".{first.pk}.killed").mkdir(parents=True)
    ran(releases.repack_release(first, by=admin))
    assert zip_path(first).read_bytes() == before, "whatever was withdrawn, revised or made anew since"
    assert forget_half_packed() == 0, "it may be another worker's"
    os.utime(folder_path(first).parent / f".{first.pk}.killed", (0, 0))
    assert (forget_half_packed(), zip_path(first).exists()) == (1, True)


def test_the_description_names_the_columns_of_packed_files_too(project: Project, admin: User, tmp_path: Path) -> None:
    labeled = give_label(project, [1, 0, -1])
    made = [exports.create_export(project, by=None, format=name, **more) for name, more in PACKED]
    draft = ran(releases.create_release(project, by=admin, name="Sums", exports=[one.pk for one in made]))
    with zipfile.ZipFile(releases.hand_out_release(released(draft, admin), by=admin)) as archive:
        archive.extractall(tmp_path)
    read = pytest.importorskip("mlcroissant").Dataset(jsonld=str(tmp_path / "croissant.json"))
    for name, steps in (("neutral-train", "steps"), ("trl_stepwise-train", "completions")):
        [row] = read.records(name)
        assert [step.decode() for step in row[f"{name}/{steps}"]] == labeled.task.trace.steps
    [row] = read.records("neutral-train")
    assert (row["neutral-train/verdict"], row["neutral-train/split"]) == (2, b"train")


def test_the_card_tells_who_passed_the_screening_and_what_was_dropped_and_why(project: Project, admin: User) -> None:
    give_label(project, [1, 1, 1])
    project.rounds.update(selection={"dropped": {"near_duplicate": 7, "ungraded": 2}})
    Project.objects.filter(pk=project.pk).update(screening=True)
    tries: dict[str, Any] = {"tasks": [1], "needed": 1, "feedback": False}
    for number, passed in enumerate((1, 0, None), start=1):
        ScreeningAttempt.objects.create(project=project, labeler=admin, number=number, passed=passed, **tries)
    sets: dict[str, Any] = {"traces": 1, "problems": 1, "erroneous": 1, "source": "recorded", "grader_versions": []}
    EvaluationSet.objects.create(project=project, name="Frozen <i>", **sets)
    card = readme(card_of(drafted(project, admin)))
    assert "| 1 | 7 traces: near duplicate, 2 traces: ungraded |" in card
    assert "3 attempts were made, 50% of 2 finished attempts passed (95 % interval 0.095 to 0.905)." in card
    assert r"| Frozen \<i\> | 1 | 1 |" in card


def test_the_card_names_the_ways_by_which_each_rounds_traces_were_chosen() -> None:
    project, prm, other = make_project(), make_prm("P"), make_prm("Other | <b>")
    admin = make_member(project, "admin")
    traces = make_pool(project, prm, [PoolTrace(n, score=-n / 9, steps=[f"{n}.", "b", "c"]) for n in range(30)])
    give_scores(other, [(trace, -n / 7 % 2) for n, trace in enumerate(traces)])
    mix = Mix(unsure=0.3, disagreement=0.2, like=0.1, other=other.pk, like_traces=(traces[3].pk, traces[4].pk))
    for ways in (mix, Mix()):
        round_ = ready_round(project, prm, mode="global", k=10, control_share=0.2, mix=ways)
        rounds.publish_round(round_, by=admin)
        submit_label(claim_next_label(admin, project).label, make_submission([1, 1, -1]))
        rounds.close_round(round_, by=admin)
    card = readme(card_of(drafted(project, admin)))
    assert (
        r"| disagreement 20% (against Other \| \<b\>), unsure 30%, like 10% (2 named traces), convincing 40% | P |"
        in card
    )
    assert "| convincing 100% | P |" in card
    assert "*Unsure*, *wavering*: where the PRM doubts its own steps." in " ".join(card.split())


def test_an_imported_labelers_name_is_text_on_the_card() -> None:
    hostile = "<b>|\n## Licence: mit"
    counted = [{"labeler": hostile, "labels": 1}]
    facts: dict[str, Any] = {"labelers": counted, "without": counted, "licences": {hostile: 1}}
    card = Card("Sums", 1, "Sums", {}, facts, {}, [], None)
    assert "<b>" not in readme(card)
    assert "\n## Licence" not in readme(card) + licence_text(card)


def test_a_language_is_codes_and_a_licence_one_line_for_the_hub_refuses_the_rest(project: Project, admin: User) -> None:
    give_label(project, [1, 0, -1])
    draft = drafted(project, admin, "neutral")
    for name, said in {"language": "en\n---\nlicense: mit", "licence": "mine\n---\n"}.items():
        with pytest.raises(InvalidFields) as refused:
            releases.answer_release(draft, by=admin, answers={name: said})
        assert list(refused.value.extra["fields"]) == [name]
    first = released(draft, admin, language="en, de-CH", licence="Our own 1.0")
    with zipfile.ZipFile(releases.hand_out_release(first, by=admin)) as archive:
        said = yaml.safe_load(archive.read("README.md").decode().split("---\n")[1])
    assert (said["language"], said["license"], said["license_name"]) == (["en", "de-CH"], "other", "our-own-1.0")
