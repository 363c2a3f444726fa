"""The audit log in words: each act that is recorded anywhere has a description, and can be found by it."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labeling.models import AuditEvent
from labeling.models.label_audits import LabelAudit
from labeling.models.label_changes import LabelChange
from labeling.queries import job_kinds
from labeling.queries.audit_words import ACTS, WORDS
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project

ROOT = Path(__file__).resolve().parents[3]
# Names that are composed where they are recorded, and their possible values.
COMPOSED: dict[str, set[str]] = {
    "f'{kind}.cancel'": {f"{kind}.cancel" for kind in job_kinds.WORDS.values()},
    "f'labels.{kind}'": {f"labels.{kind}" for kind in LabelChange.Kind.values},
    "f'label_audit.{status}'": {f"label_audit.{status}" for status in set(LabelAudit.Status.values) - {"open"}},
}


def recorded() -> Iterator[str]:
    """Yield the name of every act that our code records."""
    for package in ("labeling", "worker", "annotation_app"):
        for path in (ROOT / package).rglob("*.py"):
            if "tests" not in path.relative_to(ROOT).parts and "audit_log.record" in (text := path.read_text()):
                yield from recorded_in(ast.parse(text))


def recorded_in(module: ast.Module) -> Iterator[str]:
    for function in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)):
        for call in calls_of("audit_log.record", function):
            yield from names_of(call.args[0], function, module)


def calls_of(name: str, within: ast.AST) -> Iterator[ast.Call]:
    return (one for one in ast.walk(within) if isinstance(one, ast.Call) and ast.unparse(one.func) == name)


def names_of(said: ast.expr, function: ast.FunctionDef, module: ast.Module) -> Iterator[str]:
    """Yield the possible values of an expression within a function: a text, one of two, a variable, or an argument."""
    if isinstance(said, ast.Constant):
        yield str(said.value)
    elif isinstance(said, ast.IfExp):
        yield from names_of(said.body, function, module)
        yield from names_of(said.orelse, function, module)
    elif isinstance(said, ast.Name):
        given = [*assigned(said.id, function), *handed_over(said.id, function, module)]
        assert given, f"{function.name}: nobody can tell what {said.id} is"
        for one in given:
            yield from names_of(one, function, module)
    else:
        assert ast.unparse(said) in COMPOSED, f"{function.name}: say above what {ast.unparse(said)} may be"
        yield from COMPOSED[ast.unparse(said)]


def assigned(name: str, function: ast.FunctionDef) -> Iterator[ast.expr]:
    found = (node for node in ast.walk(function) if isinstance(node, ast.Assign))
    return (node.value for node in found if [ast.unparse(target) for target in node.targets] == [name])


def handed_over(name: str, function: ast.FunctionDef, module: ast.Module) -> Iterator[ast.expr]:
    places = [argument.arg for argument in function.args.args]
    for call in calls_of(function.name, module):
        yield from (one.value for one in call.keywords if one.arg == name)
        if name in places and len(call.args) > places.index(name):
            yield call.args[places.index(name)]


def test_every_act_that_is_recorded_has_words_and_no_words_are_of_nothing() -> None:
    found = set(recorded())
    assert len(found) > 120
    assert found == set(WORDS)


def test_each_act_is_called_otherwise_and_as_a_sentence_begins() -> None:
    assert sum(len(acts) for acts in ACTS) == len(WORDS), "a name stands twice"
    assert len(set(WORDS.values())) == len(WORDS)
    for name, words in WORDS.items():
        assert words[0].isupper(), name
        assert not words.endswith("."), name
        assert "_" not in words, name


@pytest.mark.django_db
def test_entries_are_shown_in_words_beside_their_names_and_found_by_either() -> None:
    project = make_project()
    admin = Browser(make_member(project, "admin"))
    for action in ("import.create", "problems.hold_out", "triage_item.take_back"):
        AuditEvent.objects.create(project=project, action=action)
    path = f"/api/projects/{project.slug}/audit"

    def shown(what: str) -> list[tuple[Any, Any]]:
        return [(row["action"], row["words"]) for row in admin.call("GET", f"{path}?what={what}")["results"]]

    assert shown("import.create") == [("import.create", "Import begun")]
    assert shown("import BEGUN") == [("import.create", "Import begun")]
    assert shown("held out") == [("problems.hold_out", "Problems held out")]
    assert shown("take_back") == [("triage_item.take_back", "triage item: take back")], "an act of an older version"
    assert shown("nothing at all") == []
