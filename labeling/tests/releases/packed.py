"""A release with an empty zip, for tests that request it but do not look inside."""

import hashlib
import zipfile

from labeling.actions.release_folder import MANIFEST, zip_path
from labeling.models import Release

NOTHING = b'{"files": []}'


def pack_nothing(release: Release) -> None:
    """Store a zip with only its manifest in place of the release's own, and its hash in the row."""
    zip_path(release).parent.mkdir(mode=0o700, exist_ok=True)
    with zipfile.ZipFile(zip_path(release), "w") as archive:
        archive.writestr(MANIFEST, NOTHING)
    Release.objects.filter(pk=release.pk).update(manifest_sha256=hashlib.sha256(NOTHING).hexdigest())
