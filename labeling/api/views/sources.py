"""Machine labels: their sources, runs over traces, marks next to a trace, and calibration against people."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import source_runs
from labeling.api.answers import With, answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.sources import (
    CalibrationIn,
    CalibrationOut,
    CreateSourceIn,
    JudgePreviewOut,
    MachineMarksOut,
    MarkTextsOut,
    PreviewJudgeIn,
    PrunedOut,
    ResumeSourceRunIn,
    RunSourceIn,
    SourceEstimateOut,
    SourceOut,
    SourceRunOut,
    SourcesOut,
)
from labeling.api.throttles import StartThrottle
from labeling.generation.prompts import COMPLETION_PROMPTS
from labeling.queries.error_and_score_filters import refuse_to_count_held
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as
from labeling.sources.consensus import RULES
from labeling.sources.judging import TEMPLATES, read_vote, write_prompt


@extend_schema(responses=SourcesOut)
@api_view(["GET"])
def list_sources(request: Request, slug: str) -> Response:
    """The sources of machine labels, and what a new one can be made of."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    scored = queries.step_scorers.scored_counts(project)
    found = {
        "results": [With(one, scored=scored.get(one.pk, 0)) for one in queries.sources.sources_of(project)],
        "judge_templates": _named(TEMPLATES),
        "completion_prompts": _named(COMPLETION_PROMPTS),
        "rules": _named(RULES),
    }
    return answer(SourcesOut, found)


def _named(texts: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "text": text} for name, text in texts.items()]


@extend_schema(request=CreateSourceIn, responses={201: SourceOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def create_source(request: Request, slug: str) -> Response:
    """Create a source. A source never changes: other settings need another source."""
    body = read_body(request, CreateSourceIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    queries.sources.require_usable(project, body["config"])
    made = source_runs.create_source(project, by=signed_in(request), **body)
    return answer(SourceOut, With(made, scored=0), 201)


@extend_schema(request=PreviewJudgeIn, responses=JudgePreviewOut)
@api_view(["POST"])
def preview_judge(request: Request, slug: str) -> Response:
    """What a judge would read of a trace with this template, and how one of its answers would be understood."""
    body = read_body(request, PreviewJudgeIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    trace = queries.sources.sample_trace(signed_in(request), project, body.get("trace"))
    vote = read_vote(body["prompt"], body.get("answer", ""), len(trace.steps))
    text = write_prompt(body["prompt"], trace.problem.text, trace.steps)
    return answer(JudgePreviewOut, {"trace": trace.pk, "text": text, "first_error": vote.first_error, "why": vote.why})


@extend_schema(request=None, responses=PrunedOut)
@api_view(["POST"])
def prune_source(request: Request, slug: str, source_id: int) -> Response:
    """Delete the texts behind a source's marks. The marks are kept."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    source = queries.sources.get_own_source(project, source_id)
    return answer(PrunedOut, {"traces": source_runs.prune_texts(source, by=signed_in(request))})


@extend_schema(responses=CalibrationOut, parameters=[CalibrationIn])
@api_view(["GET"])
def get_calibration(request: Request, slug: str, source_id: int) -> Response:
    """How a step scorer's first errors compare with people's."""
    asked = CalibrationIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    source = queries.sources.get_listed_source(project, source_id)
    other = asked.validated_data.get("other")
    audit = queries.audits.audit_state(project, source, signed_in(request))
    found = queries.source_calibration.calibration(
        signed_in(request),
        project,
        source,
        truth=asked.validated_data.get("truth") or ("audit" if audit["rounds"] else "labels"),
        other=queries.sources.get_listed_source(project, other) if other else None,
    )
    return answer(CalibrationOut, {**found, "source": source, "audit": audit})


@extend_schema(request=RunSourceIn, responses=SourceEstimateOut)
@api_view(["POST"])
def estimate_source_run(request: Request, slug: str) -> Response:
    """How much a run would ask for and cost at most."""
    body = read_body(request, RunSourceIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    source = queries.sources.get_source_to_run(project, body["source"])
    refuse_to_count_held(signed_in(request), project, body["filter"])
    return answer(SourceEstimateOut, source_runs.estimate(project, source, body["filter"]))


@extend_schema(responses=paged(SourceRunOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_source_runs(request: Request, slug: str) -> Response:
    """A project's runs, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.sources.runs_of(project), SourceRunOut)


@extend_schema(request=RunSourceIn, responses={201: SourceRunOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def start_source_run(request: Request, slug: str) -> Response:
    """Have workers mark the matching traces that the source has not looked at."""
    body = read_body(request, RunSourceIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    source = queries.sources.get_source_to_run(project, body.pop("source"))
    return answer(SourceRunOut, source_runs.start_run(project, source, by=signed_in(request), **body), 201)


@extend_schema(responses=SourceRunOut)
@api_view(["GET"])
def get_source_run(request: Request, source_run_id: int) -> Response:
    """One run with its progress and what it has used."""
    return answer(SourceRunOut, queries.sources.get_visible_run(signed_in(request), source_run_id))


@extend_schema(request=None, responses=SourceRunOut)
@api_view(["POST"])
def cancel_source_run(request: Request, source_run_id: int) -> Response:
    """Stop a run. The marks that it has made are kept."""
    run = queries.sources.get_visible_run(signed_in(request), source_run_id)
    return answer(SourceRunOut, source_runs.cancel_run(run, by=signed_in(request)))


@extend_schema(request=ResumeSourceRunIn, responses=SourceRunOut)
@api_view(["POST"])
def resume_source_run(request: Request, source_run_id: int) -> Response:
    """Continue the rest of a stopped run, with a new budget."""
    body = read_body(request, ResumeSourceRunIn)
    run = queries.sources.get_visible_run(signed_in(request), source_run_id)
    return answer(SourceRunOut, source_runs.resume_run(run, by=signed_in(request), **body))


@extend_schema(responses=MachineMarksOut)
@api_view(["GET"])
def list_machine_marks(request: Request, trace_id: int) -> Response:
    """The machine marks of a trace, source by source."""
    trace = queries.traces.get_visible_trace(signed_in(request), trace_id)
    return answer(MachineMarksOut, {"results": queries.sources.marks_of(trace)})


@extend_schema(responses=MarkTextsOut)
@api_view(["GET"])
def list_mark_texts(request: Request, trace_id: int, source_id: int) -> Response:
    """The rollouts, or the judge's text, behind a mark."""
    trace = queries.traces.get_visible_trace(signed_in(request), trace_id)
    source = queries.sources.get_listed_source(trace.project, source_id)
    return answer(MarkTextsOut, {"results": queries.sources.texts_of(source, trace)})
