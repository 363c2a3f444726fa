"""A release's card from facts and answers: README.md with front matter that the Hugging Face Hub reads, and LICENSE.
Pure.

Front matter is one JSON value per line, which is also YAML, so whatever a person typed stays one value.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from labeling.formats.export_config import ROLES, STATEMENTS, UNKNOWN
from labeling.formats.release_questions import BY_NAME, DATASHEET, LICENCES, QUESTIONS, languages_in, questions_for
from labeling.formats.release_words import graded_words, measured_words, time_words, who_words

Json = dict[str, Any]
SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
LARGEST = "10M<n<100M"
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
UNSAID = "not said"
ENDINGS = {
    "found_error": "at a first error",
    "solution": "without an error",
    "give_up": "given up",
    "bad_problem": "because the problem is bad",
}
MIXED = "mixed"  # `datasets` reserves "all"
NOTHING = "n/a (nothing counted)"
NO_INTERVAL = {
    "few_clusters": "n/a (too few)",
    "all_alike": "n/a (all alike)",
    "often_undefined": "n/a (too few)",
    "no_method": "n/a (no method)",
}
STEERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # reverse the text after them, even beyond a table's row
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#])")


class DataFile(NamedTuple):
    """A file of rows in the folder: its format, the split it holds, and its size."""

    path: str
    format: str
    split: str
    rows: int
    bytes: int


class Card(NamedTuple):
    """All data for writing a card."""

    name: str
    version: int
    project: str
    answers: Mapping[str, str]
    facts: Json
    overlaps: Json
    files: Sequence[DataFile]
    supersedes: str | None

    def said(self, name: str) -> str:
        """Return the answer to a question; "unknown" if there is none."""
        return self.answers.get(name, "").strip() or UNKNOWN


def readme(card: Card) -> str:
    """Return README.md: front matter, then the sections of a datasheet."""
    sections = (
        _about(card),
        _files(card),
        _roles(card),
        _labelers(card),
        _chosen(card),
        _trust(card),
        _texts(card),
        _overlaps(card),
        _left_out(card),
        _said(card),
    )
    return front_matter(card) + "\n" + "\n".join(sections)


def front_matter(card: Card) -> str:
    """Return the metadata that the Hub sorts by, between two lines of hyphens."""
    rows = sum(file.rows for file in card.files)
    licence = card.said("licence").lower()
    known = licence in LICENCES or licence == UNKNOWN
    entries: Json = {"pretty_name": card.name, "license": licence if known else "other"}
    if not known:
        entries["license_name"] = re.sub(r"[^a-z0-9.]+", "-", licence).strip("-") or "other"
        entries["license_link"] = "LICENSE"
    if languages := languages_in(card.said("language")):
        entries["language"] = languages
    if card.said("annotators") != UNKNOWN:
        entries["annotations_creators"] = [card.said("annotators")]
    entries["tags"] = ["process-reward-model", "step-labels", "stepmark"]
    entries["size_categories"] = [next((name for most, name in SIZES if rows < most), LARGEST)]
    entries["configs"] = [_config(file) for file in card.files]
    lines = [f"{name}: {_yaml(value)}" for name, value in entries.items()]
    return "\n".join(["---", *lines, "---", ""])


def _yaml(value: Any) -> str:
    """Return JSON with characters escaped that YAML refuses or takes for a line break."""
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def licence_text(card: Card) -> str:
    """Return LICENSE: what the labels are released under, and that texts keep their own licences."""
    said = card.said("licence")
    link = LICENCES.get(said.lower())
    texts = [
        f"  {' '.join(licence.split())}: {count} labels" for licence, count in card.facts.get("licences", {}).items()
    ]
    head = f"{card.name} v{card.version}\n\nThe labels in this folder are released under: {' '.join(said.split())}"
    return "\n".join(
        [
            head + (f" ({link})" if link else ""),
            "",
            "Problems and solutions keep the licences under which they were published. According to their imports:",
            *texts,
            "",
        ]
    )


def split_of(splits: Sequence[str]) -> str:
    """Return the Hub's name for the split of rows whose problems have these splits."""
    if "held_out" not in splits:
        return "train"
    return MIXED if len(splits) > 1 else "test"


def _config(file: DataFile) -> Json:
    name = file.path.rpartition("/")[2].split(".")[0]
    return {"config_name": name, "data_files": [{"split": file.split, "path": file.path}]}


def _about(card: Card) -> str:
    lines = [f"# {_text(card.name)} v{card.version}", "", _answered(card, "purpose"), ""]
    if card.supersedes:
        lines += [f"This version replaces {_text(card.supersedes)}.", ""]
    facts = card.facts
    lines += [
        f"Labels: {facts.get('labels', 0):,}. {who_words(facts)} Made with Stepmark.",
        "",
    ]
    return "\n".join([*lines, "", f"Contact: {_text(card.said('contact'))}", ""])


def _files(card: Card) -> str:
    rows = [(file.path, file.format, file.split, f"{file.rows:,}", f"{file.bytes:,}") for file in card.files]
    end = "`MANIFEST.json` lists the SHA-256 of every file and every switch that shaped the rows."
    if any(file.split == MIXED for file in card.files):
        end = f"A file called `{MIXED}` contains both held-out and other problems: do not train on all of it.\n\n{end}"
    return _section("Files", _table(("file", "format", "split", "rows", "bytes"), rows), end)


