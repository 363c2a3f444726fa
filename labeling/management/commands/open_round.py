"""`manage.py open_round PROJECT --prm NAME --k 4`: have workers prepare a round; `--plain` puts traces on the queue."""

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions import round_plans, round_stages, rounds
from labeling.api.serializers.round_stages import StartRoundIn
from labeling.api.serializers.rounds import OpenRoundIn
from labeling.configs.stages import WORKING
from labeling.count_words import count_of
from labeling.errors import LabelingError
from labeling.management.words import project_of
from labeling.models import Problem, Project, Round, Trace
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR
from labeling.queries.error_and_score_filters import FIRST_ERRORS, OF_ERRORS, OF_SCORES
from labeling.queries.round_progress import round_progress
from labeling.queries.step_scorers import named_scorer
from labeling.selection import WAYS

LOOK = 1.0  # seconds between checks with --wait
ABOUT = ("name", "seed", "overlap", "overlap_most", "overlap_needed", "priority", "protocol")
FILTERS = (
    *("outcome", "generator", "source", "subject", "level", "split", "steps_min", "steps_max", "unlabeled_only"),
    *(*OF_ERRORS, *OF_SCORES),
)

OF_TRACES = {
    "generator": "Model that wrote the traces.",
    "source": "Source of the traces, as given in their rows.",
    "subject": "Subject of the problem.",
    "level": "Level of the problem.",
}


