"""An installation from before tasks recorded that their labels were quality control at their origin."""

from typing import Any

import pytest
from django.utils import timezone

from labeling.tests.upgrades.steps import earlier_version

BEFORE = "0027_verdict_fits"
AFTER = "0029_fill_imported_quality_control"
WORK: dict[str, Any] = {"phase": 2}
CHECKED = {"phase": 2, "quality_control": True}
TESTED = {"phase": 2, "screening": True}


class OldImport:
    """A project with a round of imported labels, as the tables held them."""

    def __init__(self, apps: Any) -> None:
        self.model = {name: apps.get_model("labeling", name) for name in ("Label", "Task", "Trace", "User", "Round")}
        self.project = apps.get_model("labeling", "Project").objects.create(slug="old", name="Old")
        self.problem = apps.get_model("labeling", "Problem").objects.create(
            project=self.project, text="2+2?", text_hash=b"p"
        )
        self.round = self.model["Round"].objects.create(
            project=self.project, number=1, config={}, status="closed", imported=True
        )

    def trace(self, name: str, *facts: dict[str, Any]) -> list[int]:
        """The labels of a new trace, one for each of these facts of the format."""
        trace = self.model["Trace"].objects.create(
            project=self.project, problem=self.problem, steps=[name], trace_hash=name.encode()
        )
        task = self.model["Task"].objects.create(
            round=self.round, trace=trace, order_key=7, reason="imported", labels_wanted=0
        )
        self.model["Round"].objects.update(task_count=self.model["Task"].objects.count())
        return [self._label(task, f"{name} {number}", one) for number, one in enumerate(facts)]

    def _label(self, task: Any, labeler: str, facts: dict[str, Any]) -> int:
        label = self.model["Label"].objects.create(
            project=self.project,
            task=task,
            labeler=self.model["User"].objects.create(username=labeler),
            status="submitted",
            submitted_at=timezone.now(),
            finish_reason="solution",
            verdict=-1,
            extra={"prm800k": facts},
        )
        return int(label.pk)


@pytest.mark.django_db(transaction=True)
def test_each_label_gets_a_task_of_its_kind_and_the_way_back_is_open():
    with earlier_version(BEFORE) as (apps, migrate):
        old = OldImport(apps)
        (work,) = old.trace("work", WORK)
        checked, tested = old.trace("only checks", CHECKED, TESTED)
        both = old.trace("both", WORK, CHECKED, TESTED)
        apps = migrate(AFTER)
        labels = apps.get_model("labeling", "Label").objects
        expected = {work: "work", checked: "imported_qc", tested: "imported_qc"}
        expected |= dict(zip(both, ("work", "imported_qc", "imported_qc"), strict=True))
        assert dict(labels.values_list("pk", "task__kind")) == expected
        steps = dict(labels.values_list("pk", "task__trace__steps"))
        assert [steps[pk] for pk in both] == [["both"]] * 3
        assert labels.filter(pk__in=both).values("task").distinct().count() == 2
        assert apps.get_model("labeling", "Round").objects.get().task_count == 4
        apps = migrate(BEFORE)
        assert apps.get_model("labeling", "Label").objects.filter(pk__in=both).values("task").distinct().count() == 1
        assert apps.get_model("labeling", "Round").objects.get().task_count == 3
