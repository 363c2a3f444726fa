"""An installation whose Who&When runs had their decisive error as a recorded first error."""

from typing import Any

import pytest

from labeling.tests.upgrades.steps import earlier_version

BEFORE = "0068_release_words"
AFTER = "0073_recorded_marks"


@pytest.mark.django_db(transaction=True)
def test_decisive_errors_of_who_and_when_become_marks_and_other_first_errors_stay():
    with earlier_version(BEFORE) as (apps, migrate):
        make: dict[str, Any] = {
            name: apps.get_model("labeling", name).objects.create for name in ("Project", "Problem", "Trace")
        }
        project = make["Project"](slug="old", name="Old")
        problem = make["Problem"](project=project, text="2+2?", text_hash=b"p")
        about = {"project": project, "problem": problem, "steps": ["a", "b"], "recorded_first_error": 1}
        run = make["Trace"](source="Who&When", typed_steps=[{"kind": "message"}], trace_hash=b"r", **about)
        plain = make["Trace"](source="ProcessBench", trace_hash=b"s", **about)
        apps = migrate(AFTER)
        traces = apps.get_model("labeling", "Trace").objects
        said = {
            pk: (first, marks)
            for pk, first, marks in traces.values_list("pk", "recorded_first_error", "recorded_marks")
        }
        assert said == {run.pk: (None, {"decisive_error": 1}), plain.pk: (1, None)}
