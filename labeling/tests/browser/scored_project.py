"""A project with rounds that workers prepared, in every state that has its own page; made with the actions."""

from dataclasses import dataclass

from labeling.actions import gradings, label_audits, labels, rounds
from labeling.configs import LabelAuditConfig
from labeling.grading import Grade
from labeling.models import GradingJob, LabelAudit, Problem, Project, Round, ScoreCount, StepScorer, Trace, User
from labeling.tests import factories
from labeling.tests.selection.pools import PoolTrace, make_pool, make_prm, make_problems, ready_round, selecting_round

PROBLEMS, SAMPLES = 4, 6


@dataclass
class ScoredProject:
    """The project, its people, and a round or grading of each kind to look at."""

    project: Project
    admin: User
    labeler: User
    ready: Round
    closed: Round
    failed: Round
    grading: GradingJob
    trace: Trace
    label_audits: list[LabelAudit]

    def pages(self) -> list[str]:
        """Return the address of every page that shows a score, a prepared round or a grading."""
        start = f"/projects/{self.project.slug}"
        rounds_shown = [f"rounds/{one.pk}" for one in (self.ready, self.closed, self.failed)]
        pages = [
            "rounds",
            "rounds/new?kind=convincing",
            "rounds/compare",
            *rounds_shown,
            "models",
            "prms",
            "prms/train",
            "prms/connect",
            f"prms/{self.ready.scorer_id}",
            f"sources/{self.ready.scorer_id}/calibration",
            "gradings",
            f"gradings/{self.grading.pk}",
            f"traces/{self.trace.pk}",
            f"traces/problems/{self.trace.problem_id}",
            f"traces/problems/{self.trace.problem_id}?compare={self.trace.pk},{self.trace.pk + 1}",
            "label-audits",
            *(f"label-audits/{one.pk}" for one in self.label_audits),
            f"label-audits/{self.label_audits[0].pk}/review",
        ]
        return [f"{start}/{page}" for page in pages]


def make_scored_project(*, text: str = "Find $x^2$.", short: str = "Short") -> ScoredProject:
    """Make two closed rounds, one ready and one failed, over a scored pool, and a grading that would change outcomes.

    `text` is in every long text field that the pages show, `short` (cut to size) in every short one.
    """
    project = factories.make_project(name=short[:120], reveal_scores=True)
    admin = factories.make_member(project, "admin", display_name=short[:120])
    labeler = factories.make_member(project, display_name=short[:120])
    make_prm(f"broken {short}"[:100], status="faulty", error=text)
    prm = make_prm(f"PRM {short}"[:100], spec={"family": "math_shepherd", "base": short, "dtype": "bfloat16"})
    [trace, *_] = make_pool(project, prm, _traces(text), make_problems(project, PROBLEMS))
    Problem.objects.filter(project=project).update(text=text, answer=text)
    first = _labeled_and_closed(ready_round(project, prm, k=1, control_share=0.2), short, admin, labeler)
    second = _labeled_and_closed(ready_round(project, prm, k=1, control_share=0.2), "", admin, labeler)
    failed = selecting_round(project, prm, k=1)
    Round.objects.filter(pk=failed.pk).update(status="failed", resume_to="scoring", error=text, name=short[:120])
    ready = ready_round(project, prm, k=2, control_share=0.2)
    Round.objects.filter(pk=ready.pk).update(name=short[:120])
    assert second.pk != first.pk
    return ScoredProject(
        project,
        admin,
        labeler,
        ready,
        first,
        failed,
        _grading(project, admin, text),
        trace,
        _label_audits(project, admin, prm, text),
    )


def _traces(text: str) -> list[PoolTrace]:
    """Make four wrong and two right traces of each problem, with three steps; the PRM doubts the last."""
    return [
        PoolTrace(
            problem,
            "correct" if sample % 3 == 2 else "wrong",
            -0.1 - sample / 2 - problem / 5,
            [text, f"The {problem}. problem, {sample}. try.", "Done."],
        )
        for problem in range(PROBLEMS)
        for sample in range(SAMPLES)
    ]


def _labeled_and_closed(round_: Round, name: str, admin: User, labeler: User) -> Round:
    Round.objects.filter(pk=round_.pk).update(name=name[:120])
    round_.refresh_from_db()
    rounds.publish_round(round_, by=admin)
    for ratings in ([1, 1, -1], [1, -1, None], [1, 1, 1]):
        claim = labels.claim_next_label(labeler, round_.project)
        confirmed = [{"code": "solution_but_answer_wrong", "reason": "It is right."}] if -1 not in ratings else []
        labels.submit_label(claim.label, factories.make_submission(ratings, confirmations=confirmed))
    return rounds.close_round(round_, by=admin)


def _label_audits(project: Project, admin: User, prm: StepScorer, text: str) -> list[LabelAudit]:
    """Make one that waits for its reviews, and one that corrected a label."""
    ScoreCount.objects.create(project=project, scorer=prm, traces=PROBLEMS * SAMPLES)
    over = label_audits.create_label_audit(project, by=admin, scorer=prm, config=LabelAuditConfig(3, 0.5), seed=1)
    for _ in range(2):
        item = label_audits.hold_next_item(over, by=admin)
        assert item is not None
        said = {"ratings": [-1, None, None], "finish_reason": "found_error", "note": text}
        label_audits.review_item(item, by=admin, **said)
    label_audits.finish_label_audit(over, by=admin)
    return [
        label_audits.create_label_audit(project, by=admin, scorer=prm, config=LabelAuditConfig(3, 0.5), seed=2),
        over,
    ]


def _grading(project: Project, admin: User, text: str) -> GradingJob:
    """Make a grading that finds another outcome for every trace."""
    job = gradings.create_grading(project, by=admin, wake=False)
    done = gradings.run_grading(
        job.pk, lambda questions: (Grade("ungraded", "no_truth", "boxed", text) for _ in questions)
    )
    assert done is not None
    assert done.status == "succeeded"
    return done
