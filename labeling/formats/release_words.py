"""Sentences of a release's card that contain figures. Pure."""

from typing import Any

Json = dict[str, Any]


def measured_words(name: str, problems: int) -> str:
    """Return a warning for readers who train on the release and evaluate on one of its project's sets."""
    are = "1 problem" if problems == 1 else f"{problems:,} problems"
    return (
        f"**{are} of the evaluation set {name} {'is' if problems == 1 else 'are'} in the training data of this release:"
        " a model trained on it cannot be evaluated on that set.**"
    )


def time_words(spent: Json) -> str:
    """Return how much time the labels took. `spent` comes from `time_spent.time_report`."""
    money = spent.get("money")
    cost = f", {money['total']:,.0f} {money['currency']}" if money else ""
    minutes = spent.get("minutes", 0)
    time = f"{minutes / 60:,.1f} hours" if minutes >= 60 else f"{minutes:.1f} minutes"
    timed, untimed = spent.get("timed_labels") or 0, spent.get("untimed_labels") or 0
    of = f", of {timed:,} of {timed + untimed:,} labels; the others came without a time" if untimed else ""
    return f"Total active time: {time}{cost}{of}."


def who_words(facts: Json) -> str:
    """Return who made the labels. Facts of a draft checked by an older version do not separate reviewers from
    labelers."""
    who = facts.get("who")
    if who is None:
        return f"Labelers: {len(facts.get('labelers', []))}."
    imported = [f"Labeler names from imports: {who['imported']:,}."] if who["imported"] else []
    reviewers = [f"Reviewers who ruled: {who['reviewers']:,}."] if who["reviewers"] else []
    return " ".join([f"Labelers: {who['people']:,}.", *imported, *reviewers])


def graded_words(facts: Json) -> str:
    """Return which grader versions determined the outcomes of the traces."""
    counts = dict(sorted(facts.get("graded_traces", {}).items(), key=lambda one: (-one[1], one[0])))
    graded = [f"{count:,} by version {version}" for version, count in counts.items() if version]
    others = [f"{counts['']:,} not graded by Stepmark (outcome from the import)"] if counts.get("") else []
    return f"Traces by the grader of their answers: {', '.join(graded + others) or 'none'}."
