"""Where labels of agents' runs may be sent, from the setting LABEL_TARGETS: only the operator names an address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import VARIABLE, is_address, read_named

SERVERS = {"langfuse": "https://cloud.langfuse.com", "langsmith": "https://api.smith.langchain.com", "otlp": ""}
# The name of the header with the token, as in `Authorization: Bearer ...`.
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, kw_only=True)
class LabelTarget:
    """A service by its name. The worker reads the token from the variable `token_env`, Langfuse's as `public:secret`.

    `header` (for OTLP) is the header in which a collector wants the token. It is sent as it is, or after Bearer in
    Authorization.
    """

    kind: str
    token_env: str
    url: str = ""
    header: str = "Authorization"

    @property
    def server(self) -> str:
        """The server's address without a trailing slash."""
        return (self.url or SERVERS[self.kind]).rstrip("/")


def read_label_targets(text: str) -> dict[str, LabelTarget]:
    """Return the services by name. Raises ImproperlyConfigured with the name and what to write instead."""
    example = '{"langfuse": {"kind": "langfuse", "token_env": "LANGFUSE_KEYS", "url": "https://langfuse.example.org"}}'
    return read_named("LABEL_TARGETS", text, example, _target)


def _target(name: str, record: Any) -> LabelTarget:
    known = {one.name for one in fields(LabelTarget)}
    if not isinstance(record, Mapping) or {"kind", "token_env"} - set(record) or set(record) - known:
        raise ImproperlyConfigured(f"LABEL_TARGETS: {name} needs kind and token_env, and may have url and header.")
    if not all(isinstance(value, str) for value in record.values()):
        raise ImproperlyConfigured(f"LABEL_TARGETS: every value of {name} must be a text.")
    if record["kind"] not in SERVERS:
        raise ImproperlyConfigured(f"LABEL_TARGETS: the kind of {name} must be one of {', '.join(SERVERS)}.")
    target = LabelTarget(**record)
    if not VARIABLE.fullmatch(target.token_env):
        raise ImproperlyConfigured(f"LABEL_TARGETS: token_env of {name} must be the name of a variable.")
    if not HEADER.fullmatch(target.header):
        raise ImproperlyConfigured(f"LABEL_TARGETS: header of {name} must be the name of a header.")
    if not is_address(target.server, with_path=True):
        raise ImproperlyConfigured(f"LABEL_TARGETS: {name} needs a url: http(s)://host[:port], with a path if needed.")
    return target
