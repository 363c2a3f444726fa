"""The labeling page as a labeler uses it: keys, steps, messages."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from labeling.models import Label


class LabelingDesk:
    """One tab with the labeling page. Steps count from 1, as on the page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url

    def open(self) -> None:
        """Go to the page and wait for its first step."""
        self.page.goto(self.url)
        self.step(1).wait_for()

    def press(self, *keys: str) -> None:
        """Press one key after the other, without looking."""
        for key in keys:
            self.page.keyboard.press(key)

    def step(self, number: int) -> Locator:
        """Return the row of a step."""
        return self.page.locator(f'[data-step="{number - 1}"]')

    def expect_ratings(self, *words: str) -> None:
        """Expect each step's state as a screen reader hears it: "+1", "0", "−1", "not rated", "stays unlabelled"."""
        rows = self.page.locator("[data-step]")
        expect(rows).to_have_count(len(words))
        for number, word in enumerate(words, start=1):
            state = word if word in ("not rated", "stays unlabelled") else f"rated {word}"
            expect(self.step(number)).to_have_attribute("aria-label", f"Step {number} of {len(words)}, {state}")

    def expect_focus(self, number: int) -> None:
        """Expect the current step to have the keyboard focus, too."""
        expect(self.step(number)).to_have_attribute("aria-current", "step")
        expect(self.step(number)).to_be_focused()

    def expect_text(self, text: str) -> None:
        """Expect the text to be visible somewhere on the page."""
        expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible()

    def expect_problem(self, text: str) -> None:
        """Expect the current task to have this problem."""
        expect(self.page.get_by_role("complementary", name="Problem")).to_contain_text(text)

    def wait_until(self, true: Callable[[], bool], what: str, *, seconds: float = 60.0) -> None:
        """Wait until it is true. The page, and the test's handlers of its requests, continue meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if true():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"Not within {seconds} s: {what}")

    def wait_for_status(self, label: Label, status: str) -> None:
        """Wait until the row has this status."""

        def arrived() -> bool:
            label.refresh_from_db()
            return label.status == status

        self.wait_until(arrived, f"label {label.pk} is {status}")

    def wait_for_two_labels(self) -> tuple[Label, Label]:
        """Return the open label and the one leased ahead, once both exist. The database must have no other labels."""
        own = Label.objects.select_related("task__trace__problem")
        self.wait_until(lambda: own.count() == 2, "the next label is leased ahead")
        return own.get(status="open"), own.get(status="prefetched")


def problem_start(label: Label) -> str:
    """Return the number in the problem's formula, which only this problem has."""
    return label.task.trace.problem.text.split("$")[1].split()[0]
