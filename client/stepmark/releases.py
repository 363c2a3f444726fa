"""The releases of a project: drafted, answered for, checked, released, compared, pushed, downloaded, withdrawn."""

import hashlib
import json
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, cast

from stepmark.answers import count_in, sha256_in
from stepmark.downloads import download, hash_of
from stepmark.errors import Damaged, NotUnderstood, StepmarkError
from stepmark.shapes import (
    FoundRowOut,
    IncidentOut,
    ReleaseCardOut,
    ReleaseDiffOut,
    ReleaseOut,
    ReleasePushOut,
    ReleaseSummary,
    WentIntoOut,
)
from stepmark.waiting import Told, is_finished, require_success, wait_until
from stepmark.zip_bytes import place_all, unpack

if TYPE_CHECKING:
    from stepmark.client import Stepmark

MANIFEST = "MANIFEST.json"
LARGEST_MANIFEST = 64 * 2**20  # bytes, unpacked
WAYS_OF_PACKING = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Raised by zipfile, and by reading the manifest, for a file that is no release: a password, another compression, a
# missing key.
NO_RELEASE = (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, KeyError, TypeError, ValueError)


class Releases:
    """`project.releases`. A release is named by its id. Methods wait for workers' jobs unless `wait` is false."""

    def __init__(self, site: "Stepmark", path: str) -> None:
        self.site, self.path = site, path

    def all(self) -> list[ReleaseSummary]:
        """Return the project's releases, newest first."""
        return self.site.rows(f"{self.path}/releases")

    def get(self, release_id: int) -> ReleaseOut:
        """Return one release: its state, questions and answers, what the check found, where it was pushed."""
        return cast(ReleaseOut, self.site.call("GET", f"/api/releases/{release_id}"))

    def create(self, name: str, exports: Sequence[int], *, wait: bool = True, tell: Told | None = None) -> ReleaseOut:
        """Draft a release of these exports (ids): the next version of its name, and checked."""
        made = self.site.call("POST", f"{self.path}/releases", {"name": name, "exports": list(exports)})
        return self._worked_on(made, wait, tell)

    def answer(self, release_id: int, answers: Mapping[str, str]) -> ReleaseOut:
        """Answer questions of a draft's card by their names; the other answers stay."""
        return cast(ReleaseOut, self.site.call("PATCH", f"/api/releases/{release_id}", {"answers": dict(answers)}))

    def card(self, release_id: int) -> ReleaseCardOut:
        """Return the card as it is, or as it would be now."""
        return cast(ReleaseCardOut, self.site.call("GET", f"/api/releases/{release_id}/card"))

    def check(self, release_id: int, *, wait: bool = True, tell: Told | None = None) -> ReleaseOut:
        """Check a draft again: its facts, and which of its problems are held out."""
        return self._worked_on(self._post(release_id, "check"), wait, tell)

    def remove(self, release_id: int) -> ReleaseSummary:
        """Delete a draft and return it. Its exports stay, and the next draft with its name reuses its version."""
        return cast(ReleaseSummary, self._post(release_id, "remove"))

    def publish(self, release_id: int, *, wait: bool = True, tell: Told | None = None) -> ReleaseOut:
        """Release a draft, permanently. It is refused while any answer is blank."""
        return self._worked_on(self._post(release_id, "publish"), wait, tell)

    def repack(self, release_id: int, *, wait: bool = True, tell: Told | None = None) -> ReleaseOut:
        """Pack a release again if its packing failed or its files are no longer on the server."""
        return self._worked_on(self._post(release_id, "repack"), wait, tell)

    def withdraw(self, release_id: int, because: str) -> ReleaseOut:
        """Withdraw a release; every later manifest says so, and why."""
        return cast(ReleaseOut, self._post(release_id, "withdraw", {"because": because}))

    def diff(self, release_id: int, before: int | None = None) -> ReleaseDiffOut:
        """Return what changed since the release with the id `before`, or since the previous one."""
        return cast(ReleaseDiffOut, self.site.call("GET", f"/api/releases/{release_id}/diff", params=_since(before)))

    def diff_csv(self, release_id: int, target: str | Path, before: int | None = None) -> Path:
        """Download every label that is not the same in both releases, as CSV."""
        query = f"?before={before}" if before is not None else ""
        return download(self.site.http, f"/api/releases/{release_id}/diff.csv{query}", Path(target))

    def find(self, release_id: int, row: str, file: str = "") -> FoundRowOut:
        """Return the labels that a released row was made from. The row is given by its JSON, its line's SHA-256 or its
        number, in that file of the release (`data/neutral-train.jsonl`), or else in the first file that has such a row.
        """
        return cast(FoundRowOut, self._post(release_id, "find_row", {"row": row, "file": file}))

    def label(self, release_id: int, label_id: int) -> IncidentOut:
        """Return a released label: who made it, why its trace was chosen, guidelines, PRM, and what reviewers did."""
        return cast(IncidentOut, self.site.call("GET", f"/api/releases/{release_id}/labels/{label_id}"))

    def went_into(self, release_id: int, labeler: str) -> WentIntoOut:
        """Return the releases and PRMs that hold labels of a labeler (the id in the files)."""
        path = f"/api/releases/{release_id}/trace_labeler"
        return cast(WentIntoOut, self.site.call("GET", path, params={"labeler": labeler}))

    def without(self, release_id: int, labeler: str, *, wait: bool = True, tell: Told | None = None) -> ReleaseOut:
        """Draft the next version without the labels of a labeler (the id in the files)."""
        return self._worked_on(self._post(release_id, "without", {"labeler": labeler}), wait, tell)

    def push(self, release_id: int, target: str, *, wait: bool = True, tell: Told | None = None) -> ReleasePushOut:
        """Have a worker push it to a place that the operator configured (`targets` of the release)."""
        begun = cast(ReleasePushOut, self._post(release_id, "push", {"target": target}))
        if not wait:
            return begun
        found = wait_until(lambda: self._push(release_id, begun["id"]), is_finished, tell=tell)
        return require_success("push", found)

    def download(self, release_id: int, target: str | Path) -> Path:
        """Download the release as one zip and check the hash of every file in it. Raises Damaged, NoRoom.

        A broken download resumes where it stopped, also in a later call.
        """
        release = self.get(release_id)
        if not release["is_packed"]:
            raise StepmarkError(f"Release {release_id} is not packed: it is {release['state']}, {release['status']}.")
        http = self.site.http
        told, size = sha256_in(release, "manifest_sha256", http.url), count_in(release, "bytes", http.url)
        path = f"/api/releases/{release_id}/download"
        return download(http, path, Path(target), known_as=told, size=size, check=lambda zipped: hold(zipped, told))

    def _push(self, release_id: int, push_id: int) -> ReleasePushOut:
        found = [push for push in self.get(release_id)["pushes"] if push["id"] == push_id]
        if not found:
            raise NotUnderstood(self.site.http.url, f"without the push {push_id} that it started")
        return found[0]

    def _post(self, release_id: int, what: str, body: Any = None) -> Any:
        return self.site.call("POST", f"/api/releases/{release_id}/{what}", body)

    def _worked_on(self, begun: Any, wait: bool, tell: Told | None) -> ReleaseOut:
        if not wait:
            return cast(ReleaseOut, begun)
        return require_success("release", wait_until(lambda: self.get(begun["id"]), is_finished, tell=tell))


