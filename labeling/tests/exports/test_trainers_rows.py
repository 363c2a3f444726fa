"""Rows for trainers: read by the training code where available, otherwise checked against its documentation."""

import json
import re
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import datasets
import pytest
from django.core.management import call_command

from labeling.actions import rounds
from labeling.actions.exports import create_export, finished_file, run_export
from labeling.actions.labels import claim_next_label, submit_label
from labeling.errors import InvalidFields
from labeling.formats.exports.switches import ONLY_HARD
from labeling.metrics.traces import EvaluatedTrace, predicted_first_error, sum_of, targets_of
from labeling.metrics.traces import processbench_f1 as our_processbench_f1
from labeling.models import Project
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import contents, exported, give_label, traces_of
from labeling.tests.exports.readers import LLAMA_FACTORY, llama_factory_examples, processbench_f1
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.imports.files import done, import_bytes, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)
STEPS = ["Plus: $2+2$.", "It is 4 - surely +.", "Done."]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One problem: a trace with an error and an alternative there, one that is right, and one that was given up."""
    project = make_project("algebra")
    traces_of(
        project,
        tmp_path,
        neutral_row(steps=STEPS, source="GSM8K", final_answer="4", final_answer_correct=True, problem_id="p-1"),
        neutral_row(steps=["Hm.", "No idea."], final_answer="?"),
    )
    open_round(project)
    label_right_or_give_up(project)
    row = prm800k_row("What is $2+2$?")
    row["label"]["steps"][1]["completions"].append(done("It is 4?", 0))
    assert import_bytes(project, lines(row), tmp_path).report["labels"]["new"] == 1
    return project


def label_right_or_give_up(project: Project) -> None:
    """Whichever of the two traces is first."""
    ada = make_member(project)
    stuck = {"finish_reason": "give_up", "finish_detail": {"kind": "too_hard", "text": "I am stuck."}}
    for _ in range(2):
        label = claim_next_label(ada, project).label
        assert label is not None
        if label.task.trace.steps == STEPS:
            comments = [{"step": 1, "text": "Says\nmore than it shows."}]
            submit_label(label, make_submission([1, 0, 1], comments=comments))
        else:
            submit_label(label, make_submission([1, None], **stuck))


def rows_of(project: Project, format: str, **switches: str) -> list[dict[str, Any]]:
    """Return an export's rows."""
    return exported(project, format, switches=switches)[0]


def test_trl_puts_each_mark_on_the_last_token_of_its_step(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    trl = pytest.importorskip("trl.experimental.prm", reason="this TRL has no PRMTrainer")

    class Words:
        """A tokenizer of words, one of which is the separator."""

        bos_token_id = None
        ids: dict[str, int] = {}

        def __call__(self, text: str, **_: Any) -> dict[str, list[int]]:
            return {"input_ids": [self.ids.setdefault(word, len(self.ids)) for word in re.findall(r"\S+|\n", text)]}

        def encode(self, text: str, **_: Any) -> list[int]:
            return self(text)["input_ids"]

    rows = rows_of(project, "trl_stepwise", alternatives="rows")
    assert [len(row["completions"]) for row in rows] == [3, 2, 2, 2]
    for row in rows:
        tokens = trl.PRMTrainer.tokenize_row(row, Words(), "\n", None, None, False, False)
        marks = [mark for mark in tokens["labels"] if mark != -100]
        assert marks == [int(right) for right in row["labels"]]
        ends = [place for place, mark in enumerate(tokens["labels"]) if mark != -100]
        assert {tokens["input_ids"][end] for end in ends} == {Words.ids["\n"]}


def test_trl_trains_on_the_file_as_it_is(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    trl = pytest.importorskip("trl.experimental.prm", reason="this TRL has no PRMTrainer")
    tokenizers, transformers = map(pytest.importorskip, ("tokenizers", "transformers"))
    export = exported(project, "trl_stepwise", switches={"alternatives": "rows"})[1]
    words = {
        "[PAD]": 0,
        "[UNK]": 1,
        **{word: place for place, word in enumerate(["Plus", "Add", "It", "is", "4", "5", ".", "What"], 2)},
    }
    split = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "[UNK]"))
    split.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=split, pad_token="[PAD]", unk_token="[UNK]")
    sizes = {"vocab_size": len(words), "n_positions": 64, "n_embd": 8, "n_layer": 1, "n_head": 1, "num_labels": 2}
    config = transformers.GPT2Config(**sizes, pad_token_id=0, bos_token_id=None, eos_token_id=None)
    model = transformers.GPT2ForTokenClassification(config)
    asked = trl.PRMConfig(
        output_dir=str(tmp_path / "prm"), max_steps=2, report_to=[], use_cpu=True, bf16=False, step_separator=" . "
    )
    rows = datasets.load_dataset("json", data_files=str(finished_file(export)), split="train")
    trainer = trl.PRMTrainer(model, asked, train_dataset=rows, processing_class=tokenizer)
    assert trainer.train().global_step == 2


