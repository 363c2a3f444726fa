"""The words shown for the actions of the audit log. Every name that is ever recorded has an entry here."""

from itertools import chain
from typing import NamedTuple


class Act(NamedTuple):
    """An action. The log keeps `name`, and programs filter by it; `words` are shown, and a version may change them."""

    name: str
    words: str


def _acts(subject: str, **words: str) -> tuple[Act, ...]:
    return tuple(Act(f"{subject}.{name}", said) for name, said in words.items())


ACTS = (
    # People and access.
    _acts("session", log_in="Logged in", log_out="Logged out", end="Logged out of browsers"),
    _acts(
        "person",
        create="Account made",
        change="Account changed",
        change_password="Password changed",
        forgot_password="Link for a new password asked for",
        provision="Account changed by the provider",
        forget="Person forgotten",
    ),
    _acts("identity", create="Login of a provider connected"),
    _acts(
        "second_factor",
        add="Second factor added",
        remove="Second factor removed",
        reset="Second factors reset",
        locked="Locked out after wrong codes",
    ),
    _acts("recovery_codes", renew="Recovery codes renewed", use="Recovery code used"),
    _acts("token", create="Token made", revoke="Token revoked"),
    _acts("invitation", create="Invitation made", accept="Invitation accepted", revoke="Invitation revoked"),
    _acts(
        "member",
        change_role="Role changed",
        deactivate="Member deactivated",
        reactivate="Member reactivated",
        groups="Role given by groups",
        pause="Labeler paused",
        unpause="Labeler unpaused",
    ),
    _acts(
        "group",
        create="Group made by the provider",
        provision="Group changed by the provider",
        delete="Group deleted by the provider",
    ),
    _acts(
        "screening",
        admit="Screening passed",
        fail="Screening failed",
        admit_by_hand="Admitted without screening",
        allow_attempt="One more screening allowed",
    ),
    # The project.
    _acts(
        "project",
        create="Project made",
        change="Settings changed",
        move="Taking out or bringing back begun",
        take_out="Project taken out",
        bring_back="Project brought back",
    ),
    _acts("guideline", publish="Guidelines published"),
    _acts(
        "webhook",
        add="Webhook added",
        change="Webhook changed",
        remove="Webhook removed",
        renew_secret="Webhook’s secret renewed",
    ),
    _acts("backup", make="Backup made", restore="Backup restored"),
    _acts("retention", prune="What was kept for long enough removed"),
    # Incoming data.
    _acts("import", create="Import begun", cancel="Import stopped"),
    _acts("score_import", create="Import of scores begun"),
    _acts("score import", cancel="Import of scores stopped"),
    _acts("problems", hold_out="Problems held out"),
    _acts(
        "problem",
        bad="Problem withdrawn as bad",
        restore="Problem restored",
        correct_answer="Answer corrected",
        accept_answer="Further answer accepted",
        refuse_answer="Further answer refused",
    ),
    _acts("trace", repair_split="Steps of a trace split anew"),
    _acts(
        "grading",
        create="Grading begun",
        apply="Grading applied",
        leave_out="What a grading leaves out changed",
        cancel="Grading stopped",
    ),
    # Rounds and labels.
    _acts(
        "round",
        open="Round opened",
        start="Round started",
        select="Traces selected",
        reselect="Traces selected anew",
        ready="Round ready to publish",
        publish="Round published",
        serve="Round opened for labeling",
        pause="Round paused",
        resume="Round resumed",
        fail="Round failed",
        cancel="Round cancelled",
        close="Round closed",
        schedule="Next round scheduled",
    ),
    _acts(
        "label",
        release="Label given back",
        reveal_scores="Scores looked at",
        show_reference="Reference solution looked at",
    ),
    _acts(
        "labels",
        exclude="Labels left out",
        include="Labels no longer left out",
        review="Labels sent to review",
        relabel="One more label asked for",
        tag="Labels tagged",
        untag="Labels untagged",
        undo="Change of labels undone",
    ),
    _acts("review", settle="Review settled", withdraw="Ruling withdrawn", dismiss="Review dismissed"),
    _acts(
        "label_audit",
        create="Label audit begun",
        review="Label audit reviewed",
        finished="Label audit finished",
        cancelled="Label audit cancelled",
        undone="Label audit undone",
    ),
    _acts(
        "gold",
        make="Gold made",
        change="Gold changed",
        retire="Gold retired",
        restore="Gold restored",
        **{"import": "Gold imported"},
    ),
    # Machines.
    _acts(
        "prm",
        register="PRM registered",
        recheck="PRM checked again",
        promote="PRM promoted",
        roll_back="PRM rolled back",
        retire="PRM retired",
        **{"try": "Test scoring begun"},
    ),
    _acts("test scoring", cancel="Test scoring stopped"),
    _acts("step_scorer", **{"import": "Scores of a machine imported"}),
    _acts("training", create="Training begun", cancel="Training stopped"),
    _acts("evaluation", create="Evaluation begun", cancel="Evaluation stopped"),
    _acts("evaluation_set", create="Evaluation set made"),
    _acts("source", create="Source of marks added", prune="Rollouts behind a source’s marks removed"),
    _acts(
        "source_run", create="Run of a source begun", cancel="Run of a source stopped", resume="Run of a source resumed"
    ),
    _acts("chunk of a source", cancel="Part of a source’s run stopped"),
    _acts("acceptance", create="Marks accepted in bulk", withdraw="Acceptance of marks withdrawn"),
    # Outgoing data.
    _acts(
        "export",
        create="Export begun",
        repeat="Export repeated",
        without="Export repeated without some labels",
        download="Export downloaded",
        push="Export sent",
        cancel="Export stopped",
    ),
    _acts("push of labels", cancel="Sending of labels stopped"),
    _acts(
        "release",
        create="Release drafted",
        answer="Questions of a release answered",
        check="Release checked",
        publish="Release published",
        download="Release downloaded",
        push="Release sent",
        repack="Release packed anew",
        remove="Draft of a release removed",
        withdraw="Release withdrawn",
        cancel="Release stopped",
    ),
    _acts("push of a release", cancel="Sending of a release stopped"),
    _acts("way out or back", cancel="Taking out or bringing back stopped"),
)
WORDS: dict[str, str] = dict(chain.from_iterable(ACTS))


def words_of(action: str) -> str:
    """Return the words shown for an action; for one that only an older version recorded, its name without the dot."""
    return WORDS.get(action) or action.replace(".", ": ").replace("_", " ")


def acts_called(part: str) -> list[str]:
    """Return the names of the actions whose words contain this text."""
    sought = part.casefold()
    return [name for name, words in WORDS.items() if sought in words.casefold()]
