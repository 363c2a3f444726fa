"""Answers in words: names, members of a known short list such as yes and no, and sentences around an answer."""

import re
from collections.abc import Callable

from labeling.grading.plain_answers import cleaned
from labeling.grading.units import FUNCTIONS, KNOWN
from labeling.grading.verdict import Verdict

# Every answer is one of its row, and no two of a row are the same: as good as lettered options.
CLOSED_LISTS = (
    ("yes", "no"),
    ("true", "false"),
    ("even", "odd", "neither"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november")
    + ("december",),
    ("north", "east", "south", "west"),
    ("increasing", "decreasing"),
    ("convergent", "divergent"),
    ("converges", "diverges"),
    ("positive", "negative"),
    ("rational", "irrational"),
    ("ellipse", "parabola", "hyperbola"),
)
COMMANDS = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+")
SHORT = "the are has was had not all its any can get his her yes odd who she him our out how"
SHORT_WORDS = frozenset(SHORT.split())
TELLS = re.compile(
    r"(?:.*\b(?:is|are|was|were|be|equals?|has|have|had|gives?|gets?|makes?|needs?|takes?|costs?|totals?)\b|.*=)"
    r"\s*(?:equal to |exactly |simply |just |then |therefore |thus )?(?P<rest>\S.*)",
    re.DOTALL | re.IGNORECASE,
)
# Words that change the meaning of the number that follows.
TURNS = re.compile(
    r"\b(?:not?|never|none|neither|nor|than|least|most|about|approximately|roughly|around|nearly|almost|between|except"
    r"|if|either|or|but|unless|more|less|fewer|half|twice|double|times|over|under|up|down|instead|wrong|cannot|would"
    r"|could|might|may|otherwise|multiple|divisible|greater|smaller|squared|cubed)\b|n't",
    re.IGNORECASE,
)


def is_prose(text: str) -> bool:
    """Whether the text has words that are neither functions nor units, rather than a product of variables such as
    `xyz`.
    """
    runs = re.findall(r"[^\W\d_]{3,}", COMMANDS.sub(" ", text))
    return any(_is_word(run.casefold()) for run in runs)


def _is_word(run: str) -> bool:
    if len(run) == 3:
        return run in SHORT_WORDS
    return run not in FUNCTIONS and run not in KNOWN and run.removesuffix("s") not in KNOWN


def compare_words(given: str, truth: str, compare: Callable[[str, str], Verdict]) -> Verdict | None:
    """Return the verdict if one of the two is words; None if neither is.

    `Evelyn` is not proven not to be `Carla`, who may have both names; `even` is not `odd`. A sentence that ends in the
    other answer gives that answer: `The area is 42 square units.` Any other sentence is undecided.
    """
    one, other = _plain_words(given), _plain_words(truth)
    for words in CLOSED_LISTS:
        if one in words and other in words:
            return Verdict(one == other, "same_words" if one == other else "other_option")
    prose = (is_prose(given), is_prose(truth))
    if not any(prose):
        return None
    if all(prose) and one == other:
        return Verdict(True, "same_words")
    if (prose[0] and _tells(given, truth, compare)) or (prose[1] and _tells(truth, given, compare)):
        return Verdict(True, "same_in_a_sentence")
    return Verdict(None, "other_words" if all(prose) else "words_against_mathematics")


def _tells(sentence: str, answer: str, compare: Callable[[str, str], Verdict]) -> bool:
    """Whether the end of the sentence is the answer."""
    found = TELLS.fullmatch(sentence)
    if found is None or TURNS.search(sentence) or sentence.endswith("?"):
        return False
    return compare(cleaned(found["rest"]), answer).equal is True


def _plain_words(text: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", text.casefold())
