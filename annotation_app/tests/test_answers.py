"""Every view answers with the serializer named in its schema: nothing undeclared leaves the server."""

import ast
from pathlib import Path
from typing import Any

import pytest

from labeling.api.kept_answers import ANSWERS

VIEWS = Path(__file__).resolve().parent.parent.parent / "labeling" / "api" / "views"

# Written by hand: the most awaited response, by `label_shapes` (which says what keeps it equal to LabelOut), and a
# file.
WRITTEN_BY_HAND = {
    "claim_next_label": "shapes.claim_out",
    "get_label": "shapes.label_out",
    "reopen_label": "shapes.label_out",
    "resume_label": "shapes.label_out",
    "get_manifest": "export.manifest",
}
FILES = {"csv_file", "table_of_all", "attachment", "handed_out", "picture", "HttpResponseRedirect"}  # no JSON

Function = ast.FunctionDef


def views_and_helpers() -> tuple[dict[str, Function], dict[str, Function]]:
    """Return the functions that answer at an address, and the others of their modules, by name."""
    views: dict[str, Function] = {}
    helpers: dict[str, Function] = {}
    for path in sorted(VIEWS.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, Function):
                (views if declared_by(node) else helpers)[node.name] = node
    return views, helpers


def declared_by(function: Function) -> ast.expr | None:
    """Return what `@extend_schema(responses=…)` declares."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "extend_schema":
            return next(word.value for word in decorator.keywords if word.arg == "responses")
    return None


def declared(function: Function) -> str:
    """Return the start of the corresponding call: `answer(ExportOut) 201`, `page_of(ExportOut) 200` or `file`."""
    said = declared_by(function)
    status = "200"
    if isinstance(said, ast.BinOp) and ast.unparse(said.right) == "SENT_ELSEWHERE":
        said = said.left  # a file, or the way to it
    if isinstance(said, ast.Dict | ast.DictComp):
        key, said = (said.keys[0], said.values[0]) if isinstance(said, ast.Dict) else (said.key, said.value)
        if not isinstance(key, ast.Constant):
            return "file"
        status = str(key.value)
    if isinstance(said, ast.Name) and said.id == "PICTURES":
        return "file"
    if isinstance(said, ast.Call):
        if ast.unparse(said.func) == "file_of":
            return "file"
        return f"page_of({ast.unparse(said.args[0])}) {status}"
    return f"answer({ast.unparse(said or ast.Constant(None))}) {status}"


def answered(function: Function, helpers: dict[str, Function]) -> set[str]:
    """Return what a view's `return`s amount to, in the terms of `declared`."""
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return {said for value in returns for said in answered_by(value, helpers)}


def answered_by(value: Any, helpers: dict[str, Function]) -> set[str]:
    """Return what one `return` amounts to, looking into helpers of the module."""
    if isinstance(value, ast.Name):
        return {"file"}  # an HttpResponse that was filled; of the declared type, or it does not pass
    assert isinstance(value, ast.Call), ast.unparse(value)
    name, args = ast.unparse(value.func), [ast.unparse(argument) for argument in value.args]
    if name in FILES:
        return {"file"}
    if name == "answer":
        return {f"answer({args[0]}) {(args[2:] or ['200'])[0]}"}
    if name == "kept_answer":
        return {f"answer({ANSWERS[ast.literal_eval(args[1])][0].__name__}) 200"}
    if name == "page_of":
        return {f"page_of({args[2]}) 200"}
    if name in helpers:
        status = next((argument for argument in args if argument.isdigit()), "200")
        return {said.replace(" status", f" {status}") for said in answered(helpers[name], helpers)}
    return {ast.unparse(value)}


VIEW_FUNCTIONS, HELPERS = views_and_helpers()


@pytest.mark.parametrize("name", sorted(set(VIEW_FUNCTIONS) - set(WRITTEN_BY_HAND)))
def test_a_view_answers_by_the_serializer_that_its_schema_names(name: str) -> None:
    view = VIEW_FUNCTIONS[name]
    assert answered(view, HELPERS) == {declared(view)}


def test_only_what_is_named_here_is_written_by_hand() -> None:
    by_hand = {}
    for name, function in {**VIEW_FUNCTIONS, **HELPERS}.items():
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Response":
                by_hand[name] = ast.unparse(node.args[0]).split("(")[0]
    assert by_hand == WRITTEN_BY_HAND


def test_all_views_are_looked_at() -> None:
    assert len(VIEW_FUNCTIONS) > 150
