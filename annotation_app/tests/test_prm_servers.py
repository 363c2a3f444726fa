"""The operator's list of servers from which PRMs may be connected."""

import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation_app.prm_servers import FAMILIES, read_prm_servers
from labeling.configs import FAMILIES as ALL_FAMILIES

RIGHT: dict[str, Any] = {"url": "http://gpu:8000/v1", "family": "generative_judge", "models": ["qwen"]}


def test_a_list_that_cannot_be_used_stops_the_start_and_names_the_server(subtests: Any) -> None:
    wrong = [
        ([], "one line of JSON"),
        ({"judge": {**RIGHT, "url": "file:///etc/passwd"}}, "the url of judge"),
        ({"judge": {**RIGHT, "url": "http://me:secret@gpu"}}, "the url of judge"),
        ({"judge": {**RIGHT, "family": "qwen_prm"}}, "the family of judge"),
        ({"judge": {**RIGHT, "models": []}}, "models of judge"),
        ({"judge": {**RIGHT, "key": "in the open"}}, "judge needs"),
        ({"judge": {**RIGHT, "options": ["votes"]}}, "options of judge"),
        ({" ": RIGHT}, "a name must have"),
    ]
    for given, why in wrong:
        with subtests.test(why=why), pytest.raises(ImproperlyConfigured, match=why):
            read_prm_servers(json.dumps(given))
    assert read_prm_servers("") == {}
    assert read_prm_servers(json.dumps({"judge": RIGHT}))["judge"].models == ("qwen",)


def test_the_families_of_servers_are_those_that_people_choose_among() -> None:
    assert set(FAMILIES) == {name for name, family in ALL_FAMILIES.items() if family.place == "server"}
