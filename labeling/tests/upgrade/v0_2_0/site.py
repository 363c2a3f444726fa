"""People at work in an installation of version 0.2.0: as in 0.1.0, except for what had been renamed by then."""

import re
from typing import Any

from labeling.tests.upgrade.v0_1_0.site import Site

ADDRESSES = (
    (r"triage_items/", "label_audit_items/"),
    (r"\btriages\b", "label_audits"),
    (r"\bstandings\b", "labeler_quality"),
    (r"\bmy_standing\b", "my_quality"),
)


def address(path: str) -> str:
    """Return the address of 0.2.0 that corresponds to `path` of 0.1.0."""
    for pattern, instead in ADDRESSES:
        path = re.sub(pattern, instead, path)
    return path


class RenamedSite(Site):
    """A site that uses the addresses of 0.2.0."""

    def call(self, by: str, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON answer of a request that must not be refused."""
        return super().call(by, method, address(path), body)
