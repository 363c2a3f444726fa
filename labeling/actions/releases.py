"""Releases: exports with a name and a version. They are checked, answered for, packed, pushed and withdrawn."""

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unicodedata import bidirectional

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log, kept_files
from labeling.actions.export_file import hashes_path
from labeling.actions.exports import config_of, export_without, file_path, is_intact, repeat_export, run_export
from labeling.actions.jobs import Lease, run_job, wake_worker
from labeling.actions.release_folder import card_of, checked_zip, is_at_hand, pack, unpacked_folder, zip_path
from labeling.errors import (
    InvalidFields,
    NotFound,
    ReleaseFailed,
    ReleaseNotInState,
    ReleaseNotReady,
    ReleaseWithdrawn,
)
from labeling.formats.exports.containers import CONTAINERS
from labeling.formats.release_card import readme
from labeling.formats.release_questions import answer_faults, blank_faults
from labeling.models import Export, Project, Release, ReleasePush, User

RUN, PUSH = "worker.run_release", "worker.push_release"
ZIP = "application/zip"
STEERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # in Unicode's bidirectional algorithm
PAUSE = 0.2  # seconds between two checks of an export that another worker writes
OVER = (Export.Status.FAILED, Export.Status.CANCELLED)
Json = dict[str, Any]


@transaction.atomic
def create_release(project: Project, *, by: User | None, name: str, exports: Sequence[int]) -> Release:
    """Create a draft of these exports (ids) as the next version of its name. A worker checks it. Raises InvalidFields,
    ProjectTakenOut.
    """
    queries.projects.require_rows(project)
    name = " ".join(name.split())
    faults = {}
    if steering := sorted({character for character in name if bidirectional(character) in STEERING}):
        listed = ", ".join(f"U+{ord(character):04X}" for character in steering)
        faults["name"] = [f"Leave out {listed}: it reverses the text after it wherever the name is shown."]
    found = list(project.exports.filter(pk__in=exports).exclude(status__in=OVER).order_by("pk"))
    unknown = sorted(set(exports) - {export.pk for export in found})
    if unknown or not found:
        listed = ", ".join(map(str, unknown))
        none = f"The project has no such export, or it failed: {listed}." if unknown else "Choose at least one export."
        faults["exports"] = [none]
    elif len(containers := {config_of(export).container for export in found}) > 1:
        faults["exports"] = [_one_container(containers)]
    if faults:
        raise InvalidFields(fields=faults)
    return _draft(project, name, found, by=by)


def _one_container(containers: set[str]) -> str:
    titles = " and ".join(sorted(CONTAINERS[name].title for name in containers))
    return (
        f"These are {titles}. The Hugging Face Hub's loader reads all files of a folder as one kind. Export them all"
        " as the same kind, or make one release per kind."
    )


def _draft(project: Project, name: str, exports: Sequence[Export], *, by: User | None, **columns: Any) -> Release:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # assign versions one at a time
    same = Release.objects.filter(project=project, name=name)
    before = columns.pop("supersedes", None) or same.order_by("-version").first()
    version = (same.aggregate(Max("version"))["version__max"] or 0) + 1
    answers = _typed(before.answers, _filled_in(before)) if before else {}
    release = Release.objects.create(
        project=project, name=name, version=version, created_by=by, supersedes=before, answers=answers, **columns
    )
    release.exports.set(exports)
    audit_log.record("release.create", actor=by, project=project, target=f"release {release.pk}", title=release.title)
    wake_worker(RUN, release.pk)
    return release


@transaction.atomic
def answer_release(release: Release, *, by: User, answers: Mapping[str, str]) -> Release:
    """Store a person's answers for the card of a draft; others stay. Raises InvalidFields, ReleaseNotInState."""
    faults = answer_faults(answers)
    if faults:
        raise InvalidFields(fields=faults)
    draft = _locked(release, Release.State.DRAFT)
    draft.answers |= answers
    draft.save(update_fields=["answers"])
    names = sorted(answers)
    audit_log.record("release.answer", actor=by, project=release.project, target=f"release {draft.pk}", answers=names)
    return draft


@transaction.atomic
def check_release(release: Release, *, by: User) -> Release:
    """Check a draft again, with its current facts and overlaps. Raises ReleaseNotInState, ReleaseNotReady."""
    draft = _locked(release, Release.State.DRAFT)
    _require_over(draft)
    audit_log.record("release.check", actor=by, project=release.project, target=f"release {draft.pk}")
    return _queued(draft)


@transaction.atomic
def remove_draft(release: Release, *, by: User) -> None:
    """Remove a draft as if it had never existed: its version number is free again. Its exports stay.

    Raises ReleaseNotInState, ReleaseNotReady.
    """
    draft = _locked(release, Release.State.DRAFT)
    _require_over(draft)
    audit_log.record(
        "release.remove", actor=by, project=release.project, target=f"release {draft.pk}", title=draft.title
    )
    draft.superseded_by.update(supersedes=draft.supersedes_id)
    draft.delete()


