"""While a training runs, its page shows what it is doing, how much of it is done, and how long it will take."""

import time
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.training_runs import run_training
from labeling.models import Project, Round, TrainingRun
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member
from worker.scoring_chunks import describe
from worker.tests.prm import tiny
from worker.training import train

pytestmark = pytest.mark.django_db(transaction=True)
HEAD = ["loading", "states", "heads", "curve", "writing"]
DOES = {
    "head": HEAD,
    "stacked": ["loading", "states", "heads", "draws", "curve", "writing"],
    "full": ["learning", "measuring", "writing"],
}


class Watched:
    """A run's callback. When the trainer's activity changes, it waits until the run's page shows it."""

    def __init__(self, callback: Any, browser: Browser, run: int) -> None:
        self.callback, self.browser, self.run = callback, browser, run
        self.told: list[tuple[str, int, int]] = []
        self.shown: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.callback, name)

    def log_doing(self, what: str, done: int, total: int) -> None:
        self.callback.log_doing(what, done, total)
        self.told.append((what, done, total))
        end = time.monotonic() + 30
        while what not in self.shown:
            assert time.monotonic() < end, f"{what} was never shown"
            doing = self.browser.call("GET", f"/api/training_runs/{self.run}")["doing"]
            if doing and doing["what"] == what:
                self.shown[what] = doing
            time.sleep(0.1)


@pytest.mark.parametrize("method", DOES)
def test_the_page_of_a_run_says_what_it_does_and_how_much_of_it_is_done(
    project: Project, round_: Round, settings: Any, method: str
) -> None:
    tiny.language_model(settings.MODELS_DIR / "predicts", num_hidden_layers=4)  # a stacked head reads its predictions
    settings.TRAINING_BASES = {"Predicts": "predicts"}
    browser = Browser(make_member(project, "researcher"))
    body = {"round_ids": [round_.pk], "base": "Predicts", "method": method}
    run = browser.call("POST", f"/api/projects/{project.slug}/training_runs", body, status=201)
    assert run["doing"] is None
    watched: list[Watched] = []

    def train_watched(job: TrainingRun, data: Path, callback: Any) -> Any:
        watched.append(Watched(callback, browser, run["id"]))
        return train(job, data, watched[0])

    run_training(run["id"], train_watched, describe)
    ended = browser.call("GET", f"/api/training_runs/{run['id']}")
    assert (ended["error"], ended["status"], ended["doing"]) == ("", "succeeded", None)
    [one] = watched
    assert list(one.shown) == DOES[method]
    for what, shown in one.shown.items():
        told = [(done, total) for name, done, total in one.told if name == what]
        assert (shown["done"], shown["total"]) == told[0]
        assert all(done <= total for done, total in told)
    if method != "full":
        assert one.shown["states"]["total"] == 160  # labels, each on its own trace


def test_how_long_is_left_is_told_at_the_speed_of_the_last_minute(
    project: Project, round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(make_member(project, "researcher"))
    body = {"round_ids": [round_.pk], "base": "Tiny", "method": "head"}
    run = browser.call("POST", f"/api/projects/{project.slug}/training_runs", body, status=201)
    speeds: list[float] = []

    def slow(job: TrainingRun, data: Path, callback: Any) -> Any:
        for done in (0, 900):  # which came from the cache
            callback.log_doing("states", done, 1000)
        for done in range(901, 941):
            time.sleep(0.05)
            callback.log_doing("states", done, 1000)
            speeds.append(callback.doing["per_second"])
        end = time.monotonic() + 30
        while (browser.call("GET", f"/api/training_runs/{run['id']}")["doing"] or {}).get("done") != 940:
            assert time.monotonic() < end
        doing = browser.call("GET", f"/api/training_runs/{run['id']}")["doing"]
        assert doing["seconds_left"] == round(60 / speeds[-1])
        return train(job, data, callback)

    for name, seconds in (("PACE_OF", 1.0), ("PACE_EVERY", 0.05), ("PACE_LEAST", 0.2)):
        monkeypatch.setattr(f"labeling.actions.training_log.{name}", seconds)
    ended = run_training(run["id"], slow, describe)
    assert ended is not None
    assert (ended.error, ended.status) == ("", "succeeded")
    assert speeds[0] is None, "nobody can tell so soon"
    assert speeds[-1] < 25
    assert max(one for one in speeds if one) > 200, "as long as what came from the cache was of the last minute"
