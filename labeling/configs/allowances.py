"""How much one person may do: limits that normal work never reaches, which keep the disk from being filled.

`ALLOWANCES` is the only list; operators override its numbers with the setting of the same name. Pure.
"""

import json
from dataclasses import dataclass

from labeling.configs.reading import ConfigFault

HOUR = 3600


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """At most `most` within `seconds`; with 0 seconds, at most `most` at the same time. The refusal begins with
    `reached`.
    """

    name: str
    most: int
    means: str
    reached: str
    seconds: int = HOUR


ALLOWANCES = {
    allowance.name: allowance
    for allowance in (
        Allowance(
            name="claims",
            most=2000,
            means="requests for the next task, per hour",
            reached="You have asked for tasks {most} times within this hour.",
        ),
        Allowance(
            name="releases",
            most=200,
            means="tasks given back, per hour",
            reached="You have given back {most} tasks within this hour. Continue with the one you hold.",
        ),
        Allowance(
            name="draft_bytes",
            most=20 * 2**20,
            means="bytes of draft growth beyond 8 kB per label, per hour",
            reached="Your drafts have grown by {most} bytes within this hour. What you see stays on your page.",
        ),
        Allowance(
            name="submission_bytes",
            most=20 * 2**20,
            means="bytes of submissions beyond 8 kB each, per hour",
            reached="Your submissions have taken {most} bytes within this hour. What you see stays on your page.",
        ),
        Allowance(
            name="revisions",
            most=200,
            means="labels revised, per hour",
            reached="You have revised {most} labels within this hour.",
        ),
        Allowance(
            name="imports",
            most=100,
            means="files of traces or scores uploaded, per hour",
            reached="You have uploaded {most} files within this hour.",
        ),
        Allowance(
            name="upload_bytes",
            most=50 * 2**30,
            means="bytes of such files, per hour",
            reached="Your files have taken {most} bytes within this hour.",
        ),
        Allowance(
            name="guidelines",
            most=60,
            means="versions of guidelines published, per hour",
            reached="You have published guidelines {most} times within this hour.",
        ),
        Allowance(
            name="project_changes",
            most=300,
            means="changes to projects' settings, per hour",
            reached="You have changed projects {most} times within this hour.",
        ),
        Allowance(
            name="exports",
            most=100,
            means="exports started, label pushes, and releases drafted without a labeler, per hour",
            reached="You have started {most} exports within this hour. Finished ones can be downloaded.",
        ),
        Allowance(
            name="release_jobs",
            most=200,
            means="releases drafted or pushed, per hour",
            reached="You have drafted or pushed releases {most} times within this hour.",
        ),
        Allowance(
            name="mails",
            most=100,
            means="invitations sent by mail or to a user name, per hour",
            reached="You have sent {most} invitations within this hour. Links that you send yourself are not counted.",
        ),
        Allowance(
            name="tokens",
            most=50,
            means="API tokens that are active or were made within the last hour",
            reached="You have {most} API tokens that are active or were made within the last hour.",
            seconds=0,
        ),
    )
}


def read_allowances(text: str) -> dict[str, int]:
    """Return the limits by name, with the operator's numbers in place of the defaults; 0 means no limit. Raises
    ConfigFault.
    """
    try:
        given = json.loads(text or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ConfigFault('ALLOWANCES must be one line of JSON, such as {"exports": 500, "claims": 0}')
    for name, most in given.items():
        if name not in ALLOWANCES:
            raise ConfigFault(f"ALLOWANCES: there is no limit {name!r}. The limits are {', '.join(ALLOWANCES)}.")
        if type(most) is not int or most < 0:
            raise ConfigFault(f"ALLOWANCES: {name} must be a whole number; 0 means no limit.")
    return {name: given.get(name, allowance.most) for name, allowance in ALLOWANCES.items()}
