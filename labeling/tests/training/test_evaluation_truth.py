"""The truth in an evaluation set of labels: a reviewer's verdict, or else the majority's."""

from itertools import islice
from pathlib import Path

import pytest

from labeling.actions.reviews import settle_task
from labeling.models import EvaluationItem, Round, Task
from labeling.protocol.submission import FinishReason
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.training.labels import import_labels, labeled_row, problem_texts

pytestmark = pytest.mark.django_db(transaction=True)  # an import: another connection renews its lease
SAID = ([1, 1, -1], [1, 1, -1], [1, -1])  # two find the error in step 2, one in step 1


def test_a_ruling_is_the_truth_else_what_most_say_and_ties_and_bad_problems_are_left_out(tmp_path: Path) -> None:
    project = make_project()
    texts = dict(zip(("most", "ruled", "again", "tied", "bad"), islice(problem_texts(True), 5), strict=True))
    rows = [
        labeled_row(text, [1, 1, 1]) | {"label": labeled_row(text, ratings)["label"], "labeler": f"labeler {place}"}
        for name, text in texts.items()
        for place, ratings in enumerate(SAID[1:] if name == "tied" else SAID)
    ]
    round_ = import_labels(project, tmp_path, *rows)
    Round.objects.filter(pk=round_.pk).update(status="labeling")
    reviewer = make_member(project, "researcher")
    tasks = {name: Task.objects.get(round=round_, trace__problem__text=text) for name, text in texts.items()}
    rulings: dict[str, list[tuple[list[int | None], FinishReason]]] = {
        "ruled": [([-1, None, None], "found_error")],
        "again": [([-1, None, None], "found_error"), ([1, 1, 1], "solution")],
        "bad": [([None, None, None], "bad_problem")],
    }
    for name, said in rulings.items():
        for ratings, reason in said:
            detail = {"kind": "ambiguous", "text": "It has two answers."} if reason == "bad_problem" else {}
            settle_task(tasks[name], by=reviewer, ratings=ratings, finish_reason=reason, finish_detail=detail)

    asked = {"name": "Kept back", "source": "labels", "round_ids": [round_.pk]}
    path = f"/api/projects/{project.slug}/evaluation_sets"
    made = Browser(reviewer).call("POST", path, asked, status=201)
    found = {item.trace.problem.text: (item.first_error, item.ratings) for item in EvaluationItem.objects.all()}
    assert found == {
        texts["most"]: (2, [1, 1, -1]),
        texts["ruled"]: (0, [-1, None, None]),
        texts["again"]: (-1, [1, 1, 1]),
    }
    assert (made["traces"], made["erroneous"]) == (3, 2)
