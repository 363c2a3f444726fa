"""The demo project of agents' runs: three small ones, recorded with a scripted agent, and an open round on them."""

from labeling.actions.demo_files import FOLDER, import_demo_file
from labeling.actions.guidelines import publish_guideline
from labeling.actions.projects import create_project
from labeling.actions.rounds import open_round
from labeling.models import Guideline, Project, Round, Trace, User
from labeling.protocol.every_step import EVERY_STEP
from labeling.quality.consensus import AskedOverlap

SLUG = "demo-agents"
NAME = "Demo: agents' runs"
DESCRIPTION = (
    "Rate what an agent did, step by step: a failing test, a wrong tool, a recovery. The agent is a script of ours."
)
ROUND_NAME = "Three runs"
GUIDELINES = FOLDER / "agents" / "guidelines.md"
RUNS = FOLDER / "agents" / "runs.jsonl"
LABELERS = 2  # per run, so that there is agreement to look at


def make_agent_demo(admin: User) -> Project:
    """Create the project and its guidelines if they are missing."""
    known = Project.objects.filter(slug=SLUG).first()
    project = known or create_project(admin, slug=SLUG, name=NAME, description=DESCRIPTION)
    if not Guideline.objects.filter(project=project).exists():
        publish_guideline(admin, project, GUIDELINES.read_text(encoding="utf-8"))
    return project


def fill_agent_demo(project: Project, admin: User) -> None:
    """Create its runs and its open round if they are missing."""
    if not Trace.objects.filter(project=project).exists():
        import_demo_file(project, admin, RUNS, "atif")
    if not Round.objects.filter(project=project).exists():
        open_round(project, by=admin, name=ROUND_NAME, overlap=AskedOverlap(LABELERS), protocol=EVERY_STEP.name)
