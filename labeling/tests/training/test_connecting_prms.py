"""A PRM can be connected only from what workers see and the operator listed."""

from typing import Any

import pytest

from annotation_app.prm_servers import read_prm_servers
from labeling.actions.step_scorers import check_prm
from labeling.actions.workers import record_heartbeat
from labeling.errors import ModelUnusable
from labeling.models import AuditEvent, Project, StepScorer
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db
ASKED = {"name": "Qwen 7B", "family": "qwen_prm", "aggregation": "product", "folder": "Qwen2.5-Math-PRM-7B"}
SERVERS = (
    '{"vllm": {"url": "http://10.0.0.7:8000", "family": "pooling_server", "models": ["prm"], "key_env": "VLLM_KEY",'
    ' "options": {"in_flight": 2}}}'
)


def folder(name: str, family: str = "") -> dict[str, Any]:
    return {"folder": name, "architecture": "", "family": family, "labels": None, "weights": "safetensors"}


@pytest.fixture
def project(settings: Any) -> Project:
    """Two workers see the same three models, and one of them a fourth."""
    settings.PRM_SERVERS = read_prm_servers(SERVERS)
    both = [folder("Qwen2.5-Math-PRM-7B", "qwen_prm"), folder("eurus/stage1", "implicit"), folder("eurus/reference")]
    record_heartbeat("gpu@one", ["gpu"], 1, both)
    record_heartbeat("gpu@two", ["gpu"], 1, [*both, folder("only-here")])
    record_heartbeat("cpu@one", ["cpu"], 2)
    return make_project()


def connect(browser: Browser, project: Project, status: int = 201, **asked: Any) -> dict[str, Any]:
    answer = browser.send("POST", f"/api/projects/{project.slug}/prms", {**ASKED, **asked})
    assert answer.status_code == status, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_the_admin_is_shown_what_every_worker_sees_and_no_address(project: Project) -> None:
    shown = Browser(make_member(project, "admin")).call("GET", f"/api/projects/{project.slug}/prms/connections")
    assert [one["folder"] for one in shown["folders"]] == ["Qwen2.5-Math-PRM-7B", "eurus/stage1", "eurus/reference"]
    assert shown["servers"] == [{"name": "vllm", "family": "pooling_server", "models": ["prm"]}]
    assert (shown["workers"], "10.0.0.7" in str(shown)) == (2, False)
    assert "*" not in " ".join(family["means"] for family in shown["families"])  # shown literally, not as Markdown


def test_what_is_connected_becomes_a_record_of_the_lists_alone(project: Project) -> None:
    browser = Browser(make_member(project, "admin"))
    connect(browser, project, learned_from="PRM800K")
    connect(
        browser,
        project,
        name="EurusPRM",
        family="implicit",
        aggregation="min",
        folder="eurus/stage1",
        reference="eurus/reference",
    )
    connect(browser, project, name="Served", family="pooling_server", folder="", server="vllm", model="prm")
    records = {prm.name: prm.spec for prm in StepScorer.objects.filter(project=project, status="unchecked")}
    assert records == {
        "Qwen 7B": {
            "family": "qwen_prm",
            "aggregation": "product",
            "path": "Qwen2.5-Math-PRM-7B",
            "dtype": "float32",
        },
        "EurusPRM": {
            "family": "implicit",
            "aggregation": "min",
            "path": "eurus/stage1",
            "base": "reference",
            "dtype": "float32",
        },
        "Served": {
            "family": "pooling_server",
            "aggregation": "product",
            "url": "http://10.0.0.7:8000",
            "options": {"in_flight": 2, "model": "prm", "api_key_env": "VLLM_KEY"},
        },
    }
    listed = browser.call("GET", f"/api/projects/{project.slug}/prms")["results"]
    assert [(one["name"], one["learned_from"], one["site_wide"]) for one in listed] == [
        ("Served", "", False),
        ("EurusPRM", "", False),
        ("Qwen 7B", "PRM800K", False),
    ]
    assert AuditEvent.objects.filter(project=project, action="prm.register", actor__isnull=False).count() == 3


