"""Where releases may be pushed, from the setting RELEASE_TARGETS: only the operator names an address or a token."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import VARIABLE, is_address, read_named

KINDS = {"huggingface": "https://huggingface.co", "s3": ""}
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w.-]+)*")


@dataclass(frozen=True, kw_only=True)
class ReleaseTarget:
    """A place by its name. `to` is the data set repository (huggingface: owner/name) or bucket with an optional folder
    (s3: bucket/folder). The worker reads the token from the variable `token_env`; for S3 it is the key as `id:secret`.
    """

    kind: str
    to: str
    token_env: str
    url: str = ""
    region: str = "us-east-1"
    private: bool = True

    @property
    def server(self) -> str:
        """The server's address without a trailing slash."""
        return (self.url or KINDS[self.kind]).rstrip("/")


def read_release_targets(text: str) -> dict[str, ReleaseTarget]:
    """Return the places by name. Raises ImproperlyConfigured with the place's name and what to write instead."""
    example = '{"hub": {"kind": "huggingface", "to": "owner/name", "token_env": "HUB_TOKEN"}}'
    return read_named("RELEASE_TARGETS", text, example, _target)


def _target(name: str, record: Any) -> ReleaseTarget:
    known = {one.name for one in fields(ReleaseTarget)}
    if not isinstance(record, Mapping) or {"kind", "to", "token_env"} - set(record) or set(record) - known:
        raise ImproperlyConfigured(
            f"RELEASE_TARGETS: {name} needs kind, to and token_env, and may have url, region and private."
        )
    if record["kind"] not in KINDS:
        raise ImproperlyConfigured(f"RELEASE_TARGETS: the kind of {name} must be {' or '.join(KINDS)}.")
    _require_texts(name, record)
    form = REPOSITORY if record["kind"] == "huggingface" else BUCKET
    if not form.fullmatch(record["to"]):
        raise ImproperlyConfigured(f"RELEASE_TARGETS: `to` of {name} must be owner/name, or bucket/folder for S3.")
    if not VARIABLE.fullmatch(record["token_env"]):
        raise ImproperlyConfigured(f"RELEASE_TARGETS: token_env of {name} must be the name of a variable.")
    target = ReleaseTarget(**record)
    if not is_address(target.server, with_path=False):
        raise ImproperlyConfigured(
            f"RELEASE_TARGETS: the url of {name} must be http(s)://host[:port] and nothing else."
        )
    return target


def _require_texts(name: str, record: Mapping[str, Any]) -> None:
    texts = all(isinstance(record.get(one, ""), str) for one in ("to", "token_env", "url", "region"))
    if not texts or not isinstance(record.get("private", True), bool):
        raise ImproperlyConfigured(
            f"RELEASE_TARGETS: every value of {name} must be a text; private must be true or false."
        )
