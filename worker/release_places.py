"""Sending a release's folder away: to a data set repository of the Hugging Face Hub, or to a bucket that speaks S3."""

import os
from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError

from annotation_app.release_targets import ReleaseTarget
from labeling.errors import PushRefused
from worker.http.s3 import opened, put_file


def send_folder(folder: Path, target: ReleaseTarget, title: str) -> str:
    """Send every file; answers the address where they can be seen. Raises PushRefused in the place's own words."""
    token = os.environ.get(target.token_env, "")
    if not token:
        raise PushRefused(f"This worker has no token: set the variable {target.token_env} and start it again.")
    return (_to_hub if target.kind == "huggingface" else _to_bucket)(folder, target, title, token)


def _to_hub(folder: Path, target: ReleaseTarget, title: str, token: str) -> str:
    """One commit; files that the repository has already are not sent again."""
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
    """A file after the other, the manifest last: who finds it finds the rest."""
    bucket, _, prefix = target.to.partition("/")
    place = "/".join(part for part in (bucket, prefix, folder.name) if part)
    key, _, secret = token.partition(":")
    with opened() as client:
        for path in _files(folder):
            url = f"{target.server}/{place}/{path.relative_to(folder)}"
            answer = put_file(client, url, path, key=key, secret=secret, region=target.region)
            if answer.is_error:
                raise PushRefused(f"{target.server} answered {answer.status_code} to {path.name}: {answer.text[:500]}")
    return f"{target.server}/{place}/"


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted((one for one in folder.rglob("*") if one.is_file()), key=lambda one: one.name == "MANIFEST.json")
