"""Every format writes the same bytes as before: the rows of a small project, for each value of each switch.

If rows are meant to change, remove the recorded file, run this, and review the difference before committing it.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.labels import claim_next_label, submit_label
from labeling.configs.rounds import TraceFilter
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.labeler_ids import salted_labeler_id
from labeling.models import Completion, Label, Project, Trace, User
from labeling.tests.exports.labeled import contents, exported
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.imports.files import done, import_bytes, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)

RECORDED = Path(__file__).parent / "recorded_rows.json"
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
ASKED: list[tuple[str, dict[str, str]]] = [
    ("prm800k", {}),
    ("prm800k", {"gold": "exclude"}),
    ("prm800k", {"surplus": "exclude"}),
    ("neutral", {}),
    ("neutral", {"neutral": "positive"}),
    ("neutral", {"neutral": "negative"}),
    ("neutral", {"neutral": "drop"}),
    ("neutral", {"after_error": "truncate"}),
    ("neutral", {"after_error": "fill_negative"}),
    ("neutral", {"alternatives": "rows"}),
    ("neutral", {"human_steps": "exclude"}),
    ("neutral", {"gold": "include"}),
    ("neutral", {"surplus": "exclude"}),
    ("neutral", {"aggregate": "adjudicated"}),
    ("neutral", {"neutral": "negative", "after_error": "truncate", "alternatives": "rows", "gold": "include"}),
    *((name, {}) for name in EXPORT_FORMATS if name not in ("prm800k", "neutral", "outcome")),
    ("trl_stepwise", {"neutral": "negative", "alternatives": "rows"}),
    ("math_shepherd", {"after_error": "fill_negative"}),
    ("math_shepherd", {"alternatives": "rows", "human_steps": "exclude"}),
    ("processbench", {"neutral": "negative"}),
    ("step_pairs", {"over": "neutral", "pairs": "all"}),
    ("trace_pairs", {"pairs": "all"}),
    ("rewards", {"neutral": "drop"}),
]


def test_every_format_writes_the_rows_it_wrote_before(tmp_path: Path) -> None:
    project = make_labeled_project(tmp_path)
    found = {f"{format} {switches}": rows_of(project, format, switches) for format, switches in ASKED}
    if not RECORDED.exists():
        RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        pytest.fail(f"{RECORDED.name} was missing and is written anew: read it.")
    recorded = json.loads(RECORDED.read_text())
    assert found.keys() == recorded.keys()
    for asked, rows in found.items():
        assert rows == recorded[asked], asked


def rows_of(project: Project, format: str, switches: dict[str, str]) -> list[str]:
    """Return the lines of an export, with the labelers' names in place of their ids."""
    text = contents(exported(project, format, switches=switches)[1]).decode()
    for person in User.objects.filter(display_name__startswith="Labeler"):
        text = text.replace(salted_labeler_id(project.export_salt, person.pk), person.display_name)
    return text.splitlines()


def make_labeled_project(folder: Path) -> Project:
    """Create labels of every kind that rows show differently, at fixed times: own, imported, gold, surplus."""
    project = make_project()
    ada, ben, cleo = (make_member(project, display_name=f"Labeler {name}") for name in ("Ada", "Ben", "Cleo"))
    own = {"source": "ours", "generator": "gpt", "final_answer": "5", "final_answer_correct": False, "orig": {"a": [1]}}
    about = {"problem_id": "p-1", "ground_truth_answer": "4", "subject": "Algebra", "level": "1", "licence": "MIT"}
    disputed = neutral_row("2+2?", ["Add.", "It is 5.", "Hm.", "So 5."], **own, **about)
    agreed = neutral_row("Why $é$?", ["Because.", "Indeed."], split="held_out", first_error=-1)
    import_bytes(project, lines(disputed, agreed), folder)
    open_round(project, source="filter", filter=TraceFilter(split="train", source="ours"), overlap=5)
    trace = Trace.objects.get(project=project, source="ours")
    good, bad = (Completion.objects.create(trace=trace, step_index=1, text=text) for text in ("It is 4.", "It is 6."))
    rated = [
        {"completion": good.pk, "rating": 0, "flagged": False},
        {"completion": bad.pk, "rating": -1, "flagged": True},
    ]
    remarks = {
        "comments": [{"step": 1, "text": "Two and two\nare four."}],
        "reports": [{"kind": "answer_wrong", "step": None, "text": ""}],
        "mistake": {"progress": "some", "explanation": "Wrong sum."},
        "noticed_at_step": 1,
    }
    give(project, ada, [1, -1, None, None], alternatives=rated, **remarks)
    give(project, ben, [1, 0, -1, None])
    give(project, cleo, [0, 0, None, None], finish_reason="give_up", finish_detail={"text": "Too hard."})
    open_round(project, source="filter", filter=TraceFilter(split="held_out"), overlap=5)
    for person in (ada, ben):
        give(project, person, [1, 1])
    import_bytes(project, lines(*imported_rows()), folder)
    fix_times(project)
    Label.objects.filter(labeler=cleo).update(surplus=True)
    return project


def give(project: Project, labeler: User, ratings: list[int | None], **fields: Any) -> None:
    """Submit a label the usual way."""
    label = claim_next_label(labeler, project).label
    assert label is not None
    submit_label(label, make_submission(ratings, total_ms=9000, **fields))


def imported_rows() -> list[dict[str, Any]]:
    """An ordinary row, a quality control, a row with a key of its own, one that gave up, and one of phase 1."""
    gave_up = prm800k_row("R?", labeler="labeler-b")
    gave_up["label"] |= {"finish_reason": "give_up"}
    phase_1 = prm800k_row("S?", labeler="labeler-c")
    del phase_1["question"]["pre_generated_steps"]
    human = {"text": "By hand.", "rating": None, "source": "human", "flagged": False}
    phase_1["label"] |= {"finish_reason": "solution"}
    phase_1["label"]["steps"][1] |= {"human_completion": human, "completions": [done("Hm.", 0), done("No.", -1)]}
    return [
        prm800k_row("Q?"),
        prm800k_row("Gold?", is_quality_control_question=True),
        prm800k_row("Odd?", campaign={"deep": [1, None]}),
        gave_up,
        phase_1,
    ]


def fix_times(project: Project) -> None:
    """Make the product's labels look as if submitted at fixed times."""
    given = Label.objects.filter(project=project, status="submitted", labeler__display_name__startswith="Labeler")
    for number, label in enumerate(given.order_by("id")):
        Label.objects.filter(pk=label.pk).update(submitted_at=BEGAN + timedelta(minutes=number, microseconds=250))