def test_math_shepherds_texts_differ_in_the_tags_alone_however_many_signs_the_steps_hold(project: Project) -> None:
    for row in rows_of(project, "math_shepherd", after_error="fill_negative"):
        parts = row["input"].split(" ки")
        pattern = r" ([+-])".join(map(re.escape, parts[:-1])) + r" ([+-])"
        found = re.fullmatch(pattern, row["label"])
        assert found is not None, row
        assert found.groups() == (("+", "+", "+") if row["task"] == "GSM8K" else ("+", "-", "-"))


def test_a_chat_has_a_sign_after_each_step_and_the_problem_in_its_first_turn(project: Project) -> None:
    [right, wrong] = [row["conversations"] for row in rows_of(project, "rlhflow", neutral="negative")]
    assert [turn["content"] for turn in wrong] == ["What is $2+2$? Add.", "+", "It is 5.", "-"]
    assert [turn["content"] for turn in right] == [f"What is $2+2$? {STEPS[0]}", "+", STEPS[1], "-"]
    assert {turn["role"] for turn in right[::2]} == {"user"}


def test_steps_are_paired_over_all_traces_of_a_problem_and_disputed_ones_are_in_no_pair(
    project: Project, tmp_path: Path
) -> None:
    assert rows_of(project, "step_pairs", over="neutral") == [
        {"prompt": "What is $2+2$?", "query": "Add.", "prefix": ["Add."], "chosen": "It is 4.", "rejected": rejected}
        for rejected in ("It is 5.", "It is 4?")
    ]
    other = prm800k_row("What is $2+2$?", "labeler-b")
    other["label"]["steps"][1]["completions"] = [done("It is 5.", -1), done("It is 4.", -1)]
    import_bytes(project, lines(other), tmp_path)
    assert rows_of(project, "step_pairs") == []


def test_whole_solutions_are_paired_and_marked(project: Project) -> None:
    right, wrong = "\n".join(STEPS), "Add.\nIt is 5.\nSo 5."
    prompt = {"prompt": "What is $2+2$?"}
    assert rows_of(project, "trace_pairs") == [{**prompt, "chosen": right, "rejected": wrong}]
    assert sorted(rows_of(project, "outcome"), key=lambda row: row["label"]) == [
        {**prompt, "completion": wrong, "label": False},
        {**prompt, "completion": right, "label": True},
    ]


def test_a_reward_stands_on_each_step_of_the_text(project: Project) -> None:
    for row in rows_of(project, "rewards"):
        said = [row["completion"][begin:end] for begin, end in row["step_spans"]]
        assert "\n\n".join(said) == row["completion"]
        assert len(said) == len(row["step_rewards"]) == len(row["mask"])
    assert rows_of(project, "rewards")[1]["mask"] == [1, 1, 0]


