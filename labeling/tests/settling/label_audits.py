"""Labels that a PRM gives a surprisal, label audits of them, and people who review those blind."""

from labeling.actions import label_audits
from labeling.configs import LabelAuditConfig
from labeling.models import Label, LabelAudit, Score, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.selection.pools import make_prm
from labeling.tests.settling.disagreeing import say

SURE = [0.99, 0.98, 0.97]


def labeled(*said, overlap: int = 1, prm=None, **round_):
    """Make a project with a trace for each of `said`, labeled so by Ada, and a PRM that finds every step right."""
    project = make_project()
    opened = make_round(project, traces=len(said), overlap=overlap, **round_)
    ada = make_member(project, display_name="Ada")
    found = [say(ada, project, ratings) for ratings in said]
    prm = prm or make_prm(project=project)
    for label in found:
        score(prm, label, SURE)
    return project, opened, prm, found


def score(prm, label: Label, steps) -> None:
    """Have the PRM give these probabilities to the label's trace, instead of earlier ones."""
    trace = Trace.objects.get(pk=label.task.trace_id)
    Score.objects.filter(scorer=prm, trace=trace).delete()
    about = {"project_id": trace.project_id, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": trace.pk}
    Score.objects.create(scorer=prm, trace=trace, steps=steps, score=-1.0 if steps else None, **about)


def made(project, prm, *, labels=10, control_share=0.5, seed=1) -> LabelAudit:
    """Make a label audit by an admin of the project."""
    config = LabelAuditConfig(labels, control_share)
    return label_audits.create_label_audit(
        project, by=make_member(project, "admin"), scorer=prm, config=config, seed=seed
    )


def reviewed(browser: Browser, found: LabelAudit, say_of) -> int:
    """Review all items for this person; `say_of` returns the ratings of a trace's steps. Return how many there were."""
    for count in range(1000):
        item = browser.call("POST", f"/api/label_audits/{found.pk}/next", {})["item"]
        if item is None:
            return count
        ratings = say_of(item)
        finish = "found_error" if -1 in ratings else "solution"
        body = {"ratings": ratings, "finish_reason": finish}
        browser.call("POST", f"/api/label_audit_items/{item['id']}/review", body)
    raise AssertionError("it never ends")