@transaction.atomic
def publish_release(release: Release, *, by: User) -> Release:
    """Make a checked draft a release, for good. A worker packs it. Raises InvalidFields for every blank answer, and
    ReleaseNotReady if it was not checked, or if the held-out problems have changed since.
    """
    draft = _locked(release, Release.State.DRAFT)
    if draft.status != Release.Status.SUCCEEDED:
        raise ReleaseNotReady(state=draft.state, status=draft.status)
    if draft.overlaps["lists"] != queries.release_overlaps.compared_lists(draft.project):
        raise ReleaseNotReady("The held-out problems have changed since this draft was checked. Check it again.")
    faults = blank_faults(draft.answers, draft.overlaps["exact"] + draft.overlaps["near"])
    if faults:
        raise InvalidFields(fields=faults)
    draft.state, draft.released_by, draft.released_at = Release.State.RELEASED, by, timezone.now()
    audit_log.record("release.publish", actor=by, project=release.project, target=f"release {draft.pk}")
    return _queued(draft)


@transaction.atomic
def repack_release(release: Release, *, by: User) -> Release:
    """Pack a release again, with the same bytes, if its packing failed or its files are gone.

    Raises ReleaseNotInState, ReleaseNotReady.
    """
    held = _locked(release, Release.State.RELEASED)
    _require_over(held)
    if is_at_hand(held):
        raise ReleaseNotReady("This release is packed. A packed release never changes.", state=held.state)
    audit_log.record("release.repack", actor=by, project=release.project, target=f"release {held.pk}")
    return _queued(held)


@transaction.atomic
def withdraw_release(release: Release, *, by: User, because: str) -> Release:
    """Withdraw a release: it can no longer be downloaded, and every later manifest of the project names it.

    Raises InvalidFields, ReleaseNotInState.
    """
    if not because.strip():
        raise InvalidFields(fields={"because": ["Give a reason: every later manifest contains it."]})
    held = _locked(release, Release.State.RELEASED)
    held.state, held.withdrawn_by, held.withdrawn_at = Release.State.WITHDRAWN, by, timezone.now()
    held.withdrawn_because = because.strip()
    held.save(update_fields=["state", "withdrawn_by", "withdrawn_at", "withdrawn_because"])
    audit_log.record("release.withdraw", actor=by, project=release.project, target=f"release {held.pk}")
    return held


@transaction.atomic
def release_without(release: Release, *, by: User, labeler: str) -> Release:
    """Create the draft of a new version without one labeler's labels (`labeler`: the salted id). Nothing else changes.

    Raises NotFound if the release has no labels of theirs.
    """
    people = queries.releases.people_called(release.project, labeler)
    gone = set(queries.releases.labels_by(release.project, people))
    held = len(gone.intersection(queries.releases.label_ids(release)))
    if not held:
        raise NotFound
    exports = [export_without(export, gone, by=by) for export in queries.releases.exports_in(release)]
    without = [*release.without, {"labeler": labeler, "labels": held}]
    return _draft(release.project, release.name, exports, by=by, supersedes=release, without=without)


def run_release(release_id: int) -> Release | None:
    """Check a draft, or pack a release. Returns None if it is not free."""
    return run_job(Release, release_id, _work)


def _work(release: Release, lease: Lease) -> Json:
    if release.state == Release.State.DRAFT:
        return _check(release, lease)
    for export in queries.releases.exports_in(release):
        _require_kept(export, release, lease)
    packed = pack(release, lease.require)
    return {
        "manifest": packed.manifest,
        "manifest_sha256": packed.sha256,
        "bytes": packed.bytes,
        "words": packed.words,
    }


def _require_kept(export: Export, release: Release, lease: Lease) -> None:
    """Rewrite an export's file if it is gone or damaged, from its frozen labels. Raises ReleaseFailed if the bytes
    differ.
    """
    if is_intact(export):
        return
    again = repeat_export(export, by=release.released_by)
    _require_written(again, lease)
    again.refresh_from_db(fields=["sha256"])
    if again.sha256 != export.sha256:
        raise ReleaseFailed(
            f"The file of export {export.pk} is gone or damaged, and its data has changed since. Restore the data"
            " directory from a backup, or make the next version."
        )
    for name in (file_path, lambda one: hashes_path(file_path(one))):
        part = name(export).with_name(f".{name(export).name}.{release.pk}.part")
        shutil.copyfile(name(again), part)
        os.replace(part, name(export))  # a worker killed before leaves no half file under this name
        kept_files.put(name(export))


def _check(release: Release, lease: Lease) -> Json:
    for export in queries.releases.exports_in(release):
        _require_written(export, lease)
    ids = queries.releases.label_ids(release)
    if not ids:
        raise ReleaseFailed("Its exports contain no labels. Export some labels, and make a release of that export.")
    exports = queries.releases.exports_in(release)
    counted = queries.release_facts.counted_answers(ids)
    overlaps = queries.release_overlaps.overlaps_of(release.project, ids)
    lease.require()
    facts = queries.release_facts.facts_of(release, ids)
    _suggest(release, counted | queries.release_facts.answers_of_exports(exports))
    return {"facts": facts | {"counted_answers": counted}, "overlaps": overlaps}