def _roles(card: Card) -> str:
    roles = _table(("role", "what it was"), [(title, _text(card.said(name))) for name, title in ROLES.items()])
    statements = [f"**{title}** {_text(card.said(name))}\n" for name, title in STATEMENTS.items()]
    return _section("Who and what took part", roles, *statements)


def _labelers(card: Card) -> str:
    facts = card.facts
    rows = [(_text(one["labeler"]), f"{one['labels']:,}") for one in facts.get("labelers", [])]
    imported = facts.get("imported_names", [])
    screening = facts.get("screening", {})
    rule = screening.get("rule", {})
    screened = (
        f"New labelers pass a screening of {rule['tasks']} tasks with known answers ({rule['share']:.0%} right, "
        f"{rule['retries']} retries); {screening['attempts']} attempts were made{_passed(screening)}."
        if screening.get("asked")
        else "New labelers are not screened."
    )
    versions = _guidelines(facts.get("guidelines", {}))
    return _section(
        "Who labeled",
        _answered(card, "people"),
        "",
        screened,
        "",
        f"Guidelines: {versions}. Label sources: {_listed(facts.get('sources', {}), 'labels by')}.",
        "",
        f"How labels ended: {_ended(facts.get('finish_reasons', {}))}. Ratings along the paths: "
        f"{_listed(dict(sorted(facts.get('ratings', {}).items(), key=lambda one: int(one[0]))), 'of')}.",
        "",
        _table(("labeler or reviewer (salted id)", "labels"), rows),
        *(["Imported labelers have the same names here and in the files as in their imports.\n"] if imported else []),
    )


def _guidelines(counts: Mapping[str, int]) -> str:
    said = {name: count for name, count in counts.items() if name != UNSAID}
    unsaid = [f"no known version for {counts[UNSAID]:,} labels"] if UNSAID in counts else []
    known = [_listed(said, "labels under version")] if said else []
    return ", ".join(known + unsaid) or "none"


