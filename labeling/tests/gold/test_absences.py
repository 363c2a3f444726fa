"""What comes back after an absence, and what still counts, tells no gold from work."""

from datetime import timedelta

import pytest
from django.utils import timezone

from labeling.actions.labels import expire_overdue_labels
from labeling.models import GoldResult, Label
from labeling.tests.factories import make_member
from labeling.tests.gold.world import Labeler, plan_gold, project_with_gold

pytestmark = pytest.mark.django_db


def lost_label(kind: str, *, others_work: bool, released: bool = False) -> tuple[Labeler, int]:
    """A labeler who lost their first label, of this kind, and its id; meanwhile somebody else did one task, or not."""
    project, round_ = project_with_gold(1, traces=6)
    ada, bob = (Labeler(project, make_member(project)) for _ in range(2))
    plan_gold(round_, ada.person, [0 if kind == "gold" else 5])
    plan_gold(round_, bob.person, [5])
    label = ada.claim()["label"]
    assert Label.objects.get(pk=label["id"]).task.kind == kind
    if released:
        ada.call("POST", f"/api/labels/{label['id']}/release", {"reason": ""})
    else:
        Label.objects.filter(pk=label["id"]).update(leased_until=timezone.now() - timedelta(seconds=1))
        assert expire_overdue_labels() == 1
    if others_work:
        bob.answer(bob.claim()["label"], right=True)
    return ada, label["id"]


@pytest.mark.parametrize("others_work", [True, False])
def test_gold_comes_back_after_an_absence_when_work_does_and_no_oftener(others_work: bool) -> None:
    back = {}
    for kind in ("work", "gold"):
        ada, lost = lost_label(kind, others_work=others_work)
        back[kind] = ada.claim()["label"]["id"] == lost
    assert back == {"work": not others_work, "gold": not others_work}


@pytest.mark.parametrize("released", [True, False])
@pytest.mark.parametrize("others_work", [True, False])
def test_what_is_gone_on_with_or_sent_after_an_absence_counts_for_gold_when_it_does_for_work(
    others_work: bool, released: bool
) -> None:
    told = {}
    for kind in ("work", "gold"):
        ada, lost = lost_label(kind, others_work=others_work, released=released)
        label = ada.call("POST", f"/api/labels/{lost}/resume")
        sent = ada.answer(label, right=True)
        late, late_lost = lost_label(kind, others_work=others_work, released=released)
        opened = late.call("GET", f"/api/labels/{late_lost}")
        assert opened["leased_until"] is None
        told[kind] = (label["surplus"], sent["surplus"], late.answer(opened, right=True)["surplus"])
    assert told["gold"] == told["work"] == (others_work,) * 3
    assert GoldResult.objects.filter(passed=True).count() == 2, "it is judged all the same"
