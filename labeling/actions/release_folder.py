"""A release's folder (card, licence, croissant.json, manifest and rows), to push as a folder and to download as one
zip.

The same release always gives the same bytes: the archive contains no time, and the rows are those of its exports.
"""

import gzip
import hashlib
import json
import os
import shutil
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from django.conf import settings

from labeling import queries
from labeling.actions import kept_files
from labeling.actions.export_file import sha256_of
from labeling.actions.exports import config_of, file_path, finished_file, format_of
from labeling.errors import ReleaseFailed
from labeling.formats.croissant import FileFacts, Plain, croissant, plain_columns, written
from labeling.formats.release_card import Card, DataFile, licence_text, readme, split_of
from labeling.models import Export, Release

FOLDER = "releases"  # in the data directory
MANIFEST, WORDS = "MANIFEST.json", ("README.md", "LICENSE", "croissant.json")
FIRST_ROWS = 200  # used to describe the columns
PIECE = 2**20
STRAY_SECONDS = 24 * 3600.0
PACKED_ALREADY = (".gz", ".parquet")
Json = dict[str, Any]


class Packed(NamedTuple):
    """The result of packing. `words`: the text of every file except the rows."""

    manifest: Json
    sha256: str
    bytes: int
    words: dict[str, str]


def folder_path(release: Release) -> Path:
    """Return the path of a release's folder. No part of it was typed by a person."""
    return Path(settings.DATA_DIR) / FOLDER / str(release.pk)


def zip_path(release: Release) -> Path:
    """Return the path of the folder's zip."""
    return folder_path(release).with_suffix(".zip")


def is_at_hand(release: Release) -> bool:
    """Return whether the release is packed and its zip still exists."""
    return release.is_packed and kept_files.exists(zip_path(release))


def card_of(release: Release) -> Card:
    """Return a release's card with its current content."""
    exports = queries.releases.exports_in(release)
    return Card(
        release.name,
        release.version,
        release.project.name,
        release.answers,
        release.facts,
        release.overlaps,
        [
            DataFile(path, export.format, _split(release, export), export.rows, export.bytes)
            for export, path in zip(exports, data_paths(release, exports), strict=True)
        ],
        release.supersedes.title if release.supersedes else None,
    )


def data_paths(release: Release, exports: Sequence[Export]) -> list[str]:
    """Return the path of each export's rows in the folder: by format and split, numbered if that is not unique. Once
    packed, return the paths of that time.
    """
    if packed := release.manifest.get("exports"):
        return [about["path"] for about in packed]
    seen: Counter[str] = Counter()
    found = []
    for export in exports:
        name = f"{export.format}-{_split(release, export)}"
        seen[name] += 1
        number = f"-{seen[name]}" if seen[name] > 1 else ""
        found.append(f"data/{name}{number}{''.join(file_path(export).suffixes)}")
    return found


def _split(release: Release, export: Export) -> str:
    """Name the splits that the check found, or those the export was asked for if no check has found any yet."""
    asked = config_of(export).filters.get("split")
    known = release.facts.get("splits_by_export", {}).get(str(export.pk))
    return split_of(known or ([asked] if asked else ["held_out", "train"]))


def pack(release: Release, still_mine: Callable[[], None]) -> Packed:
    """Write folder and zip under temporary names, then move them into place. Calls `still_mine` between pieces."""
    folder = folder_path(release).with_name(f".{release.pk}.{release.lease_token}")
    zipped = folder.with_name(f"{folder.name}.zip")  # this lease's own: who lost a lease still closes theirs
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "data").mkdir(parents=True, mode=0o700)
    try:
        exports = queries.releases.exports_in(release)
        paths = data_paths(release, exports)
        for export, path in zip(exports, paths, strict=True):
            os.link(finished_file(export), folder / path)
            still_mine()
        manifest = _write_words(release, folder, exports, paths)
        _require_same(release, folder)
        _zip(folder, zipped, still_mine)
        return _put(release, folder, zipped, manifest)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        zipped.unlink(missing_ok=True)


def _require_same(release: Release, folder: Path) -> None:
    """Raise ReleaseFailed if the files differ from the release: it never changes, whatever later versions write."""
    if release.is_packed and sha256_of(folder / MANIFEST) != release.manifest_sha256:
        raise ReleaseFailed(
            "It cannot be packed again with the same bytes: an older version of Stepmark wrote its card. Restore the"
            f" folder {FOLDER} of the data directory from a backup, or make the next version."
        )


def _put(release: Release, folder: Path, zipped: Path, manifest: Json) -> Packed:
    words = {name: (folder / name).read_text() for name in (*WORDS, MANIFEST)}
    packed = Packed(manifest, sha256_of(folder / MANIFEST), zipped.stat().st_size, words)
    shutil.rmtree(folder_path(release), ignore_errors=True)
    folder.rename(folder_path(release))
    zipped.replace(zip_path(release))
    kept_files.put(zip_path(release))
    return packed


def unpacked_folder(release: Release) -> Path:
    """Return the folder, unpacked from its zip if another machine packed it. Raises FileChanged."""
    folder = folder_path(release)
    if not folder.exists() or not _folder_holds(folder, release.manifest_sha256):
        fresh = folder.with_name(f".{release.pk}.{uuid4().hex}")
        with ZipFile(checked_zip(release)) as archive:
            archive.extractall(fresh)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    return folder