def _ended(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {ENDINGS.get(name, _text(name))}" for name, count in ordered) or "none"


def _passed(screening: Json) -> str:
    found = screening.get("passed")
    if not found or found["value"] is None:
        return ""
    return f", {found['value']:.0%} of {found['n']} finished attempts passed (95 % interval {_interval(found)})"


WAYS = """\
*Convincing*: the PRM's highest scores that the rules allow. *Unsure*, *wavering*: where the PRM doubts its own steps.
*Disagreement*: where two scorers differ most. *Typical*: the centres of clusters of texts. *Like*: most similar to
named traces. The arms `control` and `random` were drawn at random: statements about all traces rest only on them."""


def _chosen(card: Card) -> str:
    rows = [
        (
            str(one["number"]),
            _text(one["protocol"]),
            _text(", ".join(f"{name} {value}" for name, value in one["rule"].items())) or "all available",
            _text(", ".join(map(_way, one.get("ways", [])))) or "–",
            _text(one["prm"] or "none"),
            _listed(one["finished"], "of"),
            f"{one['labels']:,}",
        )
        for one in card.facts.get("rounds", [])
    ]
    head = ("round", "protocol", "how traces were chosen", "selected by (share)", "PRM", "finished by arm", "labels")
    return _section("How traces were chosen", _table(head, rows), WAYS, "", graded_words(card.facts), "")


def _way(one: Mapping[str, Any]) -> str:
    """ "disagreement 20% (against PRM B)" """
    beside = f" (against {one['against']})" if one.get("against") else ""
    beside += f" ({one['named']} named traces)" if one.get("named") else ""
    return f"{one['way']} {one['share']:.0%}{beside}"


def _trust(card: Card) -> str:
    facts = card.facts
    figures = {
        "Krippendorff's alpha, ratings of steps": facts.get("agreement", {}).get("alpha"),
        "Same first error": facts.get("agreement", {}).get("exact"),
        "Same verdict: error or no error": facts.get("agreement", {}).get("has_error"),
        f"Gold passed ({facts.get('gold', {}).get('labelers', 0)} labelers)": facts.get("gold", {}).get("passed"),
        f"Hasty (below {facts.get('hasty', {}).get('floor_ms', 0) / 1000:.1f} s a step)": facts.get("hasty", {}).get(
            "share"
        ),
        "Active minutes per trace": facts.get("time", {}).get("per_trace"),
    }
    rows = [(name, *_estimate(value)) for name, value in figures.items()]
    audits = [
        (_text(audit["scorer"]), arm["arm"], str(arm["corrected"]["n"]), *_share(arm["corrected"]))
        for audit in facts.get("audits", [])
        for arm in audit["arms"]
    ]
    audited = _table(("audit with", "arm", "reviewed", "corrected", "95 % interval"), audits)
    machines = [
        (
            _text(one["name"]),
            one["kind"],
            "a random sample" if one["truth"] == "audit" else "what people labeled",
            *_estimate(one["same_first_error"]),
            str(one["silent"]),
        )
        for one in facts.get("machine_sources", [])
    ]
    head = ("source of machine labels", "kind", "compared to", "same first error", "95 % interval", "traces", "silent")
    held = _table(head, machines)
    known = _text(card.said("known_errors"))
    return _section(
        "How far to trust it",
        "Figures are for the whole project on the day of the check.\n",
        _table(("figure", "value", "95 % interval", "n"), rows),
        time_words(facts.get("time", {})),
        "",
        audited or "No label audit was finished.",
        "",
        f"Marks by machines do not count as labels here. How they compare with people's labels:\n\n{held}"
        if machines
        else "No source of machine labels marked these traces.",
        f"Known errors: {known}\n",
    )


def _texts(card: Card) -> str:
    facts = card.facts
    kinds = {"texts_from": "Published by", "licences": "Licence", "generators": "Generator", "splits": "Split"}
    rows = [
        (title, _text(name), f"{count:,}")
        for kind, title in kinds.items()
        for name, count in facts.get(kind, {}).items()
    ]
    return _section("Problems and solutions", _table(("about the texts", "", "labels"), rows))


def _overlaps(card: Card) -> str:
    found = card.overlaps
    lists = _table(
        ("compared with", "texts", "of these by hash only"),
        [(_text(one["name"]), f"{one['texts']:,}", f"{one['by_hash_alone']:,}") for one in found.get("lists", [])],
    )
    counted = (
        f"Of {found.get('problems', 0):,} problems {found.get('exact', 0)} are held out and {found.get('near', 0)} "
        "share half of their five-word sequences with a held-out one."
    )
    said = [f"\n{_answered(card, 'overlap')}"] if found.get("exact", 0) + found.get("near", 0) else []
    sets = [(_text(one["name"]), one["traces"], one["problems"]) for one in card.facts.get("evaluation_sets", [])]
    measured = _table(("evaluation set of the project", "traces", "problems"), [_texts_of(one) for one in sets])
    learned = [f"\n{measured_words(_text(one['name']), one['problems'])}" for one in found.get("measured", [])]
    return _section("Held-out texts", lists, counted, *said, *learned, "", measured)


def _left_out(card: Card) -> str:
    rows = [
        (
            one["format"],
            _text(", ".join(f"{name}: {value}" for name, value in one["switches"].items())),
            _text(", ".join(f"{name}: {value}" for name, value in one["filters"].items())) or "none",
            _listed(_spaced(one["left_out"]), "labels,"),
        )
        for one in card.facts.get("left_out", [])
    ]
    without = [f"- {one['labels']:,} labels of {_text(one['labeler'])}" for one in card.facts.get("without", [])]
    taken = ["Removed from an earlier version:", *without, ""] if without else []
    left = _table(("format", "switches", "filters", "left out"), rows)
    return _section("What was left out", left, *taken, _not_chosen(card))


def _not_chosen(card: Card) -> str:
    """Return a table of traces that were not shown to any labeler, and why."""
    rows = [
        (str(one["number"]), _listed(_spaced(one.get("dropped", {})), "traces:"))
        for one in card.facts.get("rounds", [])
    ]
    return _table(("round", "traces not chosen, and why"), rows)


def _said(card: Card) -> str:
    done = {"purpose", "people", "known_errors"}
    asked = [one for one in questions_for(0) if one.part == DATASHEET and one.name not in done]
    return _section("More", *(f"**{one.title}** {_text(card.said(one.name))}\n" for one in asked if one in QUESTIONS))


def _answered(card: Card, name: str) -> str:
    """Return a question with its answer."""
    return f"**{BY_NAME[name].title}** {_text(card.said(name))}"


def _section(title: str, *parts: str) -> str:
    return "\n".join([f"## {title}", "", *parts])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines, ""])


def _text(said: str) -> str:
    """Return text from outside on one line, without markup and without characters that reverse it."""
    told = STEERING.sub(lambda found: f"U+{ord(found[0]):04X}", " ".join(said.split()))
    return MARKDOWN.sub(r"\\\1", told)


def _listed(counts: Mapping[str, int], words: str) -> str:
    return ", ".join(f"{count:,} {words} {_text(str(name))}" for name, count in counts.items()) or "none"


def _spaced(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts with internal names written as words, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return {name.replace("_", " "): count for name, count in ordered}


def _texts_of(row: Iterable[Any]) -> list[str]:
    return [one if isinstance(one, str) else f"{one:,}" for one in row]


def _estimate(found: Json | None) -> tuple[str, str, str]:
    if not found or found.get("value") is None:
        return NOTHING, NOTHING, str((found or {}).get("n", 0))
    return f"{found['value']:.3f}", _interval(found), str(found["n"])


def _share(found: Json) -> tuple[str, str]:
    return (f"{found['part'] / found['n']:.3f}" if found["n"] else NOTHING), _interval(found)


def _interval(found: Json) -> str:
    low, high = found.get("low"), found.get("high")
    if low is None or high is None:
        return NO_INTERVAL.get(found.get("no_interval") or "", NOTHING)
    return f"{low:.3f} to {high:.3f}"
