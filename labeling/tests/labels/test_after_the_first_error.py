"""A label's details about a mistake: kind, clause, corrected step, ratings of machine suggestions; and its export."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from labeling.actions import exports
from labeling.actions.guidelines import publish_guideline
from labeling.actions.rounds import open_round
from labeling.models import Completion, Label, Round, Suggestion
from labeling.protocol.after_error import missing_after_error
from labeling.protocol.clauses import clauses_of
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)

EXPLAINED = [
    {"step": 1, "kind": "explanation", "text": "Two and two is four."},
    {"step": 1, "kind": "explanation", "text": "The sum is off."},
    {"step": 1, "kind": "alternative", "text": "It is 4."},
]
MISTAKE = {
    "progress": "some",
    "explanation": "",
    "kind": "maths:1:calculation",
    "clause": "§2.3",
    "corrected_step": "It is $4$.",
}


def opened(folder: Path, **fields: Any) -> tuple[Labeler, dict[str, Any]]:
    """A labeler with a label of an imported trace whose second step has suggestions."""
    project = make_project(after_error={"scheme": "maths", "asked": ["kind"]})
    publish_guideline(make_member(project, "admin"), project, "# Rate\n\n## 2.3 Must follow from what it cites\n")
    row = neutral_row(steps=("Add.", "It is 5.", "So 5."), suggestions=EXPLAINED, **fields)
    import_bytes(project, lines(row, neutral_row("Again?", suggestions=[])), folder)
    project.refresh_from_db()
    open_round(project, by=None)
    labeler = Labeler(project, make_member(project))
    label = labeler.claim()["label"]
    while len(label["steps"]) != 3:
        labeler.submit(label, [1, 1])
        label = labeler.claim()["label"]
    return labeler, label


def submission(**fields: Any) -> dict[str, Any]:
    body = {"idempotency_key": str(uuid4()), "finish_reason": "found_error", "ratings": [1, -1, None]}
    return {**body, "mistake": MISTAKE, **fields}


def rated(number: int, rating: int | None, kind: str = "explanation", **more: Any) -> dict[str, Any]:
    return {"step": 1, "kind": kind, "number": number, "rating": rating, **more}


def test_a_whole_label_after_the_first_error_reaches_both_exports(tmp_path: Path) -> None:
    labeler, label = opened(tmp_path)
    assert (label["after_error"]["suggests"], label["after_error"]["asked"]) == (True, ["kind"])
    assert label["after_error"]["kinds"][0]["code"] == "maths:1:calculation"
    own = f"/api/labels/{label['id']}"
    here = labeler.call("POST", f"{own}/suggestions", {"step": 1})
    texts = [(one["kind"], one["number"], one["text"]) for one in here["suggestions"]]
    assert here["state"] == "here"
    assert texts == [
        ("alternative", 1, "It is 4."),
        ("explanation", 1, "Two and two is four."),
        ("explanation", 2, "The sum is off."),
    ]
    assert labeler.call("POST", f"{own}/suggestions", {"step": 0}) == {"state": "none", "suggestions": []}

    missing = labeler.call("POST", f"{own}/submit", submission(mistake=None), status=422)
    assert missing["missing"] == [{"code": "kind_asked", "step": 1}]
    suggestions = [rated(1, 1), rated(2, -1), rated(1, None, "alternative", flagged=True)]
    labeler.call("POST", f"{own}/submit", submission(suggestions=suggestions))
    reopened = labeler.call("POST", f"{own}/reopen")
    assert [one["rating"] for one in reopened["submission"]["suggestions"]] == [1, -1, None]
    suggestions[2]["rating"] = 1
    labeler.call("POST", f"{own}/submit", submission(suggestions=suggestions))
    assert Completion.objects.count() == 1, "the same suggestion is one completion"
    other = Browser(make_member(labeler.project, "researcher"))
    assert "Two and two" in json.dumps(other.call("GET", f"/api/tasks/{Label.objects.get(pk=label['id']).task_id}"))

    row = next(row for row in _exported(labeler, "neutral", tmp_path) if len(row["steps"]) == 3)
    assert row["label"]["mistake"] == {
        **MISTAKE,
        "scheme": "maths",
        "scheme_version": 1,
        "code": "calculation",
        "explanations": [
            {"text": "Two and two is four.", "rating": 1, "flagged": False},
            {"text": "The sum is off.", "rating": -1, "flagged": False},
        ],
    }
    assert row["suggestions"] == EXPLAINED, "what the file said goes out again"
    rows = _exported(labeler, "neutral", tmp_path, alternatives="rows")
    assert [r["steps"][-1] for r in rows if r["label"]["alternative_at_step"] == 1] == ["It is 4."]
    kind = {"scheme": "maths", "scheme_version": 1, "code": "calculation", "clause": "§2.3"}
    about = {"problem": "What is $2+2$?", "prefix_steps": ["Add."], "step": "It is 5.", "rating": -1}
    told = {**about, **kind, "corrected_step": "It is $4$."}
    said = {"critique": None, "source": "person"}, {"critique": "Two and two is four.", "source": "machine"}
    assert _exported(labeler, "critiques", tmp_path) == [told | one for one in said]
    assert _exported(labeler, "critiques", tmp_path, machine_words="exclude") == [told | said[0]]
    assert _exported(labeler, "verification_chains", tmp_path) == [], "nobody wrote a word"
    [chain] = _exported(labeler, "verification_chains", tmp_path, machine_words="include")
    assert chain["cot"].endswith("Step 2: Two and two is four. The step is \\boxed{incorrect}.")
    pair = {"prompt": "What is $2+2$?", "query": "Add.", "prefix": ["Add."], "rejected": "It is 5."}
    both = [pair | {"chosen": chosen} for chosen in ("It is $4$.", "It is 4.")]
    assert _exported(labeler, "step_pairs", tmp_path) == both[:1], "what the labeler wrote comes first"
    assert _exported(labeler, "step_pairs", tmp_path, pairs="all") == both
    assert _exported(labeler, "step_pairs", tmp_path, human_steps="exclude") == both[1:]
    row = next(
        row
        for row in _exported(labeler, "prm800k", tmp_path)
        if len(row["label"]["steps"]) == 2 and row["label"]["finish_reason"] == "found_error"
    )
    assert row["label"]["steps"][1]["completions"] == [
        {"text": "It is 5.", "rating": -1, "flagged": None},
        {"text": "It is 4.", "rating": 1, "flagged": True},
    ]


def test_what_is_said_of_a_mistake_must_be_on_the_list_in_the_guidelines_and_suggested(tmp_path: Path) -> None:
    labeler, label = opened(tmp_path)
    own = f"/api/labels/{label['id']}/submit"
    wrong = {
        "list of kinds of mistakes": {"mistake": {**MISTAKE, "kind": "maths:2:calculation"}},
        "no clause": {"mistake": {**MISTAKE, "clause": "§9"}},
        "suggestion of another trace": {"suggestions": [rated(7, 1)]},
    }
    for words, fields in wrong.items():
        assert words in labeler.call("POST", own, submission(**fields), status=422)["detail"]
    for said in ("calculation", "maths:1:", "maths:1:x y"):
        labeler.call("POST", own, submission(mistake={**MISTAKE, "kind": said}), status=400)
    assert not Label.objects.filter(pk=label["id"], status="submitted").exists()
    labeler.call("POST", own, submission(suggestions=[rated(2, 1)]))


def test_a_files_suggestions_are_faults_where_they_are_none_and_come_once_also_to_known_traces(tmp_path: Path) -> None:
    project = make_project()
    bad = [{"step": 2, "kind": "explanation", "text": "x"}, {"step": 0, "kind": "hint", "text": " "}, 3]
    job = import_bytes(project, lines(neutral_row(suggestions=bad), neutral_row(suggestions="none")), tmp_path)
    fields = {fault["field"] for kind in job.report["faults"]["kinds"] for fault in kind["examples"]}
    places = {"suggestions[0].step", "suggestions[1].kind", "suggestions[1].text", "suggestions[2]", "suggestions"}
    assert fields == places
    import_bytes(project, lines(neutral_row()), tmp_path)
    one, two = ({"step": 1, "kind": "explanation", "text": text} for text in ("Off by one.", "No."))
    for _ in range(2):
        import_bytes(project, lines(neutral_row(suggestions=[one]), neutral_row(suggestions=[two, one])), tmp_path)
    assert list(Suggestion.objects.values_list("number", "text")) == [(1, "Off by one."), (2, "No.")]


def test_an_own_list_is_a_new_version_with_each_change_and_rounds_keep_theirs(tmp_path: Path) -> None:
    project = make_project()
    admin = Browser(make_member(project, "admin"))
    address = f"/api/projects/{project.slug}"

    def change(title: str) -> Any:
        kinds = [{"code": "sign", "title": title}]
        return admin.call("PATCH", address, {"after_error": {"scheme": "own", "own_kinds": kinds}})["after_error"]

    assert [change("Sign")["own_version"], change("Sign")["own_version"]] == [1, 1]
    import_bytes(project, lines(neutral_row()), tmp_path)
    project.refresh_from_db()
    round_ = open_round(project, by=None)
    assert change("A lost sign")["own_version"] == 2
    label = Labeler(project, make_member(project)).claim()["label"]
    assert [kind["code"] for kind in label["after_error"]["kinds"]] == ["own:1:sign"]
    assert Round.objects.get(pk=round_.pk).after_error_config.own_version == 1
    for wrong in ({"scheme": "own"}, {"asked": ["kind"]}, {"explaining": {"generator": "none", "model": "m"}}):
        admin.call("PATCH", address, {"after_error": wrong}, status=400)
    annotator = Browser(make_member(project))
    assert annotator.call("GET", address)["after_error"] is None


def test_clauses_are_numbered_headings_and_paragraphs_that_begin_with_the_sign() -> None:
    body = "# 1 Rate\n## §2.3: Must *follow*\n1. no clause\n- **§2.4** Units.\nSee §9.\n§2.3 twice\n### 10.1.2\n```\n"
    found = [tuple(clause) for clause in clauses_of(body)]
    assert found == [("§1", "Rate"), ("§2.3", "Must *follow*"), ("§2.4", "Units."), ("§10.1.2", "")]


def test_what_a_round_asks_for_is_what_the_page_says_it_asks_for() -> None:
    cases = json.loads((Path(__file__).parents[1] / "after_error_cases.json").read_text())
    for case in cases:
        rated = dict(enumerate(case["rated"], start=1))
        found = missing_after_error(case["asked"], case["error"], case["mistake"], rated)
        assert [one.code for one in found] == case["missing"], case["name"]


def _exported(labeler: Labeler, format: str, folder: Path, **switches: str) -> list[dict[str, Any]]:
    export = exports.create_export(labeler.project, by=None, format=format, switches=switches, wake=False)
    made = exports.run_export(export.pk)
    return [json.loads(line) for line in exports.file_path(made).read_text().splitlines()]
