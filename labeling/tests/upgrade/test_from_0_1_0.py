"""An installation of version 0.1.0, brought up to date."""

from labeling.tests.upgrade.body import (  # noqa: F401  (the tests, which ask for VERSION)
    exports_of,
    pytest_generate_tests,
    test_an_upgraded_installation_answers_as_the_old_one_did,
    test_exports_of_old_labels_hold_what_they_held,
    test_processes_of_the_version_before_are_served_after_each_migration_that_lets_them_run,
    test_the_old_installation_was_no_empty_one_and_any_owner_of_an_empty_database_can_load_it,
    test_words_of_old_steps_are_found_once_a_worker_was_there,
    upgraded,
)
from labeling.tests.upgrade.versions import VERSION_0_1_0 as VERSION


def test_the_old_labels_include_all_whose_first_error_is_not_their_verdict() -> None:
    asked = {
        "format": "neutral",
        "switches": {"neutral": "keep3", "after_error": "keep_unlabelled", "aggregate": "each"},
    }
    rows = [row for answer in exports_of(VERSION) if answer.get("export") == asked for row in answer["answer"]["rows"]]
    found = {row["label"]["finish_reason"] for row in rows if row["first_error"] not in (None, -1)}
    assert found == {"found_error", "solution", "bad_problem", "give_up"}
