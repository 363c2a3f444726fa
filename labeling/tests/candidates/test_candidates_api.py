"""A researcher's view of generators, and the preview of a splitter."""

import pytest

from annotation_app.generators import read_generators
from labeling.generation.prompts import PROMPTS
from labeling.models import Project, Round
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces

pytestmark = pytest.mark.django_db
PREVIEW = "/api/projects/sums/splitter/preview"


@pytest.fixture
def project() -> Project:
    return make_project("sums")


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


def test_researchers_see_names_and_models_of_generators_and_no_address_or_key(researcher: Browser, settings) -> None:
    settings.GENERATORS = read_generators(
        '{"qwen": {"url": "https://llm.example.org/v1", "key": "sk-secret", "models": ["q7"]},'
        ' "local": {"url": "http://127.0.0.1:9", "key_env": "SECRET_NAME"}}'
    )
    answer = researcher.send("GET", "/api/projects/sums/generators")
    assert answer.json()["results"] == [{"name": "local", "models": []}, {"name": "qwen", "models": ["q7"]}]
    assert {prompt["name"] for prompt in answer.json()["prompts"]} == set(PROMPTS)
    for secret in (b"example.org", b"127.0.0.1", b"sk-secret", b"SECRET_NAME"):
        assert secret not in answer.content
    assert "sk-secret" not in repr(settings.GENERATORS)


def test_a_splitter_is_tried_on_a_text(researcher: Browser) -> None:
    asked = {"kind": "step", "text": "Step 1: Add.\n\nIt is 3.\nStep 2: Done."}
    assert researcher.call("POST", PREVIEW, asked) == {
        "steps": ["Step 1: Add.\n\nIt is 3.", "Step 2: Done."],
        "version": "step/1",
    }
    asked = {"kind": "custom", "pattern": "- ", "text": "- a\n-b\n- c"}
    assert researcher.call("POST", PREVIEW, asked)["steps"] == ["- a\n-b", "- c"]


def test_a_splitter_is_tried_on_a_trace_of_the_project_and_of_no_other(project: Project, researcher: Browser) -> None:
    trace = make_traces(project, steps=3)[0]
    assert researcher.call("POST", PREVIEW, {"kind": "blank_line", "trace_id": trace.pk})["steps"] == trace.steps
    elsewhere = make_traces(make_project())[0]
    for missing in (elsewhere.pk, 10**15):
        researcher.call("POST", PREVIEW, {"kind": "blank_line", "trace_id": missing}, status=404)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"kind": "sentence", "text": "a"}, "kind"),
        ({"kind": "custom", "text": "a"}, "pattern"),
        ({"kind": "step", "pattern": "x", "text": "a"}, "pattern"),
        ({"kind": "custom", "pattern": "x" * 101, "text": "a"}, "pattern"),
        ({"kind": "step"}, "text"),
        ({"kind": "step", "text": "a", "trace_id": 1}, "text"),
    ],
)
def test_a_preview_that_cannot_be_names_the_field(researcher: Browser, asked: dict[str, object], field: str) -> None:
    assert field in researcher.call("POST", PREVIEW, asked, status=400)["fields"]


@pytest.mark.parametrize(
    ("generate", "field"),
    [({"generator": "gpt", "model": "q7"}, "generator"), ({"generator": "qwen", "model": "q1"}, "model")],
)
def test_a_round_cannot_ask_a_generator_that_is_not_there(
    researcher: Browser, settings, generate: dict[str, str], field: str
) -> None:
    settings.GENERATORS = read_generators('{"qwen": {"url": "https://llm.example.org/v1", "models": ["q7"]}}')
    refused = researcher.call("POST", "/api/projects/sums/rounds/start", {"k": 2, "generate": generate}, status=400)
    assert field in refused["fields"]
    assert not Round.objects.exists()


@pytest.mark.parametrize(
    ("generate", "field"),
    [
        ({"prompt": "no place for it"}, "prompt"),
        ({"splitter": {"kind": "custom"}}, "splitter"),
        ({"n": 0}, "n"),
        ({"temperature": -1}, "temperature"),
        ({"stop": ["a"] * 5}, "stop"),
    ],
)
def test_what_a_round_asks_of_a_generator_is_checked_before_it_starts(
    researcher: Browser, generate: dict[str, object], field: str
) -> None:
    asked = {"k": 2, "generate": {"generator": "qwen", "model": "q7", **generate}}
    refused = researcher.call("POST", "/api/projects/sums/rounds/start", asked, status=400)
    assert field in refused["fields"]["generate"]
