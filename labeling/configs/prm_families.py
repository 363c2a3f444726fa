"""The families of PRMs that admins choose from, each with its authors' defaults. Pure.

The code of a family is in `worker/prm/families`; a test there checks that the two lists are equal.
"""

from dataclasses import dataclass
from typing import Literal

AGGREGATIONS = ("product", "min", "mean", "last")


@dataclass(frozen=True, kw_only=True)
class PrmFamily:
    """A family of PRMs, and which parts of a PRM's record a person decides.

    `by_authors`: the authors chose `aggregation`. `neutral`: it may have three labels, so the record says what a
    neutral step counts as. `separator`: the text between steps differs from checkpoint to checkpoint. `reference`: it
    needs a second model to be compared with.
    """

    name: str
    title: str
    means: str
    place: Literal["folder", "server"]
    aggregation: str
    by_authors: bool
    aggregations: tuple[str, ...] = AGGREGATIONS
    neutral: bool = False
    separator: bool = False
    reference: bool = False


def _folder(name: str, title: str, means: str, aggregation: str, *, by_authors: bool = True, **more: bool) -> PrmFamily:
    about = {"place": "folder", "aggregation": aggregation, "by_authors": by_authors, **more}
    return PrmFamily(name=name, title=title, means=means, **about)  # type: ignore[arg-type]  # of mixed values


FAMILIES: dict[str, PrmFamily] = {
    family.name: family
    for family in (
        _folder(
            "qwen_prm",
            "Qwen2.5-Math-PRM",
            "Qwen2.5-Math-PRM-7B and -72B, and Qwen2.5-Math-7B-PRM800K. They read the solution once and answer at a "
            "mark after each step.",
            "product",
        ),
        _folder(
            "step_classifier",
            "Step classifier",
            "A model with a head of two or three labels at the end of each step: those of TRL’s PRMTrainer, PURE, "
            "and those trained here.",
            "product",
            by_authors=False,
            neutral=True,
            separator=True,
        ),
        _folder(
            "stacked_head",
            "Stacked head",
            "An unchanged language model with a head that reads several of its layers and its predictions. "
            "It is trained here as a stacked head.",
            "product",
            by_authors=False,
            separator=True,
        ),
        _folder(
            "math_shepherd",
            "Math-Shepherd",
            "math-shepherd-mistral-7b-prm. Its labels come from rollouts, not from people. Only its branch "
            "refs/pr/5 has safetensors.",
            "min",
        ),
        _folder(
            "rlhflow",
            "RLHFlow",
            "Llama3.1-8B-PRM-Mistral-Data and -Deepseek-Data. A chat in which the model answers + or - to each step.",
            "mean",
        ),
        _folder(
            "skywork",
            "Skywork-o1 Open PRM",
            "Skywork-o1-Open-PRM-Qwen-2.5-1.5B and -7B. A value read at the end of each line.",
            "product",
            by_authors=False,
        ),
        _folder(
            "reasoneval",
            "ReasonEval",
            "ReasonEval-7B and -34B. Negative, neutral or positive for each step.",
            "min",
            neutral=True,
        ),
        PrmFamily(
            name="implicit",
            title="EurusPRM (implicit)",
            means="EurusPRM-Stage1 and -Stage2: two language models; their difference is the reward. Its "
            "numbers rank traces, but are not probabilities.",
            place="folder",
            aggregation="min",
            by_authors=True,
            aggregations=("min", "last", "mean"),
            reference=True,
        ),
        PrmFamily(
            name="pooling_server",
            title="A PRM on a server",
            means="vLLM or SGLang with a PRM loaded. The weights stay on that server.",
            place="server",
            aggregation="product",
            by_authors=False,
        ),
        PrmFamily(
            name="generative_judge",
            title="A chat model as judge",
            means="Any chat model behind an OpenAI-compatible server. It is asked where the first error is, and its "
            "verdicts become the numbers.",
            place="server",
            aggregation="product",
            by_authors=False,
        ),
    )
}

SEPARATORS = {"line": "\n", "blank_line": "\n\n"}


@dataclass(frozen=True, kw_only=True)
class AskedPrm:
    """A PRM as it is connected: a `folder` that workers found, or a `model` of a listed `server`."""

    name: str
    family: str
    aggregation: str
    folder: str = ""
    reference: str = ""
    server: str = ""
    model: str = ""
    neutral: str = "positive"
    separator: str = "line"
    dtype: str = "float32"
    learned_from: str = ""
