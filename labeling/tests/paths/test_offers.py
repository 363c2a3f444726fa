"""Offers of completions shared by workers: each is written once, by its holder, and none is forgotten."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from labeling.actions.jobs import LeaseLost
from labeling.actions.step_offers import (
    LONGEST_PAUSE,
    add_completions,
    ask_for,
    claim_offer,
    end_offer,
    note_trouble,
    sweep_offers,
)
from labeling.generation.sampling import Sample
from labeling.models import Project, StepOffer, Trace
from labeling.tests.paths.world import PathLabeler, open_paths, project_with_problem, write_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    return project_with_problem()


@pytest.fixture
def labeler(project: Project) -> PathLabeler:
    """A labeler who waits for the first completions."""
    open_paths(project)
    waiting = PathLabeler(project, lambda prefix, number: f"Step {len(prefix)}, version {number}.")
    claimed = waiting.page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})
    waiting.label = claimed["label"]
    waiting.path = waiting.page.call("GET", waiting.address)
    return waiting


def sample(number: int, text: str = "") -> Sample:
    return Sample(number, number, text or f"Version {number}.", "stop")


def held() -> StepOffer:
    """Return what the next worker holds."""
    offer = claim_offer()
    assert offer is not None
    return offer


def lease_ends() -> None:
    StepOffer.objects.update(leased_until="2020-01-01T00:00Z")
    woken(minutes_ago=1)


def woken(*, minutes_ago: float) -> None:
    StepOffer.objects.update(woken_at=timezone.now() - timedelta(minutes=minutes_ago))


def test_a_worker_whose_offer_went_to_another_writes_nothing_into_it(labeler: PathLabeler) -> None:
    late = held()
    lease_ends()
    now = held()
    assert late.pk == now.pk
    add_completions(now, [sample(0, "Of the second.")])
    with pytest.raises(LeaseLost):
        add_completions(late, [sample(0, "Of the first."), sample(1, "Of the first, too.")])
    end_offer(late)
    now.refresh_from_db()
    assert (now.texts, now.done, now.status) == (["Of the second."], [0], "running")


def test_a_completion_that_arrives_twice_is_shown_once(labeler: PathLabeler) -> None:
    offer = held()
    add_completions(offer, [sample(0), sample(1)])
    add_completions(offer, [sample(1, "Said again."), sample(2)])
    offer.refresh_from_db()
    assert (offer.texts, offer.done) == (["Version 0.", "Version 1.", "Version 2."], [0, 1, 2])


def test_what_is_wanted_while_a_worker_ends_an_offer_is_made_by_the_next(labeler: PathLabeler) -> None:
    offer = held()
    add_completions(offer, [sample(0), sample(1), sample(2)])
    trace = Trace(project=labeler.project, problem=offer.problem)
    ask_for(offer.round, trace, offer.prefix, wanted=5)
    end_offer(offer)
    offer.refresh_from_db()
    assert (offer.status, offer.wanted, len(offer.done)) == ("queued", 5, 3)
    write_all(labeler.writes)
    offer.refresh_from_db()
    assert (offer.status, offer.texts[:3], len(offer.texts)) == ("done", ["Version 0.", "Version 1.", "Version 2."], 5)


def test_the_sweep_finds_what_no_worker_has_and_leaves_what_one_does(labeler: PathLabeler) -> None:
    assert sweep_offers() == 0, "a worker was told this moment"
    woken(minutes_ago=1)
    assert sweep_offers() == 1, "the message was lost"
    held()
    assert sweep_offers() == 0
    lease_ends()
    assert sweep_offers() == 1, "its worker died"
    woken(minutes_ago=11)
    assert sweep_offers() == 0, "nobody waits for it any more"


def test_an_offer_that_nobody_waits_for_is_left_until_somebody_looks_again(labeler: PathLabeler) -> None:
    woken(minutes_ago=11)
    assert claim_offer() is None
    labeler.page.call("GET", labeler.address)
    assert held().prefix == []


def test_an_offer_that_failed_a_thousand_times_is_asked_again_after_the_longest_pause(labeler: PathLabeler) -> None:
    for failed in (1_024, 32_767):
        StepOffer.objects.update(attempts=failed, leased_until=None)
        note_trouble(held(), "The server gave nothing.")
        offer = StepOffer.objects.get()
        assert offer.leased_until is not None
        assert (offer.status, offer.error) == ("queued", "The server gave nothing.")
        assert 0 < (offer.leased_until - timezone.now()).total_seconds() <= LONGEST_PAUSE