def hold(zipped: Path, manifest_sha256: str) -> None:
    """Check every file of a release's zip against its manifest, and that against its hash. Nothing else may be in it.

    Raises Damaged.
    """
    try:
        with zipped.open("rb") as opened, zipfile.ZipFile(opened) as archive:
            _require_plain(archive.infolist())
            if archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
                raise Damaged(f"{MANIFEST} is too large for a manifest.")
            placed = place_all(opened, archive)
            manifest = b"".join(unpack(opened, placed[MANIFEST]))
            if hashlib.sha256(manifest).hexdigest() != manifest_sha256:
                raise Damaged(f"{MANIFEST} is not the one that the server announced. Download it again.")
            files = json.loads(manifest)["files"]
            _require_listed(archive.namelist(), [file["path"] for file in files])
            for file in files:
                if hash_of(unpack(opened, placed[file["path"]])) != file["sha256"]:
                    raise Damaged(f"{file['path']} has another hash than in {MANIFEST}. Download it again.")
    except NO_RELEASE as broken:
        raise Damaged(f"The download is not a release: {broken}. Download it again.") from broken


def _require_plain(entries: Sequence[zipfile.ZipInfo]) -> None:
    """Make sure that unpacking gives plain files, all within the chosen folder. Raises Damaged."""
    for entry in entries:
        name = entry.orig_filename  # as other programs read it: `filename` is cut at a NUL
        path = PureWindowsPath(name)  # handles drives, and both kinds of slash
        if name.startswith(("/", "\\")) or path.drive or ".." in path.parts or name != entry.filename:
            raise Damaged(f"{name} is not a path within a release. Do not unpack the download.")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or entry.compress_type not in WAYS_OF_PACKING:
            raise Damaged(
                f"{name} is not a plain file, or is not packed the way releases are. Do not unpack the download."
            )


def _require_listed(names: Sequence[str], listed: Sequence[str]) -> None:
    """Require the same names on both sides, each once: with two, one program reads the first and another the last."""
    there, told = Counter(names), Counter([MANIFEST, *listed])
    for name in {**there, **told}:
        if not told[name]:
            raise Damaged(f"{name} is in the zip, but {MANIFEST} does not name it. Do not unpack the download.")
        if max(there[name], told[name]) > 1:
            raise Damaged(f"{name} is in the release more than once. Do not unpack the download.")
        if not there[name]:
            raise Damaged(f"{name} is not in the zip, though {MANIFEST} names it. Download it again.")


def _since(before: int | None) -> dict[str, int]:
    return {} if before is None else {"before": before}
