"""PRMs became step scorers: all data of the previous version's database is still there, and no table was rewritten."""

from typing import Any

import pytest
from django.db import connection

from labeling.tests.upgrades.steps import earlier_version

BEFORE = "0031_gold_results_to_weigh"
AFTER = "0040_step_scorers"
TABLES = ("score", "scorecount", "round", "evaluation", "promotion", "triage")
# Where a table's rows are stored, and its indexes and foreign keys: all unchanged after a renaming in the catalogue.
FILES = "SELECT pg_relation_filenode(%s)"
KEYS = "SELECT oid, confrelid FROM pg_constraint WHERE conrelid = %s::regclass AND contype IN ('f', 'p') ORDER BY oid"


def ask(statement: str, *about: object) -> list[tuple[Any, ...]]:
    """All rows of an answer."""
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        return cursor.fetchall()


def places() -> dict[str, list[tuple[Any, ...]]]:
    """Return where the rows of each renamed table are stored, and its keys."""
    return {table: ask(FILES, f"labeling_{table}") + ask(KEYS, f"labeling_{table}") for table in TABLES}


def make_rows(apps: Any) -> dict[str, int]:
    """Create a PRM with a score, a round and a promotion, as written by the previous version."""
    made = {name: apps.get_model("labeling", name) for name in ("Project", "Problem", "Trace", "Prm", "Round", "User")}
    person = made["User"].objects.create(username="ada")
    project = made["Project"].objects.create(slug="old", name="Old")
    problem = made["Problem"].objects.create(project=project, text="What is $1 + 1$?", text_hash=b"1" * 32)
    trace = made["Trace"].objects.create(project=project, problem=problem, steps=["It is 2."], trace_hash=b"2" * 32)
    checked = {"status": "ready", "checksum": "c" * 64, "fingerprint": "f" * 64, "scale": "probability"}
    prm = made["Prm"].objects.create(project=project, name="Old PRM", spec={"family": "implicit"}, **checked)
    place = {"trace": trace, "project": project, "problem": problem, "outcome": "correct", "draw": 7}
    apps.get_model("labeling", "Score").objects.create(prm=prm, steps=[0.5], score=-0.5, **place)
    apps.get_model("labeling", "ScoreCount").objects.create(prm=prm, project=project, traces=1)
    made["Round"].objects.create(project=project, number=1, prm=prm)
    apps.get_model("labeling", "Promotion").objects.create(project=project, prm=prm, by=person)
    return {"prm": prm.pk, "trace": trace.pk}


@pytest.mark.django_db(transaction=True)
def test_rows_fingerprints_and_files_outlive_the_renaming() -> None:
    with earlier_version(BEFORE) as (before, migrate):
        made = make_rows(before)
        was = places()

        apps = migrate(AFTER)
        scorer = apps.get_model("labeling", "StepScorer").objects.get()
        assert (scorer.pk, scorer.name, scorer.kind) == (made["prm"], "Old PRM", "prm")
        assert (scorer.checksum, scorer.fingerprint) == ("c" * 64, "f" * 64)
        score = apps.get_model("labeling", "Score").objects.get(scorer=scorer.pk)
        assert (score.trace_id, score.steps, score.score, score.evidence) == (made["trace"], [0.5], -0.5, None)
        for name in ("ScoreCount", "Round", "Promotion"):
            assert apps.get_model("labeling", name).objects.get().scorer_id == scorer.pk
        assert places() == was

        migrate(BEFORE)  # and back
        assert ask("SELECT id, fingerprint FROM labeling_prm") == [(made["prm"], "f" * 64)]
        assert places() == was
