"""A release with a zip that holds nothing: for tests that ask for it and not what is in it."""

import hashlib
import zipfile

from labeling.actions.release_folder import MANIFEST, zip_path
from labeling.models import Release

NOTHING = b'{"files": []}'


def pack_nothing(release: Release) -> None:
    """Put a zip with its manifest alone where the release's own would stand, and the hash of this into the row."""
    zip_path(release).parent.mkdir(mode=0o700, exist_ok=True)
    with zipfile.ZipFile(zip_path(release), "w") as archive:
        archive.writestr(MANIFEST, NOTHING)
    Release.objects.filter(pk=release.pk).update(manifest_sha256=hashlib.sha256(NOTHING).hexdigest())