def test_whatever_is_on_no_list_is_refused_with_the_field_that_names_it(project: Project, subtests: Any) -> None:
    browser = Browser(make_member(project, "admin"))
    served = {"family": "pooling_server", "folder": "", "server": "vllm", "model": "prm"}
    refused: list[tuple[str, dict[str, Any]]] = [
        ("folder", {"folder": "/etc"}),
        ("folder", {"folder": "../secrets"}),
        ("folder", {"folder": "only-here"}),
        ("folder", {"folder": ""}),
        ("reference", {"family": "implicit", "aggregation": "min", "folder": "eurus/stage1"}),
        (
            "reference",
            {"family": "implicit", "aggregation": "min", "folder": "eurus/stage1", "reference": ASKED["folder"]},
        ),
        ("aggregation", {"family": "implicit", "folder": "eurus/stage1", "reference": "eurus/reference"}),
        ("server", {**served, "server": "http://169.254.169.254/"}),
        ("server", {**served, "family": "generative_judge"}),
        ("model", {**served, "model": "another"}),
        ("family", {"family": "of_my_own"}),
    ]
    for field, asked in refused:
        with subtests.test(field=field, asked=asked):
            assert list(connect(browser, project, 400, **asked)["fields"]) == [field]
    assert not StepScorer.objects.exists()


def test_only_an_admin_of_the_site_connects_changes_or_retires_one_for_all_projects(project: Project) -> None:
    admin, site = Browser(make_member(project, "admin")), Browser(make_user(is_superuser=True))
    other = make_project()
    assert "admin of the site" in connect(admin, project, 403, for_all=True)["detail"]
    prm = connect(site, project, for_all=True)
    assert prm["site_wide"]
    listed = Browser(make_member(other, "researcher")).call("GET", f"/api/projects/{other.slug}/prms")["results"]
    assert [one["id"] for one in listed] == [prm["id"]]
    retire = f"/api/projects/{project.slug}/prms/{prm['id']}/retire"
    assert admin.send("POST", retire).status_code == 403
    assert site.call("POST", retire)["status"] == "retired"
    connect(site, project, 409, for_all=True)  # its name is taken permanently, because its scores are stored under it
    own = connect(admin, project, name="Ours")
    assert admin.call("POST", f"/api/projects/{project.slug}/prms/{own['id']}/retire")["status"] == "retired"


def test_a_prm_that_cannot_be_used_says_why_and_is_checked_again_when_asked(project: Project, settings: Any) -> None:
    browser = Browser(make_member(project, "admin"))
    made = connect(browser, project)
    prm = StepScorer.objects.get(pk=made["id"])

    def pickled(_: StepScorer) -> dict[str, str]:
        raise ModelUnusable(f"{settings.MODELS_DIR}/Qwen holds the pickled file pytorch_model.bin.")

    check_prm(prm, pickled)
    [shown] = browser.call("GET", f"/api/projects/{project.slug}/prms")["results"]
    assert shown["status"] == "faulty"
    assert shown["error"].startswith("Qwen holds the pickled file"), "not where it lies on the worker's machine"
    again = f"/api/projects/{project.slug}/prms/{prm.pk}/recheck"
    assert browser.call("POST", again)["status"] == "unchecked"
    assert browser.send("POST", again).json()["code"] == "prm_not_faulty"
    check_prm(prm, lambda _: {"fingerprint": "a", "scale": "probability"})
    assert browser.send("POST", again).json()["code"] == "prm_not_faulty"


def test_a_servers_address_is_in_no_fault_that_people_read(project: Project) -> None:
    served = {"family": "pooling_server", "folder": "", "server": "vllm", "model": "prm"}
    made = connect(Browser(make_member(project, "admin")), project, **served)

    def away(_: StepScorer) -> dict[str, str]:
        raise ModelUnusable("http://10.0.0.7:8000/pooling gave no answer in 6 attempts: Connection refused")

    faulty = check_prm(StepScorer.objects.get(pk=made["id"]), away)
    assert faulty.error == "the server/pooling gave no answer in 6 attempts: Connection refused"


def test_the_cards_numbers_are_one_for_each_step(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    prm = StepScorer.objects.create(project=project, name="Ready", spec=ASKED, status="ready", scale="probability")
    address = f"/api/projects/{project.slug}/prms/{prm.pk}/try"
    asked = {"problem": "1 + 1?", "steps": ["1 + 1 = 2.", "So 2."], "expected": [0.9]}
    refused = browser.send("POST", address, asked)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["expected"])
    assert browser.send("POST", address, {**asked, "expected": [0.9, 0.8]}).json()["status"] == "queued"
