"""PRM800K as other people's code reads it, with its own assumptions: a row that breaks one of them raises here too.

`typed_item`: every assertion of openr's reader (openreasoner/openr, preprocess/src/data_types/prm800k.py).
`trl_rows`: what TRL's script makes of a row (huggingface/trl, examples/datasets/prm800k.py).
`processbench_f1`: the figure of QwenLM/ProcessBench (code/run_eval_prm_rlhflow.py). We rewrote these three.
`llama_factory_examples`: what LLaMA-Factory's own parser and converter make of a folder.
"""

import importlib
import json
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import UUID

import datasets

Json = dict[str, Any]
COMPLETION = {"text": str, "rating": (int, None), "flagged": (bool, None), "source": (str, None)}
QUESTION = {
    "problem": str,
    "ground_truth_answer": (str, None),
    "ground_truth_solution": (str, None),
    "pre_generated_answer": (str, None),
    "pre_generated_verifier_score": (float, None),
}


def typed_item(row: Json) -> None:
    """Raise AssertionError (ValueError for an id or a time) at the first value with a type that it may not have."""
    UUID(row["labeler"])
    datetime.fromisoformat(row["timestamp"])
    require(row, {"is_quality_control_question": bool, "is_initial_screening_question": bool})
    require(row, {"generation": (int, None)})
    question, label = row["question"], row["label"]
    require(question, QUESTION)
    if question.get("pre_generated_steps") is not None:
        assert all(type(step) is str for step in question["pre_generated_steps"])
    require(label, {"total_time": int, "finish_reason": str})
    for step in label["steps"]:
        require(step, {"completions": (list, None), "human_completion": (dict, None), "chosen_completion": (int, None)})
        for completion in [*(step["completions"] or []), *filter(None, [step["human_completion"]])]:
            require(completion, COMPLETION)


def require(found: Json, wanted: dict[str, Any]) -> None:
    """Check that each name has the type it must have; `(type, None)`: may also be null or missing."""
    for name, kinds in wanted.items():
        kind, *null = kinds if isinstance(kinds, tuple) else (kinds,)
        value = found.get(name)
        assert (value is None and null) or type(value) is kind, f"{name} is {value!r}"


def trl_rows(row: Json) -> list[Json]:
    """Yield a row for the path, and one for each completion not chosen. A label is right if the rating is 1."""
    rows: list[Json] = []
    texts: list[str] = []
    labels: list[bool] = []
    prompt = row["question"]["problem"]
    for step in row["label"]["steps"]:
        if step["completions"] is None and step["human_completion"] is None and step["chosen_completion"] is None:
            break
        offered, chosen = step["completions"], step["chosen_completion"]
        for place, one in enumerate(offered):
            if place != chosen:
                own = [*labels, one["rating"] == 1]
                rows.append({"prompt": prompt, "completions": [*texts, one["text"]], "labels": own})
        if chosen is not None:
            texts, labels = [*texts, offered[chosen]["text"]], [*labels, offered[chosen]["rating"] == 1]
        elif step["human_completion"] is not None:
            texts, labels = [*texts, step["human_completion"]["text"]], [*labels, True]
        else:
            break
    return [*rows, {"prompt": prompt, "completions": texts, "labels": labels}]


LOADERS = {".json": "json", ".jsonl": "json", ".parquet": "parquet"}
LLAMA_FACTORY = Path(sys.prefix) / "llama-factory"  # separately: as a whole it requires older packages than ours


def llama_factory_examples(folder: Path) -> dict[str, list[list[str]]]:
    """Return each data set in `dataset_info.json`: for each row, what the user says and the answers, in order."""
    parser, converter = (_llama_factory_module(name) for name in ("parser", "converter"))
    names = list(json.loads((folder / "dataset_info.json").read_text()))
    asked = SimpleNamespace(streaming=False, preprocessing_num_workers=None, overwrite_cache=True, media_dir="")
    found: dict[str, list[list[str]]] = {}
    for about in parser.get_dataset_list(names, str(folder)):
        file = folder / about.dataset_name
        rows = datasets.load_dataset(
            LOADERS[file.suffix], data_files=str(file), split=about.split, cache_dir=str(folder / "cache")
        )
        read = converter.align_dataset(rows, about, asked, SimpleNamespace(local_process_index=0))
        answers = [[*row["_prompt"], *row["_response"]] for row in read]
        found[names[len(found)]] = [[turn["content"] for turn in turns] for turns in answers]
    return found


def _llama_factory_module(name: str) -> Any:
    """Import a module of its `data` without the rest of that package, which needs its trainers' packages."""
    if str(LLAMA_FACTORY) not in sys.path:
        sys.path.append(str(LLAMA_FACTORY))
    for package in ("llamafactory", "llamafactory.data"):
        if package not in sys.modules:
            bare = sys.modules[package] = ModuleType(package)
            bare.__path__ = [str(LLAMA_FACTORY.joinpath(*package.split(".")))]
    return importlib.import_module(f"llamafactory.data.{name}")


def processbench_f1(rows: list[Json], predictions: list[int]) -> float:
    """Return the harmonic mean of two shares: first errors found, and answers without an error left alone."""
    matches = [(row["label"] != -1, found == row["label"]) for row, found in zip(rows, predictions, strict=True)]
    errors = [match for wrong, match in matches if wrong]
    clean = [match for wrong, match in matches if not wrong]
    first, second = 100 * sum(errors) / len(errors), 100 * sum(clean) / len(clean)
    return 2 * first * second / (first + second) if first + second else 0.0
