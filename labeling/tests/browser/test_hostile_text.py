"""Text from outside is only displayed: nothing in a problem, a step or a comment can run, load or link anything."""

import pytest
from playwright.sync_api import Dialog, Request

from labeling.models import Completion, Guideline, Label, Problem, Project, Round, Trace
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOSTILE = [
    "<script>window.__ran = 'script'</script>",
    "<img src=https://evil.example/x.png onerror=\"window.__ran='img'\">",
    "<svg onload=\"window.__ran='svg'\">",
    "$\\href{javascript:window.__ran='href'}{x}$",
    "$\\includegraphics{https://evil.example/y.png}$",
    "$\\text{<img src=x onerror=window.__ran='tex'>}$",
    "[x](javascript:window.__ran='link')",
    "![x](https://evil.example/z.png)",
    "`<script>window.__ran='code'</script>`",
    "[asy]</pre><script>window.__ran='asy'</script>[/asy]",
    "\\begin{tabular}{c}<img src=x onerror=window.__ran='table'>\\end{tabular}",
    "{{constructor.constructor('window.__ran=1')()}} ${window.__ran=2} \u202e",
]
ALL = "\n".join(HOSTILE)


def test_hostile_text_in_every_field_is_shown_and_nothing_runs(open_desk: OpenDesk) -> None:
    project = factories.make_project(name=HOSTILE[0][:100], reference_solution=True)
    ada = factories.make_member(project, display_name=HOSTILE[1][:100])
    [trace] = factories.make_traces(project, 1, steps=3)
    Trace.objects.filter(pk=trace.pk).update(steps=[ALL, *HOSTILE])
    Problem.objects.filter(pk=trace.problem_id).update(
        text=ALL,
        answer=HOSTILE[1],
        subject=HOSTILE[0],
        level=HOSTILE[2][:30],
        source=HOSTILE[0],
        reference_solution=ALL,
    )
    Completion.objects.create(trace=trace, step_index=2, text=ALL)
    Guideline.objects.create(project=project, version=1, body=ALL)
    factories.make_round(project, 0)
    Round.objects.update(name=HOSTILE[0][:100])
    desk = open_desk(ada, project.slug)
    strange: list[str] = []
    messages: list[str] = []
    desk.page.on("request", lambda request: strange.append(request.url) if is_strange(request, desk.url) else None)

    def note(dialog: Dialog) -> None:
        messages.append(dialog.message)
        dialog.dismiss()

    desk.page.on("dialog", note)

    desk.expect_text("<script>window.__ran = 'script'</script>")
    desk.press("Space", "c")
    desk.page.keyboard.insert_text(ALL)
    desk.press("Control+Enter", "a")
    desk.page.keyboard.insert_text(ALL)
    desk.press("Control+Enter", "v")
    desk.expect_text("Reference solution · your look was recorded")
    desk.press("Space", "x")
    desk.page.get_by_label("What is the mistake? Optional").fill(ALL)
    desk.press("Escape", "t", "t", "g")
    desk.expect_text("Version 1")
    desk.page.wait_for_timeout(300)
    assert desk.page.evaluate("window.__ran") is None
    assert desk.page.locator("script:not([src]), img, iframe, object, a[href^='javascript']").count() == 0
    assert strange == []
    assert messages == []

    desk.press("Escape", "Enter")
    label = Label.objects.get()
    desk.wait_for_status(label, "submitted")
    assert label.comments.get().text == ALL
    desk.page.get_by_role("link", name="My work").click()
    desk.expect_text("Found an error in step 3")
    assert desk.page.evaluate("window.__ran") is None
    assert Project.objects.get(pk=project.pk).name == HOSTILE[0][:100]


def is_strange(request: Request, own: str) -> bool:
    """Return whether a request goes anywhere but to the product itself."""
    return not request.url.startswith((own.split("/projects")[0], "data:", "blob:"))