def _require_written(export: Export, lease: Lease) -> None:
    """Write an export, or wait while another worker writes it. Raises ReleaseFailed."""
    while export.status != Export.Status.SUCCEEDED:
        if export.status in OVER:
            raise ReleaseFailed(f"Export {export.pk} was not finished. {export.error}")
        lease.require()
        run_export(export.pk)
        export.refresh_from_db(fields=["status", "error"])
        if export.status != Export.Status.SUCCEEDED:
            time.sleep(PAUSE)


@transaction.atomic
def _suggest(release: Release, suggested: Mapping[str, str]) -> None:
    """Fill in the answers nobody has given. What people have typed in the meantime stays."""
    draft = Release.objects.select_for_update().get(pk=release.pk)
    typed = _typed(draft.answers, _filled_in(draft))
    Release.objects.filter(pk=release.pk).update(answers={**suggested, **typed})


def _filled_in(release: Release) -> Json:
    """Return what the product answered at the last check: figures of this version's labels only."""
    if not release.facts:
        return {}
    kept: Json | None = release.facts.get("counted_answers")  # missing if an older Stepmark checked it
    return queries.release_facts.counted_answers(queries.releases.label_ids(release)) if kept is None else kept


def _typed(answers: Mapping[str, str], filled_in: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in answers.items() if text.strip() and text != filled_in.get(name)}


def card_text(release: Release) -> str:
    """Return the card as in README.md, or as README.md would be now. A packed card never changes."""
    return str(release.words["README.md"]) if release.words else readme(card_of(release))


def hand_out_release(release: Release, *, by: User, link: bool = False) -> Path | str:
    """Return the zip for download; the audit log records by whom. Raises ReleaseNotReady, ReleaseWithdrawn,
    FileChanged.

    With `link`, return an address to get it from, if there is one.
    """
    path, name = _packed(release), f"{file_stem(release)}.zip"
    address = kept_files.link_to(path, file_name=name, content_type=ZIP, size=release.bytes) if link else None
    found = address or checked_zip(release)
    audit_log.record("release.download", actor=by, project=release.project, target=f"release {release.pk}")
    return found


def file_stem(release: Release) -> str:
    """Return the name of its downloads without their ending: letters, digits, hyphens, underscores."""
    return f"{release.project.slug}-release-{release.pk}-v{release.version}"


@transaction.atomic
def create_push(release: Release, *, by: User, target: str) -> ReleasePush:
    """Queue a push of a release to a place in RELEASE_TARGETS. Raises InvalidFields, ReleaseNotReady."""
    if target not in settings.RELEASE_TARGETS:
        known = ", ".join(settings.RELEASE_TARGETS) or "none: the operator names them in RELEASE_TARGETS"
        raise InvalidFields(fields={"target": [f"There is no such place. Choose one of: {known}."]})
    _packed(release)
    push = ReleasePush.objects.create(project=release.project, release=release, target=target, created_by=by)
    audit_log.record("release.push", actor=by, project=release.project, target=f"release {release.pk}", to=target)
    wake_worker(PUSH, push.pk)
    return push


# Sends a folder to a place, as the release with this title. Returns the address where it can be seen.
Send = Callable[[Path, Any, str], str]


def run_push(push_id: int, send: Send) -> ReleasePush | None:
    """Push a release that waits. Pushing it twice does no harm."""

    def work(push: ReleasePush, lease: Lease) -> Json:
        release = Release.objects.select_related("project").get(pk=push.release_id)
        target = settings.RELEASE_TARGETS.get(push.target)
        if target is None:
            raise ReleaseFailed(f"This worker knows no place called {push.target}. Set RELEASE_TARGETS for it too.")
        _packed(release)
        return {"address": send(unpacked_folder(release), target, release.title)}

    return run_job(ReleasePush, push_id, work)


def _packed(release: Release) -> Path:
    """Return the path of the zip, which is here or in the bucket. Raises ReleaseWithdrawn, ReleaseNotReady."""
    if release.state == Release.State.WITHDRAWN:
        raise ReleaseWithdrawn
    if not release.is_packed:
        raise ReleaseNotReady(state=release.state, status=release.status)
    if not is_at_hand(release):
        gone = "Its files are no longer on the server. An admin can have it packed again, unchanged."
        raise ReleaseNotReady(gone, state=release.state, status=release.status)
    return zip_path(release)


def _locked(release: Release, state: str) -> Release:
    """Lock a release. Raises ReleaseNotInState, and NotFound if the draft has been removed since it was read."""
    held = Release.objects.select_for_update().filter(pk=release.pk).first()
    if held is None:
        raise NotFound
    if held.state != state:
        raise ReleaseNotInState(f"This release is {held.state}, not {state}.", state=held.state)
    held.project = release.project
    return held


def _require_over(release: Release) -> None:
    if release.status in (Release.Status.QUEUED, Release.Status.RUNNING):
        raise ReleaseNotReady("A worker is working on it. Wait until it has finished.", state=release.state)


def _queued(release: Release) -> Release:
    release.status, release.attempts, release.error, release.leased_until = Release.Status.QUEUED, 0, "", None
    release.save()
    wake_worker(RUN, release.pk)
    return release
