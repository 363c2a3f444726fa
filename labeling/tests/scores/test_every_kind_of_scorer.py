"""Step scorers of every kind, with the record of their kind, are listed and shown by every address."""

from pathlib import Path
from typing import Any

import pytest

from labeling.actions.imported_scores import record_score_import, run_score_import
from labeling.actions.labels import claim_next_label, submit_label
from labeling.configs import ConsensusConfig, VerifierConfig
from labeling.models import Project, Promotion, Score, StepScorer, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.security.world import operations
from labeling.tests.selection.pools import make_prm
from labeling.tests.sources.world import count_rollouts, judge, make, rollouts

pytestmark = pytest.mark.django_db(transaction=True)
TRL = {"prompt": "What is $1+1$?", "completions": ["Add.", "It is 3."], "labels": [True, False]}
PROVED = {"problem": "What is $2+2$?", "steps": ["Add.", "It is 4."], "verdicts": ["proved", "refuted"], "prover": "Z3"}
CHOOSABLE = ("prm", "scores", "marks")


def scorers(project: Project, folder: Path) -> dict[str, StepScorer]:
    """One scorer of each kind, imported ones both with scores and with marks; all have a number for the trace."""
    import_bytes(project, lines(TRL), folder, marks_of="marks")
    import_bytes(project, lines(PROVED), folder)
    [trace] = Trace.objects.filter(project=project, problem__text=TRL["prompt"])
    file = folder / "scores.jsonl"
    file.write_bytes(lines({"trace_id": trace.pk, "scores": [0.9, 0.2]}))
    job = record_score_import(project, by=None, path=str(file), file_name=file.name, name="scores", fingerprint="m1")
    run_score_import(job.pk)
    prm = make_prm("prm", project=project)
    made = [rollouts(project), judge(project), make(project, "checks", VerifierConfig("1"))]
    made.append(make(project, "rule", ConsensusConfig((made[0].pk, made[1].pk))))
    count_rollouts(made[0], trace, [None, None, None])
    for scorer in (prm, *made[1:]):
        about = {"project": project, "problem": trace.problem, "outcome": trace.outcome, "draw": 0}
        said = {"first_error": 1, "why": "", "words": [[], []], "votes": [1]}
        Score.objects.create(scorer=scorer, trace=trace, steps=[0.9, 0.2], score=-1.7, evidence=said, **about)
    return {scorer.name if scorer.kind == "imported" else scorer.kind: scorer for scorer in project.step_scorers.all()}


def test_every_address_lists_and_shows_scorers_of_every_kind(tmp_path: Path):
    project = make_project()
    found = scorers(project, tmp_path)
    assert set(found) == {*StepScorer.Kind.values, "marks", "scores"} - {"imported"}
    [trace] = Trace.objects.filter(project=project, problem__text=TRL["prompt"])
    round_ = open_round(project)
    submit_label(claim_next_label(make_member(project), project).label, make_submission([1, -1]))
    boss = make_member(project, "admin")
    admin = Browser(boss)

    def look(route: str) -> Any:
        answer = admin.get(f"/api/{route}")
        assert answer.status_code in (200, 400, 404, 409), (route, answer.content)  # 400: asks for more than an address
        return answer

    whole = "projects/<slug:slug>/"
    rest = [
        one.route.removeprefix(whole) for one in operations() if one.method == "GET" and one.route.startswith(whole)
    ]
    for name, scorer in found.items():
        Promotion.objects.create(project=project, scorer=scorer, by=boss)
        type(round_).objects.filter(pk=round_.pk).update(scorer=scorer)
        for place in rest:
            if "<" not in place:
                look(f"projects/{project.slug}/{place}")
        if name == "prm":
            look(f"projects/{project.slug}/promotions/news?prm={scorer.pk}")
        for place in ("", "/progress", "/selection", "/report", "/report.csv", "/machine"):
            look(f"rounds/{round_.pk}{place}")
        look(f"projects/{project.slug}/sources/{scorer.pk}/calibration")
        look(f"traces/{trace.pk}/machine_marks/{scorer.pk}")
        listed = {one["name"]: one for one in look(f"projects/{project.slug}/prms").json()["results"]}
        assert (scorer.name in listed) is (name in CHOOSABLE)
    families = {name: one["family"] for name, one in listed.items()}
    assert families == {"prm": "math_shepherd", "scores": "imported", "marks": ""}
    shown = look(f"traces/{trace.pk}").json()["scores"]
    marked = look(f"traces/{trace.pk}/machine_marks").json()["results"]
    assert len(shown) + len(marked) == len(found) - 1, "the prover looked at another trace"
