"""Where files are kept permanently: the folder DATA_DIR, or the bucket that the setting OBJECT_STORAGE names."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import is_address

EXAMPLE = '{"bucket": "stepmark", "url": "https://s3.example.org", "region": "eu-1", "prefix": "production"}'
NAMES = {"bucket", "url", "region", "prefix"}
# Otherwise, a file ending in .gz would be stored as gzip-encoded content, and readers would unpack it.
AS_IT_IS = {"ContentType": "application/octet-stream"}
LINK_SECONDS = 300  # how long a link to a file is valid: a withdrawn release is handed out no longer than that


def storages(text: str, folder: Path, key: Mapping[str, str]) -> dict[str, Any]:
    """Return Django's STORAGES. Raises ImproperlyConfigured with what to write instead.

    Without a key, boto uses the machine's own role.
    """
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    if not text.strip():
        kept = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(folder)}}
        return {"default": kept, "staticfiles": static}
    return {
        "default": {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": _bucket(text) | {name: part for name, part in key.items() if part},
        },
        "staticfiles": static,
    }


def in_bucket() -> bool:
    """Return whether finished files are kept elsewhere than in the data directory."""
    from django.core.files.storage import FileSystemStorage, default_storage  # noqa: PLC0415  (settings read this file)

    return not isinstance(default_storage, FileSystemStorage)


def _bucket(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as fault:
        raise ImproperlyConfigured(f"OBJECT_STORAGE is not JSON ({fault}). Write it like {EXAMPLE}") from fault
    if not isinstance(given, Mapping) or not given.get("bucket") or set(given) - NAMES:
        raise ImproperlyConfigured(f"OBJECT_STORAGE needs a bucket, and may have url, region and prefix: {EXAMPLE}")
    if not all(isinstance(value, str) for value in given.values()):
        raise ImproperlyConfigured("OBJECT_STORAGE: every value must be a text.")
    if given.get("url") and not is_address(given["url"], with_path=False):
        raise ImproperlyConfigured("OBJECT_STORAGE: the url must be http(s)://host[:port] and nothing else.")
    return {
        "bucket_name": given["bucket"],
        "endpoint_url": given.get("url") or None,
        "region_name": given.get("region") or None,
        "location": given.get("prefix", ""),
        "signature_version": "s3v4",
        "addressing_style": "path" if given.get("url") else "auto",
        "querystring_expire": LINK_SECONDS,
        "file_overwrite": True,  # names are ours: writing one again writes the same file
        "object_parameters": AS_IT_IS,
        "default_acl": None,
    }
