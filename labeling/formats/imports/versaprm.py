"""VersaPRM: a question with several chains of thought, whose steps a machine labeled."""

from labeling.formats.faults import Fault, json_type
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed, ParsedAll
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import inside, read_renamed
from labeling.formats.records import ParsedRow
from labeling.formats.row_checks import wrong_type

CHAINS = "chain_of_thoughts"
MOST_CHAINS = 1_000
LONGEST_ANSWER = 60  # characters; a longer one is a solution
NAMES = {"problem": "question", "subject": "domain"}


def parse(row: Json, line: int) -> ParsedAll:
    """Return a trace for each chain, or every fault."""
    chains = row.get(CHAINS)
    if not isinstance(chains, list) or not 0 < len(chains) <= MOST_CHAINS:
        return [], [wrong_type(row, CHAINS, line, f"a list of up to {MOST_CHAINS:,} objects with `steps` and `labels`")]
    read: list[ParsedRow] = []
    faults: list[Fault] = []
    for index, chain in enumerate(chains):
        parsed, found = _chain(row, chain, line)
        faults += inside(found, f"{CHAINS}[{index}]") if index else _in_first(found)
        read += [] if parsed is None else [parsed]
    return ([], faults) if faults else (read, [])


def _in_first(faults: list[Fault]) -> list[Fault]:
    """Return the first chain's faults. Those of the question are reported without the chain."""
    return [fault if fault.field in ("question", "domain") else inside([fault], f"{CHAINS}[0]")[0] for fault in faults]


def _chain(row: Json, chain: object, line: int) -> Parsed:
    if not isinstance(chain, dict):
        return None, [Fault("wrong_type", line, "", json_type(chain), "Expected an object with `steps` and `labels`.")]
    about = {key: value for key, value in row.items() if key not in (CHAINS, "answer", "steps", "problem")}
    own = {key: value for key, value in chain.items() if key not in ("labels", "problem", "question")}
    parsed = read_renamed({**about, **own, **_answer(row)}, line, NAMES)
    labels = chain.get("labels")
    return parsed if labels is None else marked(parsed, labels, line, "labels")


def _answer(row: Json) -> Json:
    answer = row.get("answer")
    if not isinstance(answer, str):
        return {} if answer is None else {"answer": answer}
    long = len(answer) > LONGEST_ANSWER or "\n" in answer
    return {"ground_truth_solution" if long else "ground_truth_answer": answer}


def _marks(row: Json) -> int:
    chains = row.get(CHAINS)
    return 3 if isinstance(chains, list) and any(isinstance(one, dict) and "steps" in one for one in chains) else 0


FORMAT = ImportFormat(
    name="versaprm",
    title="VersaPRM",
    means="A question with several chains of thought, whose steps a machine labeled.",
    looks_like="`question`, and `chain_of_thoughts` with `steps` and `labels`.",
    leaves="1 is right, 0 and -1 are both wrong. Added steps (`augs`) are kept unread with their trace. A chain"
    " without labels has no marks.",
    sniff=_marks,
    read_all=parse,
    marks_by="VersaPRM",
    problem_field="question",
)
