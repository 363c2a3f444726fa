"""External scores: checked row by row, written once, and used for selection like a PRM's."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labeling.actions.imported_scores import record_score_import, run_score_import
from labeling.actions.score_merge import ScoreMerge
from labeling.errors import PrmRegistered
from labeling.models import Project, Round, Score, ScoreCount, ScoreImport, StepScorer, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.imports.files import lines
from labeling.tests.selection.pools import PoolTrace, finish_selecting, make_pool, make_prm, selecting_round

pytestmark = pytest.mark.django_db
ABOUT = {"name": "Cluster", "fingerprint": "sha256:abc"}


def row(trace: Trace, scores: Any = (0.9, 0.5, 0.25), **more: Any) -> dict[str, Any]:
    return {"trace_id": trace.pk, "scores": list(scores), **more}


def run(project: Project, folder: Path, *rows: Any, **asked: Any) -> ScoreImport:
    """The finished import of these rows."""
    file = folder / "scores.jsonl"
    file.write_bytes(lines(*rows))
    job = record_score_import(project, by=None, path=str(file), file_name=file.name, **{**ABOUT, **asked})
    done = run_score_import(job.pk)
    assert done is not None
    return done


def counted(project: Project) -> list[tuple[int, int]]:
    """Return the counts in ScoreCount, and the actual ones."""
    counts = ScoreCount.objects.filter(project=project).values_list("scorer", "traces")
    return [(said, Score.objects.filter(scorer=scorer, project=project).count()) for scorer, said in counts]


def test_rows_become_scores_of_one_scorer_and_again_they_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("labeling.actions.score_merge.BATCH_ROWS", 2)
    project = make_project()
    traces = make_traces(project, 6)
    by_hash = {"trace_hash": bytes(traces[4].trace_hash).hex().upper(), "scores": [1, 0, 0.5]}
    rows = [*(row(trace) for trace in traces[:4]), by_hash, row(traces[0])]
    done = run(project, tmp_path, *rows)
    assert (done.status, done.error) == ("succeeded", "")
    assert {**done.report, "faults": done.report["faults"]["total"]} == {
        "rows": 6,
        "scores": {"new": 5, "known": 1},
        "without_score": 1,
        "faults": 0,
        "imported": True,
    }
    scorer = StepScorer.objects.get(pk=done.scorer_id)
    said = (scorer.kind, scorer.status, scorer.project, scorer.fingerprint, scorer.scale)
    assert said == ("imported", "ready", project, "sha256:abc", "probability")
    one = Score.objects.get(scorer=scorer, trace=traces[4])
    assert (one.steps, one.exact, one.problem_id) == ([1.0, 0.0, 0.5], True, traces[4].problem_id)
    assert counted(project) == [(5, 5)]
    before = list(Score.objects.order_by("trace").values())
    again = run(project, tmp_path, *rows, row(traces[5]))
    assert again.scorer_id == scorer.pk
    assert (again.report["scores"], again.report["without_score"]) == ({"new": 1, "known": 6}, 0)
    assert list(Score.objects.exclude(trace=traces[5]).order_by("trace").values()) == before
    assert counted(project) == [(6, 6)]


def test_every_fault_is_told_by_line_and_field_and_nothing_is_kept(tmp_path):
    project = make_project()
    traces, [foreign] = make_traces(project, 3), make_traces(make_project())
    rows = [
        row(traces[0]),
        row(foreign),
        row(traces[1], [0.5, 0.5]),
        b'{"trace_id": 1, "scores": [NaN]}\n',
        row(traces[1], [0.5, 1.5, 0.5]),
        row(traces[1], [0.5, None, 0.5]),
        row(traces[1], []),
        {"scores": [0.5]},
        row(traces[1], trace_hash="ab"),
        {"trace_hash": "ab", "scores": [0.5]},
        row(traces[1], fingerprint="another"),
        row(traces[0], [0.1, 0.1, 0.1]),
        row(traces[1], [1e300, 0, 0]),
        {"trace_id": 2**63, "scores": [0.5]},
        {"trace_hash": "0" * 64, "scores": [0.5]},
        row(traces[1], scale="log_ratio"),
        row(traces[2]),
    ]
    done = run(project, tmp_path, *rows)
    assert done.status == "failed"
    kinds = done.report["faults"]["kinds"]
    found = {(one["line"], one["field"], kind["kind"]) for kind in kinds for one in kind["examples"]}
    assert found == {
        (2, "", "unknown_trace"),
        (3, "scores", "other_step_count"),
        (4, "", "not_a_number"),
        (5, "scores[1]", "outside_scale"),
        (6, "scores[1]", "not_a_number"),
        (7, "scores", "no_scores"),
        (8, "", "no_trace"),
        (9, "", "no_trace"),
        (10, "trace_hash", "bad_trace_hash"),
        (11, "fingerprint", "other_fingerprint"),
        (12, "scores", "other_scores"),
        (13, "scores[0]", "outside_scale"),
        (14, "trace_id", "bad_trace_id"),
        (15, "", "unknown_trace"),
        (16, "scale", "other_scale"),
    }
    assert (Score.objects.count(), StepScorer.objects.count(), counted(project)) == (0, 0, [])
    for dry_run in (True, False):
        done = run(project, tmp_path, *rows, skip_faulty=True, dry_run=dry_run)
        assert done.report["scores"] == {"new": 2, "known": 0}
        assert Score.objects.count() == (0 if dry_run else 2)
    assert counted(project) == [(2, 2)]


def test_a_name_is_of_one_model_alone(tmp_path):
    project = make_project()
    [trace] = make_traces(project)
    assert run(project, tmp_path, row(trace), fingerprint="").error.startswith("Nothing was imported")
    first = run(project, tmp_path, row(trace, fingerprint="m1", scale="log_ratio"), fingerprint="")
    assert (first.fingerprint, first.scale) == ("m1", "log_ratio")
    with pytest.raises(PrmRegistered, match="fingerprint m1"):
        run(project, tmp_path, row(trace))
    other = run(project, tmp_path, row(trace, fingerprint="m2"), fingerprint="")
    assert (other.status, "fingerprint m1" in other.error) == ("failed", True)
    make_prm("Here", project=project)
    with pytest.raises(PrmRegistered, match="workers run here"):
        run(project, tmp_path, row(trace), name="Here")
    assert Score.objects.count() == 1


def test_a_round_chooses_by_them_without_a_worker_that_scores_and_tells_what_has_no_score(tmp_path):
    project = make_project()
    traces = make_pool(project, None, [PoolTrace(n, steps=("One.", f"Two {n}.")) for n in range(4)])
    scorer = StepScorer.objects.get(
        pk=run(project, tmp_path, *(row(trace, [1, 0.1 + n / 4]) for n, trace in enumerate(traces[:3]))).scorer_id
    )
    researcher = Browser(make_member(project, "researcher"))
    [listed] = researcher.call("GET", f"/api/projects/{project.slug}/prms")["results"]
    assert (listed["kind"], listed["name"], listed["scored"], listed["run"]) == ("imported", "Cluster", 3, None)
    asked = {"prm": scorer.pk, "k": 2, "mode": "global", "control_share": 0, "ratio": 1}
    pool = researcher.call("POST", f"/api/projects/{project.slug}/rounds/pool", {**asked, "k": 9})
    assert pool["expected"]["selected"] == 3
    assert [one["text"] for one in pool["warnings"] if one["code"] == "scored_elsewhere"] == [
        "1 trace has no score by Cluster, whose scores were made elsewhere, and is left out. "
        "Import the missing scores first, or continue."
    ]
    generate = {"generator": "any", "model": "any"}
    refused = researcher.call(
        "POST", f"/api/projects/{project.slug}/rounds/start", {**asked, "generate": generate}, status=400
    )
    assert "made elsewhere" in refused["fields"]["generate"][0]
    assert not Round.objects.exists()
    started = researcher.call(
        "POST", f"/api/projects/{project.slug}/rounds/start", {**asked, "grade": False}, status=201
    )
    progress = researcher.call("GET", f"/api/rounds/{started['id']}/progress")
    assert {one["stage"]: one["state"] for one in progress["stages"]}["scoring"] == "skipped"
    researcher.call("POST", f"/api/rounds/{started['id']}/cancel")
    ready = finish_selecting(selecting_round(project, scorer, k=2, mode="global", ratio=1.0))
    assert set(ready.tasks.values_list("trace", flat=True)) == {traces[1].pk, traces[2].pk}
    assert ready.selection["dropped"]["unscored"] == 1
    trained = researcher.call("POST", f"/api/projects/{project.slug}/promotions", {"prm": scorer.pk}, status=400)
    assert "made elsewhere" in trained["fields"]["prm"][0]


def test_an_operator_imports_a_file_on_the_server(tmp_path, capsys):
    project = make_project("algebra")
    [trace] = make_traces(project)
    file = tmp_path / "scores.jsonl"
    file.write_text(json.dumps(row(trace, [0.5])))
    with pytest.raises(CommandError) as refused:
        call_command("import_scores", "algebra", file, name="Cluster", fingerprint="m")
    assert refused.value.returncode == 2
    assert "line 1, scores: 1 number for 3 steps" in capsys.readouterr().out
    file.write_text(json.dumps(row(trace)))
    call_command("import_scores", "algebra", file, name="Cluster", fingerprint="m")
    assert "scores: 1 new, 0 already known" in capsys.readouterr().out
    assert file.exists()


def test_a_batch_is_all_that_is_in_memory(tmp_path, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr("labeling.actions.score_merge.BATCH_ROWS", 50)
    held: list[int] = []
    write = ScoreMerge.write
    monkeypatch.setattr(ScoreMerge, "write", lambda merge: held.append(len(merge.rows)) or write(merge))
    project = make_project()
    traces = make_traces(project, 200, steps=1)
    with django_assert_max_num_queries(60):
        run(project, tmp_path, *(row(trace, [0.5]) for trace in traces))
    assert (max(held), Score.objects.count()) == (50, 200)
