"""Sentences of a release's card that are made of figures. Pure."""

from typing import Any

Json = dict[str, Any]


def measured_words(name: str, problems: int) -> str:
    """What a reader has to know who trains on the release and measures by a set of its project."""
    are = "1 problem" if problems == 1 else f"{problems:,} problems"
    return (
        f"**{are} of the evaluation set {name} {'is' if problems == 1 else 'are'} in what this release gives to train "
        "on: a model trained on it cannot be judged by that set.**"
    )


def time_words(spent: Json) -> str:
    """What the labels took: `spent` as `time_spent.time_report` has it."""
    money = spent.get("money")
    cost = f", {money['total']:,.0f} {money['currency']}" if money else ""
    minutes = spent.get("minutes", 0)
    time = f"{minutes / 60:,.1f} hours" if minutes >= 60 else f"{minutes:.1f} minutes"
    return f"Active time in all: {time}{cost}."