def test_what_people_wrote_becomes_critiques_and_a_chain_of_verdicts(project: Project) -> None:
    [critique] = rows_of(project, "critiques")
    assert (critique["step"], critique["rating"]) == (STEPS[1], 0)
    assert critique["critique"] == "Says\nmore than it shows."
    [chain] = rows_of(project, "verification_chains")
    assert chain["cot"].splitlines() == [
        r"Step 1: The step is \boxed{correct}.",
        r"Step 2: Says more than it shows. The step is \boxed{correct}.",
        r"Step 3: The step is \boxed{correct}.",
    ]
    assert chain["prefix_label"] is True


def test_a_chain_whose_words_box_another_verdict_than_the_label_is_left_out(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b"]))
    for said in (r"Surely \boxed{ Correct }.", r"\boxed{incorrect}, or is it \boxed{correct}?"):
        give_label(project, [1, 1], comments=[{"step": 0, "text": said}])
    give_label(project, [1, -1], mistake={"progress": None, "explanation": r"\boxed {INCORRECT}: no."})
    give_label(project, [1, -1], mistake={"progress": None, "explanation": r"It is \boxed{correct}."})
    assert [row["cot"].splitlines() for row in rows_of(project, "verification_chains")] == [
        [r"Step 1: Surely Correct. The step is \boxed{correct}.", r"Step 2: The step is \boxed{correct}."],
        [r"Step 1: The step is \boxed{correct}.", r"Step 2: INCORRECT: no. The step is \boxed{incorrect}."],
    ]


@pytest.mark.parametrize(
    ("format", "row", "sentence"),
    [
        ("math_shepherd", neutral_row("Где ошибки?"), "Export as RLHFlow conversations instead."),
        ("qwen", neutral_row(steps=["Read <extra_0>.", "Stop."]), "contain <extra_0>"),
        ("qwen_soft", neutral_row("<extra_0>?"), "contain <extra_0>"),
    ],
)
def test_what_a_format_cannot_carry_fails_the_export_in_words(
    tmp_path: Path, format: str, row: dict[str, Any], sentence: str
) -> None:
    project = make_project()
    traces_of(project, tmp_path, row)
    give_label(project, [1, 1])
    export = run_export(create_export(project, by=None, format=format).pk)
    assert export is not None
    assert export.status == "failed"
    assert sentence in export.error


def test_outcomes_are_of_traces_with_a_final_answer_and_the_others_are_counted(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b"]), neutral_row("Q?", steps=["c", "d"], final_answer="4"))
    labeler = make_member(project)
    give_label(project, [1, 1], labeler)
    give_label(project, [1, 1], labeler)
    export = run_export(create_export(project, by=None, format="outcome").pk)
    assert export is not None
    assert (export.status, export.error) == ("succeeded", "")
    assert [json.loads(line)["completion"] for line in contents(export).splitlines()] == ["c\nd"]
    told = Browser(make_member(project, "researcher")).call("GET", f"/api/exports/{export.pk}")
    assert told["without_rows"]["labels"] == 1


@pytest.mark.parametrize("format", ["trl_stepwise", "math_shepherd", "rlhflow"])
def test_soft_marks_are_refused_where_a_trainer_would_make_zeros_of_them(format: str) -> None:
    with pytest.raises(InvalidFields) as refused:
        create_export(make_project(), by=None, format=format, switches={"marks": "soft"})
    assert refused.value.extra["fields"]["marks"] == [ONLY_HARD.fixed_because]


def test_a_soft_mark_is_the_share_of_people_who_call_the_step_right(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b", "c", "d"]))
    for ratings in ([1, 1, -1, None], [1, -1, None, None], [1, 0, -1, None], [1, 1, 1, 1]):
        give_label(project, ratings)
    row = {"question": "What is $2+2$?", "steps": ["a", "b", "c"], "step_sources": ["person"] * 3}
    assert rows_of(project, "qwen_soft") == [{**row, "soft_labels": [1.0, 0.75, pytest.approx(1 / 3)]}]
    assert rows_of(project, "qwen_soft", neutral="negative")[0]["soft_labels"] == [1.0, 0.5, 0.5, 1.0]
    with pytest.raises(InvalidFields) as refused:
        create_export(project, by=None, format="qwen_soft", switches={"aggregate": "adjudicated"})
    assert refused.value.extra["fields"] == {"aggregate": ["A share counts all labels of a trace."]}


@pytest.mark.skipif(
    not LLAMA_FACTORY.exists(), reason="LLaMA-Factory is not installed (requirements/llama-factory.txt)"
)
@pytest.mark.parametrize("container", ["json_lines", "parquet"])
def test_llama_factory_finds_every_pair_by_the_file_beside_them(
    project: Project, tmp_path: Path, container: str
) -> None:
    for format in ("step_pairs", "trace_pairs", "outcome"):
        folder = tmp_path / format
        call_command("export_labels", "algebra", format=format, container=container, output=folder, stdout=StringIO())
        [(name, examples)] = llama_factory_examples(folder).items()
        assert name == f"stepmark_{format}"
        expected = rows_of(project, format)
        assert len(examples) == len(expected) > 0
        for row, (prompt, *said) in zip(expected, examples, strict=True):
            assert prompt == "\n".join(filter(None, [row["prompt"], row.get("query")]))
            answers = [row["chosen"], row["rejected"]] if "chosen" in row else [row["completion"], ""]
            assert said == (answers if row.get("label", True) else answers[::-1])


def test_processbenchs_evaluator_reads_the_rows_and_says_of_predictions_what_our_reports_say(
    project: Project,
) -> None:
    rows = rows_of(project, "processbench")
    assert sorted(row["label"] for row in rows) == [-1, 1]
    assert processbench_f1(rows, [row["label"] for row in rows]) == 100.0
    assert processbench_f1(rows, [-1 if row["label"] == -1 else row["label"] + 1 for row in rows]) == 0.0
    chance = Random(1)
    judged = [(row, [chance.random() for _ in row["steps"]]) for row in rows * 50]
    predictions = [predicted_first_error(scores, 0.3) for _, scores in judged]
    traces = [
        EvaluatedTrace(row["problem"], scores, targets_of(row["label"], len(scores)), row["label"], "ungraded")
        for row, scores in judged
    ]
    ours = float(our_processbench_f1(sum_of(traces, 0.3)))
    assert 0 < ours < 1
    assert processbench_f1([row for row, _ in judged], predictions) == pytest.approx(100 * ours)


@pytest.mark.parametrize(
    ("format", "marks_of"),
    [
        ("trl_stepwise", lambda row: [int(right) for right in row["labels"]]),
        ("qwen", lambda row: row["hard_labels"]),
        ("rlhflow", lambda row: [int(turn["content"] == "+") for turn in row["conversations"][1::2]]),
        ("math_shepherd", lambda row: [int(mark == "+") for mark in re.findall(r" ([+-])(?=\n|$)", row["label"])]),
    ],
)
def test_where_every_step_is_rated_rows_end_at_the_first_error_unless_all_are_asked_for(
    format: str, marks_of: Any, tmp_path: Path
) -> None:
    project = make_project("runs")
    traces_of(project, tmp_path, neutral_row(steps=["One.", "Two.", "Three.", "Four."]))
    rounds.open_round(project, by=None, protocol="every_step")
    label = claim_next_label(make_member(project), project).label
    assert label is not None
    submit_label(label, make_submission([1, -1, 0, 1]))
    [cut], _ = exported(project, format)
    assert marks_of(cut) == [1, 0]
    [whole], _ = exported(project, format, switches={"after_error": "keep_rated", "neutral": "negative"})
    assert marks_of(whole) == [1, 0, 0, 1]
    [soft], _ = exported(project, "qwen_soft")
    assert soft["soft_labels"] == [1.0, 0.0]