class Command(BaseCommand):
    help = (
        "Open a round. With --prm, workers grade, score and select traces; without it, the choice is random. The round "
        "then waits to be published (manage.py publish_round). With --plain, the traces are served immediately."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The round's settings, as the API takes them."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("--name", default="", help="Name shown next to the round's number.")
        parser.add_argument("--seed", type=int, default=0, help="Seed of the draw and of the order. Default: 0.")
        parser.add_argument("--overlap", type=int, metavar="N", help="Labels wanted for each trace.")
        parser.add_argument("--overlap-most", type=int, metavar="N", help="If labels differ, ask up to N labelers.")
        parser.add_argument("--overlap-needed", type=int, metavar="N", help="N labelers must agree on the first error.")
        parser.add_argument(
            "--priority", type=int, default=0, help="From -1000 to 1000; higher is served first. Default: 0."
        )
        names = [FIRST_ERROR.name, EVERY_STEP.name]
        parser.add_argument("--protocol", choices=names, default="", help="Default: by the kind of traces.")
        self._add_rules(parser.add_argument_group("selection"))
        self._add_filter(parser.add_argument_group("which traces"))
        parser.add_argument(
            "--plain", choices=["all", "filter", "sample"], help="Put traces on the queue without workers."
        )
        parser.add_argument("--sample-size", type=int, metavar="N", help="Number of traces, with --plain sample.")
        parser.add_argument("--wait", action="store_true", help="Wait until the round is ready, and show progress.")

    def _add_rules(self, group: Any) -> None:
        group.add_argument("--prm", metavar="NAME", help="PRM whose scores count. Default: random choice.")
        group.add_argument(
            "--mode", choices=["per_problem", "global"], default="per_problem", help="Default: per_problem."
        )
        group.add_argument("--k", type=int, default=4, help="Traces per problem, or in total with --mode global.")
        group.add_argument("--ratio", type=float, default=0.8, help="Share of convincing wrong answers.")
        group.add_argument("--per-problem-cap", type=int, metavar="N", help="At most N traces of a problem.")
        group.add_argument("--budget", type=int, metavar="N", help="At most N traces.")
        group.add_argument("--control-share", type=float, default=0.1, help="Share drawn at random, for comparison.")
        group.add_argument(
            "--mix",
            action="append",
            metavar="WAY=SHARE",
            help=f"Share of the quota for another strategy: {', '.join(WAYS)}.",
        )
        group.add_argument(
            "--like-traces", type=int, nargs="+", metavar="ID", help="Traces that --mix like=… looks for."
        )
        group.add_argument("--other", metavar="NAME", help="Scorer that --mix disagreement=… compares the PRM with.")
        group.add_argument(
            "--rescore", type=int, default=0, metavar="N", help="Score the best N of each problem again in float32."
        )
        group.add_argument("--no-grade", action="store_true", help="Do not grade traces without an outcome.")
        group.add_argument("--generate", type=Path, metavar="FILE", help="JSON: generator, model, prompt, n, ...")

    def _add_filter(self, group: Any) -> None:
        group.add_argument("--outcome", choices=Trace.Outcome.values, help="Outcome of the final answer.")
        for name, about in OF_TRACES.items():
            group.add_argument(f"--{name}", help=about)
        group.add_argument(
            "--split", choices=Problem.Split.values, help="With --plain; other rounds contain only train."
        )
        group.add_argument("--steps-min", type=int, help="At least this many steps.")
        group.add_argument("--steps-max", type=int, help="At most this many steps.")
        group.add_argument("--unlabeled-only", action="store_true", help="Only traces without a label.")
        group.add_argument(
            "--first-error",
            choices=list(FIRST_ERRORS),
            help="Verdict of most labels; differ: the labels are tied.",
        )
        group.add_argument("--error-min", type=int, metavar="N", help="The first error is at step N, from 0, or later.")
        group.add_argument(
            "--error-max", type=int, metavar="N", help="The first error is at step N, from 0, or earlier."
        )
        group.add_argument("--score-min", type=float, metavar="SCORE", help="Minimum score by --scorer.")
        group.add_argument("--score-max", type=float, metavar="SCORE", help="Maximum score by --scorer.")
        group.add_argument("--scorer", metavar="NAME", help="Scorer for --score-min and --score-max.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Open the round. Raises CommandError."""
        project = project_of(options["project"])
        try:
            round_ = self._plain(project, options) if options["plain"] else self._staged(project, options)
        except LabelingError as refused:
            fields = "".join(f"\n  {name}: {' '.join(why)}" for name, why in refused.extra.get("fields", {}).items())
            raise CommandError(f"{refused.detail}{fields}") from refused
        if options["wait"]:
            self._wait(round_)
        self.stdout.write(
            f"Round {round_.number} is {round_.get_status_display().lower()}: {count_of(round_.task_count, 'task')}."
        )
        if round_.status == Round.Status.READY:
            self.stdout.write(
                f"Look at it in the browser, then: manage.py publish_round {project.slug} {round_.number}"
            )

    def _plain(self, project: Project, options: dict[str, Any]) -> Round:
        about = {name: options[name] for name in (*ABOUT, "sample_size")}
        about |= {"source": options["plain"], "filter": self._filter(project, options)}
        asked = self._checked(OpenRoundIn, about)
        return rounds.open_round(project, by=None, **asked)

    def _staged(self, project: Project, options: dict[str, Any]) -> Round:
        prm = None
        if options["prm"] is not None:
            prm = named_scorer(project, options["prm"])
            if prm is None:
                raise CommandError(f"There is no PRM {options['prm']} for this project. See manage.py register_prm.")
        rules = ("mode", "k", "ratio", "per_problem_cap", "budget", "control_share", "rescore")
        mix = dict(map(self._share, options["mix"] or []))
        asked = {name: options[name] for name in (*rules, *ABOUT)}
        generate = self._json(options["generate"]) if options["generate"] else None
        given = {**asked, "grade": not options["no_grade"], "generate": generate}
        given["filter"] = self._filter(project, options)
        given["mix"] = {**mix, "like_traces": options["like_traces"] or []}
        if options["other"] is not None:
            given["mix"]["other"] = self._scorer(project, options["other"])
        values = self._checked(StartRoundIn, given)
        del values["prm"]
        return round_stages.start_round(project, by=None, scorer=prm, **values)

    def _share(self, asked: str) -> tuple[str, str]:
        way, _, share = asked.partition("=")
        if way not in WAYS:
            raise CommandError(f"--mix {asked}: there is no such strategy. Choose from: {', '.join(WAYS)}.")
        return way, share

    def _filter(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        # A bound of 0 is a condition, but it equals False.
        given = {name: options[name] for name in FILTERS if options[name] is not False and options[name] is not None}
        return given if options["scorer"] is None else {**given, "scorer": self._scorer(project, options["scorer"])}

    def _scorer(self, project: Project, name: str) -> int:
        found = named_scorer(project, name)
        if found is None:
            raise CommandError(f"There is no scorer {name} for this project.")
        return found.pk

    def _checked(self, shape: Any, given: dict[str, Any]) -> dict[str, Any]:
        body = shape(data=given)
        if not body.is_valid():
            raise CommandError("\n".join(f"{name}: {json.dumps(why)}" for name, why in body.errors.items()))
        return dict(body.validated_data)

    def _json(self, path: Path) -> Any:
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            raise CommandError(f"{path} cannot be read as JSON: {fault}") from fault

    def _wait(self, round_: Round) -> None:
        """Wait until no worker has anything left to do for it. Raises CommandError if it failed."""
        said = ""
        round_.refresh_from_db()
        while round_.status in WORKING:
            stages = round_progress(round_, round_plans.stages_of(round_))["stages"]
            line = ", ".join(f"{one['stage']} {one['done']:,}/{one['total']:,}" for one in stages if one["total"])
            if line != said:
                self.stdout.write(line)
                self.stdout.flush()
                said = line
            time.sleep(LOOK)
            round_.refresh_from_db()
        if round_.status == Round.Status.FAILED:
            raise CommandError(f"Round {round_.number} failed: {round_.error}")
