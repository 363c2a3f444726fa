"""The questions to 0.2.0: the answers of each project that show its figures, and exports of both formats."""

from labeling.tests.upgrade.replay import Question
from labeling.tests.upgrade.v0_1_0 import questions as first
from labeling.tests.upgrade.v0_2_0.site import RenamedSite, address

SLUGS = ("algebra", "geometry", "loop")
SWITCHES: tuple[tuple[str, dict[str, str]], ...] = (
    ("neutral", {"neutral": "keep3", "after_error": "keep_unlabelled", "aggregate": "each"}),
    ("neutral", {"neutral": "negative", "after_error": "fill_negative", "aggregate": "adjudicated"}),
    ("prm800k", {}),
)


def questions_about(site: RenamedSite) -> list[Question]:
    """Return all questions in the order to ask them; those that create rows come last."""
    first.LEARNED = first.LEARNED[:1]
    first.SWITCHES = [*SWITCHES]
    asked = [question for slug in SLUGS for question in first._of_project(site, slug)]
    asked += [question for slug in SLUGS for question in first._of_people(site, slug)]
    asked = [question for place, question in enumerate(asked) if _kept(place, question)]
    exports = [question for slug in SLUGS for question in first._exports(site, slug)]
    return [{**question, "path": address(question["path"])} for question in [*asked, *exports]]


def _kept(place: int, question: Question) -> bool:
    """Return whether to keep the question: one of two if the same is asked about many rows."""
    return place % 2 == 0 or not question["path"].rstrip("0123456789").endswith("/")
