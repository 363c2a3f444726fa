"""Sends a release's folder to a data set repository on the Hugging Face Hub, or to an S3-compatible bucket."""

import os
from collections.abc import Iterator
from pathlib import Path

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError
from storages.backends.s3 import S3Storage

from annotation_app.object_storage import AS_IT_IS
from annotation_app.release_targets import ReleaseTarget
from labeling.errors import PushRefused

# Servers other than Amazon's accept only path-style addresses, and not all of them its newer checksums.
CLIENT = Config(s3={"addressing_style": "path"}, signature_version="s3v4", request_checksum_calculation="when_required")


def send_folder(folder: Path, target: ReleaseTarget, title: str) -> str:
    """Send every file and return the address where they can be seen. Raises PushRefused with the server's message."""
    token = os.environ.get(target.token_env, "")
    if not token:
        raise PushRefused(f"This worker has no token. Set the environment variable {target.token_env} and restart it.")
    return (_to_hub if target.kind == "huggingface" else _to_bucket)(folder, target, title, token)


def _to_hub(folder: Path, target: ReleaseTarget, title: str, token: str) -> str:
    """Upload as one commit; files already in the repository are not sent again."""
    hub = HfApi(endpoint=target.server, token=token, library_name="stepmark")
    try:
        hub.create_repo(target.to, repo_type="dataset", private=target.private, exist_ok=True)
        done = hub.upload_folder(
            repo_id=target.to, repo_type="dataset", folder_path=folder, commit_message=title, delete_patterns="*"
        )
    except HfHubHTTPError as refused:
        raise PushRefused(f"{target.server} answered: {str(refused).strip()}") from refused
    return str(done.commit_url)


def _to_bucket(folder: Path, target: ReleaseTarget, title: str, token: str) -> str:
    """Upload one file after another, large ones in parts. The manifest is last: once it is there, so are the others."""
    bucket, _, prefix = target.to.partition("/")
    place = _bucket(bucket, target, token)
    for path in _files(folder):
        name = "/".join(part for part in (prefix, folder.name, str(path.relative_to(folder))) if part)
        try:
            with path.open("rb") as file:
                place.save(name, File(file))
        except (Boto3Error, BotoCoreError, ClientError) as refused:
            raise PushRefused(f"{target.server} refused {path.name}: {str(refused)[:500]}") from refused
    return f"{target.server}/{target.to}/{folder.name}/"


def _bucket(name: str, target: ReleaseTarget, token: str) -> S3Storage:
    """Return the bucket, opened with the operator's key alone: other keys in the environment are ignored."""
    key, _, secret = token.partition(":")
    return S3Storage(
        bucket_name=name,
        endpoint_url=target.server,
        region_name=target.region,
        access_key=key,
        secret_key=secret,
        security_token=None,
        session_profile=None,
        object_parameters=AS_IT_IS,
        client_config=CLIENT,
        file_overwrite=True,
        default_acl=None,
    )


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted((one for one in folder.rglob("*") if one.is_file()), key=lambda one: one.name == "MANIFEST.json")
