"""A selector is rolled back as it was shown: if several people press at once, one succeeds, and the others are told."""

import threading

import pytest
from django.db import connection

from labeling.actions.step_scorer_promotions import promote_prm
from labeling.models import Promotion
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.selection.pools import make_prm

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_several_who_roll_a_promotion_back_at_once_one_does_and_the_others_are_told() -> None:
    project = make_project(slug="algebra")
    olga = make_member(project, "researcher", display_name="Olga")
    seen = promote_prm(project, make_prm("First"), by=olga)
    seen = promote_prm(project, make_prm("Second"), by=olga)
    address = "/api/projects/algebra/promotions"
    browsers = [Browser(olga) for _ in range(4)]
    together = threading.Barrier(len(browsers))
    answers = []

    def press(browser: Browser) -> None:
        together.wait()
        answers.append(browser.send("POST", f"{address}/roll_back", {"undoes": seen.pk}))
        connection.close()

    threads = [threading.Thread(target=press, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    newest = Promotion.objects.latest("pk")
    assert (newest.scorer.name, newest.before.name) == ("First", "Second")
    refused = next(answer.json() for answer in answers if answer.status_code == 409)
    assert (refused["code"], refused["promotion"]) == ("promotion_changed", newest.pk)
    assert refused["detail"].startswith("Olga has changed the selector to First in the meantime. Nothing was rolled")
    browsers[0].call("POST", f"{address}/roll_back", {"undoes": newest.pk}, status=201)
    assert Promotion.objects.latest("pk").scorer.name == "Second"


def test_who_does_not_say_what_they_saw_rolls_back_whatever_counts() -> None:
    project = make_project(slug="algebra")
    olga = make_member(project, "researcher")
    promote_prm(project, make_prm("First"), by=olga)
    browser, address = Browser(olga), "/api/projects/algebra/promotions/roll_back"
    assert browser.call("POST", address, status=201)["prm"] is None
    again = browser.call("POST", address, {}, status=201)
    assert again["prm"]["name"] == "First"
    browser.call("POST", address, status=201)
    refused = browser.call("POST", address, {"undoes": again["id"]}, status=409)
    assert "the selector to no PRM" in refused["detail"]