def checked_zip(release: Release) -> Path:
    """Return the zip on this disk, checked against its row's manifest hash and the manifest. Raises FileChanged."""
    kept_files.fetch_if_missing(zip_path(release), release.manifest_sha256, _zip_holds)
    return zip_path(release)


def _zip_holds(path: Path, manifest_sha256: str) -> bool:
    try:
        with ZipFile(path) as archive:
            return _as_listed(archive.namelist(), archive.open, manifest_sha256)
    except (BadZipFile, EOFError, OSError, zlib.error):
        return False


def _folder_holds(folder: Path, manifest_sha256: str) -> bool:
    names = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    return _as_listed(names, lambda name: (folder / name).open("rb"), manifest_sha256)


def _as_listed(names: list[str], opened: Callable[[str], IO[bytes]], manifest_sha256: str) -> bool:
    """Return whether the manifest has this hash, and the other files are exactly those it lists."""
    if MANIFEST not in names:
        return False
    with opened(MANIFEST) as file:
        written = file.read()
    if hashlib.sha256(written).hexdigest() != manifest_sha256:
        return False
    listed = {one["path"]: one["sha256"] for one in json.loads(written)["files"]}
    if sorted(names) != sorted([MANIFEST, *listed]):
        return False
    return all(_hash_of(opened(name)) == sha256 for name, sha256 in listed.items())


def _hash_of(opened: IO[bytes]) -> str:
    with opened as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # both kinds can be read into


def _write_words(release: Release, folder: Path, exports: Sequence[Export], paths: Sequence[str]) -> Json:
    """Write all but the rows, the manifest last with the hash of every other file. If packed before, write the same."""
    for name, text in release.words.items():
        (folder / name).write_text(text)
    if release.words:
        return release.manifest
    card = card_of(release)
    facts = [
        FileFacts(path, export.sha256, export.bytes, _columns(export, folder / path))
        for export, path in zip(exports, paths, strict=True)
    ]
    assert release.released_at is not None
    page = settings.SITE_URL and f"{settings.SITE_URL}/projects/{release.project.slug}/releases/{release.pk}"
    description = croissant(card, facts, published=release.released_at.date().isoformat(), page=page)
    (folder / "README.md").write_text(readme(card))
    (folder / "LICENSE").write_text(licence_text(card))
    (folder / "croissant.json").write_bytes(written(description))
    names = [*WORDS, *paths]
    files = [
        {"path": name, "bytes": (folder / name).stat().st_size, "sha256": sha256_of(folder / name)} for name in names
    ]
    manifest = _manifest(release, files, zip(exports, paths, strict=True))
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
    return manifest


def _manifest(release: Release, files: list[Json], exports: Any) -> Json:
    assert release.released_at is not None
    card = card_of(release)
    return {
        "name": release.name,
        "version": release.version,
        "project": release.project.slug,
        "released_at": release.released_at.isoformat(),
        "stepmark_build": settings.BUILD,
        "supersedes": release.supersedes and release.supersedes.title,
        "without": release.without,
        "withdrawn": [_withdrawn(one) for one in queries.releases.withdrawn_releases(release.project)],
        "files": files,
        "exports": [_about(export, path) for export, path in exports],
        "answers": {name: card.said(name) for name in sorted(release.answers)},
    }


def _withdrawn(release: Release) -> Json:
    assert release.withdrawn_at is not None
    return {
        "name": release.name,
        "version": release.version,
        "manifest_sha256": release.manifest_sha256,
        "withdrawn_at": release.withdrawn_at.isoformat(),
        "because": release.withdrawn_because,
    }


def _about(export: Export, path: str) -> Json:
    """Return what shaped a file of rows: its export's own manifest without the list of row hashes."""
    kept = ["format", "snapshot_id", "frozen_at", "filters", "switches", "labels", "rows", "left_out", "ratings"]
    kept += ["finish_reasons", "rounds", "guideline_versions", "grader_versions"]
    return {"path": path, **{name: export.manifest[name] for name in kept}}


def _columns(export: Export, path: Path) -> Plain:
    """Return the plain columns of the export's format. For JSON lines, only those in its first rows, as readers look
    for every column. An import's own keys are not described, because their values have no fixed type.
    """
    plain = plain_columns(format_of(export).columns)
    if path.suffix == ".parquet":
        return plain
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        there = {name for line in islice(file, FIRST_ROWS) for name in json.loads(line)}
    return {name: kind for name, kind in plain.items() if name in there}


def forget_half_packed() -> int:
    """Remove half-written folders and zips of killed workers after a day. Returns the number removed."""
    before = time.time() - STRAY_SECONDS
    found = (Path(settings.DATA_DIR) / FOLDER).glob(".*")
    old = [one for one in found if kept_files.changed_at(one) < before]
    for one in old:
        shutil.rmtree(one) if one.is_dir() else one.unlink(missing_ok=True)
    return len(old)


def _zip(folder: Path, target: Path, still_mine: Callable[[], None]) -> None:
    with ZipFile(target, "w") as archive:
        target.chmod(0o600)
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = ZipInfo(str(path.relative_to(folder)), (1980, 1, 1, 0, 0, 0))
            entry.compress_type = ZIP_STORED if path.suffix in PACKED_ALREADY else ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
                while piece := source.read(PIECE):
                    still_mine()
                    packed.write(piece)


def opened_rows(export: Export) -> Any:
    """Open the finished rows of an export as lines."""
    path = finished_file(export)
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
