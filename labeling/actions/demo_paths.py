"""Two demo projects for choosing paths step by step: over recorded completions, and over completions that the demo's
own small model writes while you wait.
"""

from dataclasses import dataclass

from django.conf import settings

from labeling.actions.demo_files import FOLDER, import_demo_file
from labeling.actions.guidelines import publish_guideline
from labeling.actions.path_rounds import open_path_round
from labeling.actions.projects import create_project
from labeling.configs import NextStepConfig, PathConfig
from labeling.models import Guideline, Problem, Project, Round, User

GENERATOR = "On this machine"  # the launcher's name for the model it starts
GUIDELINES = FOLDER / "path_guidelines.md"
FILE = FOLDER / "paths.jsonl"
MOST_TOKENS = 160


@dataclass(frozen=True)
class PathDemo:
    """A demo project and its round."""

    slug: str
    name: str
    description: str
    round_name: str
    live: bool


RECORDED = PathDemo(
    "demo-steps",
    "Demo: step by step",
    "Choose a path through six problems. The completions were written by hand and recorded.",
    "Recorded completions",
    live=False,
)
LIVE = PathDemo(
    "demo-live-steps",
    "Demo: step by step, live",
    "The completions come from a model on this machine while you wait. It has 135 million parameters and writes poor"
    " steps: expect to rate most of them −1 and to write the path yourself.",
    "Live completions of a 135M model (poor steps)",
    live=True,
)


def path_demos() -> list[PathDemo]:
    """Return the demos that are possible here."""
    return [RECORDED, LIVE] if GENERATOR in settings.GENERATORS else [RECORDED]


def make_path_demo(demo: PathDemo, admin: User) -> Project:
    """Create the project and its guidelines if they are missing."""
    known = Project.objects.filter(slug=demo.slug).first()
    project = known or create_project(admin, slug=demo.slug, name=demo.name, description=demo.description)
    if not Guideline.objects.filter(project=project).exists():
        publish_guideline(admin, project, GUIDELINES.read_text(encoding="utf-8"))
    return project


def fill_path_demo(demo: PathDemo, project: Project, admin: User) -> None:
    """Create its problems and its open round if they are missing."""
    if not Problem.objects.filter(project=project).exists():
        import_demo_file(project, admin, FILE, "prm800k")
    if Round.objects.filter(project=project, imported=False).exists():
        return
    generator = settings.GENERATORS[GENERATOR] if demo.live else None
    asked = generator and NextStepConfig(GENERATOR, generator.models[0], max_tokens=MOST_TOKENS, temperature=0.8)
    config = PathConfig(paths=2, completions=4 if demo.live else 5, generator=asked or None)
    open_path_round(project, by=admin, config=config, name=demo.round_name)
