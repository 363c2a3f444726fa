"""Neither what returns after an absence, nor what still counts, distinguishes gold from work."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from labeling.actions.labels import expire_overdue_labels
from labeling.models import GoldResult, Label
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.gold.world import Labeler, make_gold_items, plan_gold, project_with_gold

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


# How many tasks the labeler did before losing one, and how many the others had done by then, while it was held, and
# since.
History = tuple[int, list[int], list[int], list[int]]


def fate(kind: str, overlap: int, history: History, *, released: bool) -> tuple[bool, bool, bool]:
    """For lost gold, or lost work at the same place in the queue: does it return, is it surplus, and is it sent as
    such?
    """
    own, *counts = history
    project = make_project(gold_per_round=1)
    if kind == "gold":
        make_gold_items(project, 1)
    round_ = make_round(project, 40, overlap=overlap)
    ada, *others = (Labeler(project, make_member(project)) for _ in range(1 + len(counts[0])))
    if kind == "gold":
        plan_gold(round_, ada.person, [own])
        for other in others:
            plan_gold(round_, other.person, [99])

    def others_do(several: list[int]) -> None:
        for turn in range(max(several)):
            for other, count in zip(others, several, strict=True):
                if turn < count:
                    other.answer(other.claim()["label"], right=True)

    for _ in range(own):
        ada.answer(ada.claim()["label"], right=True)
    others_do(counts[0])
    label = Label.objects.get(pk=ada.claim()["label"]["id"])
    assert label.task.kind == kind
    others_do(counts[1])
    if released:
        ada.call("POST", f"/api/labels/{label.pk}/release", {"reason": ""})
    else:
        Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
        expire_overdue_labels()
    others_do(counts[2])
    comes_back = ada.claim()["label"]["id"] == label.pk
    resumed = ada.call("POST", f"/api/labels/{label.pk}/resume")
    return comes_back, resumed["surplus"], ada.answer(resumed, right=True)["surplus"]


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_lost_gold_fares_as_lost_work_wherever_the_others_are(overlap: int) -> None:
    draw = random.Random(overlap)
    fates = set()
    for _ in range(5):
        people = draw.choice([1, 2, 3])
        counts = [[draw.choice([0, 0, 1, 2, 5]) for _ in range(people)] for _ in range(3)]
        history, released = (draw.randrange(4), *counts), draw.random() < 0.5
        told = {kind: fate(kind, overlap, history, released=released) for kind in ("work", "gold")}
        assert told["gold"] == told["work"], (history, released)
        fates.add(told["work"])
    assert len(fates) >= 2, "the histories tell nothing apart"
