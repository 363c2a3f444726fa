"""Shapes of the API's answers, written from its schema (`make schema`): do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

AnswerKindEnum = Literal["maths", "exact", "choice", "numeric", "none"]
AskedEnum = Literal["progress", "kind", "corrected_step", "explanation"]
BlankEnum = Literal[""]
DecisionOutOutcomeEnum = Literal["settled", "dismissed", "bad_problem", "corrected", "accepted", "repaired"]
DiffRowOutChangeEnum = Literal["added", "removed", "changed"]
DiscardedStepOutSourceEnum = Literal["model", "human"]
EndedEnum = Literal["final_answer", "step_cap"]
ExportAgreement = Literal["agrees", "differs"]
ExportContainer = Literal["json_lines", "parquet"]
ExportFormat = Literal[
    "prm800k",
    "neutral",
    "trl_stepwise",
    "math_shepherd",
    "rlhflow",
    "qwen",
    "qwen_soft",
    "processbench",
    "step_pairs",
    "trace_pairs",
    "outcome",
    "rewards",
    "process_advantages",
    "mc_math_shepherd",
    "mc_qwen",
    "critiques",
    "verification_chains",
    "run_process",
    "run_outcome",
    "run_clauses",
    "atif",
    "inspect_scores",
    "otel_evaluations",
    "langfuse_scores",
    "langsmith_feedback",
]
FinishReason = Literal["found_error", "solution", "bad_problem", "give_up"]
FirstErrorEnum = Literal["none", "some", "differ"]
JobStatus = Literal["queued", "running", "succeeded", "failed", "cancelled"]
LearningGainBecauseEnum = Literal["few_points", "few_problems", "wide"]
MarksShown = Literal["after", "beside"]
MethodEnum = Literal["head", "stacked", "lora", "full"]
ModeEnum = Literal["per_problem", "global"]
NoIntervalEnum = Literal["few_clusters", "all_alike", "often_undefined", "no_method"]
NullEnum = Literal[None]
OpenStepOutStateEnum = Literal["waiting", "first", "rest_waiting", "all"]
Outcome = Literal["correct", "wrong", "ungraded"]
PartEnum = Literal["datasheet", "publication", "roles", "statements"]
PathStepOutSourceEnum = Literal["given", "model", "human"]
PersonKind = Literal["person", "imported"]
PrmAggregation = Literal["product", "min", "mean", "last"]
PrmStatus = Literal["unchecked", "ready", "faulty", "retired"]
ProjectStatus = Literal["active", "archived"]
PromptEnum = Literal["mistake/1"]
RatedUnitEnum = Literal["message", "call"]
Rating = Literal[-1, 0, 1]
ReleaseOverlapKindEnum = Literal["exact", "near"]
ReleaseState = Literal["draft", "released", "withdrawn"]
ReviewKind = Literal[
    "no_consensus",
    "disagreement",
    "contradiction",
    "flagged",
    "comment",
    "split_badly",
    "answer_wrong",
    "bad_problem",
    "asked_for",
]
Role = Literal["annotator", "researcher", "admin"]
RoundConfigOutSourceEnum = Literal["all", "filter", "sample", "audit", "disagreement", "prm", "problems", "import"]
RoundStatus = Literal[
    "draft",
    "preparing",
    "generating",
    "grading",
    "scoring",
    "ready",
    "labeling",
    "paused",
    "closed",
    "cancelled",
    "failed",
    "screening",
]
ScaleEnum = Literal["probability", "log_ratio"]
SchemeEnum = Literal["maths", "trail", "mast", "own"]
SplitEnum = Literal["train", "held_out"]
SplitterKind = Literal["blank_line", "newline", "numbered", "step", "custom"]
StepScorerKind = Literal["prm", "rollouts", "judge", "consensus", "verifier", "formal", "imported"]
TargetEnum = Literal["steps", "outcome", "progress"]
TrainingStage = Literal["waiting", "reading", "training", "checking", "done"]
TroubleOutCodeEnum = Literal["slow", "down", "none"]
WhatEnum = Literal[
    "rows", "loading", "states", "heads", "draws", "learning", "measuring", "curve", "second_head", "writing"
]


class AfterErrorShape(TypedDict):
    scheme: NotRequired[SchemeEnum | BlankEnum]
    own_version: int
    own_kinds: NotRequired[list[OwnKindShape]]
    from_file: NotRequired[bool]
    asked: NotRequired[list[AskedEnum]]
    explaining: NotRequired[ExplainingShape | None]


class AskedPrm(TypedDict):
    id: int
    name: str
    fingerprint: str


class BenchmarkMet(TypedDict):
    name: str
    rows: int
    held_out: NotRequired[int]
    says_train: NotRequired[int]
    by_split: NotRequired[int]


class ByMachineOut(TypedDict):
    scorer: AskedPrm
    other: AskedPrm | None
    control_share: float
    miss_costs: float
    bar: float | None
    pool: int
    grader: str


class CountedOnce(TypedDict):
    new: int
    known: int
    duplicate_in_file: int


class CurvePoint(TypedDict):
    curve: str
    at: float
    value: float


class DecisionOut(TypedDict):
    kind: ReviewKind
    outcome: DecisionOutOutcomeEnum
    reason: str
    by: PersonRef
    at: str


class DiffPart(TypedDict):
    name: str
    added: int
    removed: int
    changed: int


class DiffRowOut(TypedDict):
    change: DiffRowOutChangeEnum
    label_before: int | None
    label_after: int | None
    trace: int
    problem: str
    round: int
    labeler: str
    source: PersonKind
    trace_source: str
    reason_before: FinishReason | NullEnum | None
    verdict_before: int | None
    reason_after: FinishReason | NullEnum | None
    verdict_after: int | None
    steps: int | None


class DiffTotals(TypedDict):
    same: int
    added: int
    removed: int
    changed: int
    verdicts: int


class DiscardedStepOut(TypedDict):
    step: int
    text: str
    source: DiscardedStepOutSourceEnum
    ratings: list[RatedCompletion]
    chosen: int | None
    at: str


class EstimateOut(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int | None
    no_interval: NoIntervalEnum | NullEnum | None


class ExplainingShape(TypedDict):
    generator: str
    model: str
    prompt: NotRequired[PromptEnum]
    explanations: NotRequired[int]
    alternatives: NotRequired[int]
    ahead: NotRequired[int]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    max_tokens: NotRequired[int]
    seed: NotRequired[int]


class ExportConfigOut(TypedDict):
    filters: NotRequired[ExportFilters]
    switches: NotRequired[dict[str, str]]
    container: NotRequired[ExportContainer]
    gzip: NotRequired[bool]
    roles: NotRequired[dict[str, str]]
    statements: NotRequired[dict[str, str]]


class ExportFilters(TypedDict):
    rounds: NotRequired[list[int]]
    finish: NotRequired[list[FinishReason]]
    split: NotRequired[SplitEnum | BlankEnum]
    labelers: NotRequired[list[int]]
    subjects: NotRequired[list[str]]
    agreement: NotRequired[ExportAgreement | BlankEnum]
    since: NotRequired[str]
    until: NotRequired[str]


class ExportOut(TypedDict):
    id: int
    format: ExportFormat
    config: ExportConfigOut
    status: JobStatus
    created_at: str
    created_by: PersonRef | None
    finished_at: str | None
    progress: ExportProgress
    rows: int
    bytes: int
    sha256: str
    snapshot_id: str
    left_out: LeftOut
    without_rows: WithoutRows | None
    error: str


class ExportProgress(TypedDict):
    labels_done: int
    labels_total: int


class FaultKind(TypedDict):
    kind: str
    count: int
    examples: list[FaultOut]


class FaultOut(TypedDict):
    line: int
    field: str
    found: str
    do: str


class Faults(TypedDict):
    total: int
    kinds: list[FaultKind]


class FindingOut(TypedDict):
    code: str
    step: int | None
    number: NotRequired[int | None]


class FoundRowOut(TypedDict):
    export: int
    file: str
    number: int
    labels: list[int]


class GenerateIn(TypedDict):
    generator: str
    model: str
    prompt: NotRequired[str]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    n: NotRequired[int]
    max_tokens: NotRequired[int]
    stop: NotRequired[list[str]]
    seed: NotRequired[int]
    splitter: NotRequired[SplitterIn]


class GraderOut(TypedDict):
    version: str
    answer_kind: str
    answer_tolerance: float


class HeldOutList(TypedDict):
    name: str
    texts: int
    by_hash_alone: int


class ImportOut(TypedDict):
    id: int
    file_name: str
    format: str
    dry_run: bool
    skip_faulty: bool
    as_gold: bool
    labels_of: str
    split: SplitEnum | BlankEnum
    marks_of: str
    mapping: dict[str, str]
    can_map: bool
    status: JobStatus
    created_at: str
    created_by: PersonRef | None
    started_at: str | None
    finished_at: str | None
    progress: ImportProgress
    attempts: int
    report: ImportReport | None
    error: str


class ImportProgress(TypedDict):
    bytes_done: int
    bytes_total: int
    rows: int
    silent_seconds: int


class ImportReport(TypedDict):
    rows: int
    problems: ProblemCounts
    traces: CountedOnce
    labels: CountedOnce
    verdicts: NotRequired[VerdictCounts]
    other_answers: NotRequired[OtherAnswers]
    other_problems: NotRequired[OtherProblems]
    other_final_answers: NotRequired[OtherWords]
    other_sources: NotRequired[OtherWords]
    redacted: NotRequired[dict[str, int]]
    recorded: NotRequired[int]
    without_label: NotRequired[int]
    benchmarks: NotRequired[list[BenchmarkMet]]
    gold: NotRequired[NewAndKnown]
    marks: NotRequired[list[MarksCounts]]
    faults: Faults
    imported: bool


class IncidentOut(TypedDict):
    id: int
    labeler: str
    person: PersonRef | None
    trace: int
    round: int
    problem_text: str
    finish_reason: FinishReason
    verdict: int | None
    submitted_at: str
    guideline_version: NotRequired[int | None]
    task: int
    round_id: int
    protocol: str
    reason: str
    rank: int | None
    score: float | None
    prm: NotRequired[str | None]
    steps: list[str]
    ratings: list[int | None]
    active_ms: int
    supersedes: int | None
    superseded_by: int | None
    earlier_release: int | None
    later_release: int | None
    places: list[LabelPlace]
    decisions: list[DecisionOut]
    ruling: ReleaseRuling | None
    audits: list[ReleaseAuditItem]
    went_into: WentIntoOut


class LabelPlace(TypedDict):
    file: str
    number: int | None


class LearnedRound(TypedDict):
    id: int
    number: int
    name: str


class LearnedSource(TypedDict):
    id: int
    name: str
    kind: StepScorerKind
    weight: float


class LearningCurveOut(TypedDict):
    labels: int
    problems: int
    steps: int
    points: list[LearningPoint]
    gains: list[LearningGain]


class LearningGain(TypedDict):
    more: int
    gain: EstimateOut | None
    auc: float | None
    because: LearningGainBecauseEnum | NullEnum | None


class LearningPoint(TypedDict):
    labels: int
    auc: EstimateOut
    baseline: float | None


class LeftOut(TypedDict):
    excluded: NotRequired[int]
    hasty: NotRequired[int]
    aided: NotRequired[int]
    gold: NotRequired[int]
    surplus: NotRequired[int]
    imported: NotRequired[int]
    measured: NotRequired[int]
    one_a_task: NotRequired[int]
    unsettled: NotRequired[int]
    labelers: NotRequired[int]


class MarksCounts(TypedDict):
    new: int
    known: int
    source: str
    scorer: int | None
    differing: int


class MeasuredOn(TypedDict):
    name: str
    problems: int


class MixFields(TypedDict):
    disagreement: NotRequired[float]
    wavering: NotRequired[float]
    unsure: NotRequired[float]
    like: NotRequired[float]
    typical: NotRequired[float]
    other: NotRequired[int | None]
    like_traces: NotRequired[list[int]]


class NewAndKnown(TypedDict):
    new: int
    known: int


class NextRoundOut(TypedDict):
    at: int | None
    by: PersonRef | None
    error: str
    round: int | None


class NextStepIn(TypedDict):
    generator: str
    model: str
    prompt: NotRequired[str]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    max_tokens: NotRequired[int]
    stop: NotRequired[list[str]]
    seed: NotRequired[int]


class OpenStepOut(TypedDict):
    step: int
    state: OpenStepOutStateEnum
    completions: list[RatedCompletion]
    may_write: bool
    more: int
    may_ask_more: bool
    trouble: TroubleOut | None
    look_again_ms: int | None


class OtherAnswer(TypedDict):
    line: int
    problem_id: str
    kept: str | None
    given: str


class OtherAnswers(TypedDict):
    problems: int
    examples: list[OtherAnswer]


class OtherProblem(TypedDict):
    line: int
    problem_id: str
    kept: str
    given: str


class OtherProblems(TypedDict):
    problems: int
    examples: list[OtherProblem]


class OtherWord(TypedDict):
    line: int
    kept: str | None
    given: str


class OtherWords(TypedDict):
    rows: int
    examples: list[OtherWord]


class OwnKindShape(TypedDict):
    code: str
    title: str
    about: NotRequired[str]


class PathOut(TypedDict):
    prefix_hash: str
    steps: list[PathStepOut]
    open: OpenStepOut | None
    ended: EndedEnum | NullEnum | None
    stuck: bool
    can_undo: bool
    discarded: list[DiscardedStepOut]
    most: int
    neutral_may_be_chosen: bool
    step_cap: int


class PathStepOut(TypedDict):
    step: int
    text: str
    source: PathStepOutSourceEnum
    great: int
    offered: int
    ratings: list[RatedCompletion]
    chosen: int | None


class PersonRef(TypedDict):
    id: int
    display_name: str


class PrmOut(TypedDict):
    id: int
    name: str
    kind: StepScorerKind
    family: str
    base: str
    dtype: str
    aggregation: str
    scale: ScaleEnum | BlankEnum
    status: PrmStatus
    error: str
    checksum: str
    fingerprint: str
    server: bool
    scored: int
    run: int | None
    labels_used: int | None
    target: TargetEnum
    learned_from: str
    site_wide: bool
    selector: bool
    baseline_not_beaten: list[str]


class PrmRef(TypedDict):
    id: int
    name: str


class PrmTaught(TypedDict):
    run: int
    prm: int | None
    name: str | None
    labels: int


class ProblemCounts(TypedDict):
    new: int
    known: int
    filled: NotRequired[int]
    held_out: NotRequired[int]


class ProjectCounts(TypedDict):
    problems: int
    traces: int
    tasks_wanting: int
    labels_submitted: int
    open_rounds: int


class ProjectOut(TypedDict):
    slug: str
    name: str
    description: str
    status: ProjectStatus
    taken_out_at: NotRequired[str | None]
    role: Role
    default_overlap: int
    default_overlap_most: int
    default_overlap_needed: int
    lease_minutes: int
    revise_window_hours: int
    reference_solution: bool
    reveal_scores: bool
    answer_kind: AnswerKindEnum
    answer_tolerance: float
    session_traces: int
    stalled_hours: int
    hourly_rate: str | None
    currency: str
    gold_per_round: int | None
    screening: bool
    screening_tasks: int
    screening_share: float
    screening_retries: int
    screening_feedback: bool
    rated_unit: RatedUnitEnum
    trains_at_close: bool
    after_error: AfterErrorShape | None
    created_at: str
    counts: ProjectCounts


class RatedCompletion(TypedDict):
    number: int
    text: str
    count: int
    final: bool
    rating: Rating | NullEnum | None
    flagged: bool


class Refusal(TypedDict):
    code: str
    detail: str
    request_id: NotRequired[str]
    fields: NotRequired[dict[str, list[str] | list[dict[str, Any]] | dict[str, Any]]]
    needed: NotRequired[Role]
    status: NotRequired[str]
    stage: NotRequired[str]
    state: NotRequired[str]
    paused: NotRequired[bool]
    retry_at: NotRequired[str]
    allowance: NotRequired[str]
    limit: NotRequired[int]
    host: NotRequired[str]
    bases: NotRequired[list[str]]
    missing: NotRequired[list[FindingOut]]
    contradictions: NotRequired[list[FindingOut]]
    path: NotRequired[PathOut]
    draft: NotRequired[Any | None]
    draft_revision: NotRequired[int]
    counts: NotRequired[dict[str, int]]
    dropped: NotRequired[dict[str, int]]
    problems: NotRequired[int]
    round: NotRequired[int]
    gold: NotRequired[int]
    version: NotRequired[int]
    ruling: NotRequired[int | None]
    promotion: NotRequired[int]
    trace: NotRequired[int]


class ReleaseAuditItem(TypedDict):
    label_audit: int
    arm: str
    finish_reason: str
    verdict: int | None


class ReleaseCardOut(TypedDict):
    markdown: str
    front_matter: str


class ReleaseDiffOut(TypedDict):
    before: ReleaseRef
    after: ReleaseRef
    totals: DiffTotals
    by_round: list[DiffPart]
    by_labeler: list[DiffPart]
    by_source: list[DiffPart]
    rows: list[DiffRowOut]


class ReleaseExport(TypedDict):
    path: str
    id: int
    format: ExportFormat
    rows: int
    labels: int
    sha256: str


class ReleaseOut(TypedDict):
    id: int
    name: str
    version: int
    state: ReleaseState
    status: JobStatus
    created_at: str
    created_by: PersonRef | None
    released_at: str | None
    labels: NotRequired[int | None]
    bytes: int
    supersedes: ReleaseRef | None
    exports: list[ReleaseExport]
    questions: list[ReleaseQuestion]
    overlaps: ReleaseOverlaps | None
    without: list[WithoutLabeler]
    imported_names: list[str]
    is_packed: bool
    files_at_hand: bool
    manifest_sha256: str
    released_by: PersonRef | None
    withdrawn_at: str | None
    withdrawn_by: PersonRef | None
    withdrawn_because: str
    error: str
    targets: list[str]
    pushes: list[ReleasePushOut]


class ReleaseOverlap(TypedDict):
    problem: int
    external_id: str
    text: str
    labels: int
    kind: ReleaseOverlapKindEnum
    held_out: str
    similarity: float
    near_to: str | None


class ReleaseOverlaps(TypedDict):
    problems: int
    exact: int
    near: int
    labels: int
    lists: list[HeldOutList]
    rows: list[ReleaseOverlap]
    measured: NotRequired[list[MeasuredOn]]


class ReleasePushOut(TypedDict):
    id: int
    target: str
    status: JobStatus
    address: str
    error: str
    created_at: str
    created_by: PersonRef | None


class ReleaseQuestion(TypedDict):
    name: str
    title: str
    note: str
    part: PartEnum
    choices: list[str]
    long: bool
    answer: str


class ReleaseRef(TypedDict):
    id: int
    name: str
    version: int
    state: ReleaseState


class ReleaseRuling(TypedDict):
    id: int
    finish_reason: FinishReason
    verdict: int | None
    submitted_at: str


class ReleaseSummary(TypedDict):
    id: int
    name: str
    version: int
    state: ReleaseState
    status: JobStatus
    created_at: str
    created_by: PersonRef | None
    released_at: str | None
    labels: NotRequired[int | None]
    bytes: int


class ReleaseWithLabels(TypedDict):
    id: int
    name: str
    version: int
    state: ReleaseState
    labels: int


class RoundConfigOut(TypedDict):
    source: NotRequired[RoundConfigOutSourceEnum]
    filter: NotRequired[TraceFilter]
    sample_size: NotRequired[int | None]
    by_machine: NotRequired[ByMachineOut | None]
    seed: NotRequired[int]
    mode: NotRequired[ModeEnum]
    k: NotRequired[int]
    ratio: NotRequired[float]
    per_problem_cap: NotRequired[int | None]
    budget: NotRequired[int | None]
    control_share: NotRequired[float]
    mix: NotRequired[MixFields]
    grade: NotRequired[bool]
    rescore: NotRequired[int]
    generate: NotRequired[GenerateIn | None]
    paths: NotRequired[int]
    paths_needed: NotRequired[int]
    paths_most: NotRequired[int]
    completions: NotRequired[int]
    neutral_may_be_chosen: NotRequired[bool]
    step_cap: NotRequired[int]
    generator: NotRequired[NextStepIn | None]
    prm: NotRequired[AskedPrm | None]
    inputs: NotRequired[RoundInputsOut | None]
    import_job: NotRequired[int]
    client_key: NotRequired[str | None]


class RoundCounts(TypedDict):
    tasks: int
    labels_wanted: int
    submitted: int
    open: int
    surplus: int


class RoundInputsOut(TypedDict):
    last_trace_id: int
    problems: NotRequired[int | None]
    grader: NotRequired[GraderOut | None]


class RoundOut(TypedDict):
    id: int
    number: int
    name: str
    status: RoundStatus
    protocol: str
    priority: int
    overlap: int
    overlap_most: int
    overlap_needed: int
    seed: int
    config: RoundConfigOut
    created_by: PersonRef | None
    created_at: str
    opened_at: str | None
    closed_at: str | None
    counts: RoundCounts
    imported: bool
    staged: bool
    prm: PrmRef | None
    error: str
    machine: ShownMarksOut | None
    working: bool
    with_workers: bool
    resume_to: RoundStatus | BlankEnum
    has_selection: bool
    next: NextRoundOut
    training: TrainingAtCloseOfRound


class RoundRef(TypedDict):
    id: int
    number: int
    name: str


class ScoreCounts(TypedDict):
    new: int
    known: int


class ScoreImportOut(TypedDict):
    id: int
    file_name: str
    name: str
    fingerprint: str
    scale: ScaleEnum | BlankEnum
    aggregation: PrmAggregation
    scorer: int | None
    dry_run: bool
    skip_faulty: bool
    status: JobStatus
    created_at: str
    created_by: PersonRef | None
    started_at: str | None
    finished_at: str | None
    progress: ImportProgress
    attempts: int
    report: ScoreReport | None
    error: str


class ScoreReport(TypedDict):
    rows: int
    scores: ScoreCounts
    without_score: int
    faults: Faults
    imported: bool


class ShownMarksOut(TypedDict):
    source: int
    when: MarksShown
    blind_share: float


class SplitterIn(TypedDict):
    kind: SplitterKind
    pattern: NotRequired[str]


class TraceFilter(TypedDict):
    first_error: NotRequired[FirstErrorEnum | BlankEnum]
    error_min: NotRequired[int | None]
    error_max: NotRequired[int | None]
    score_min: NotRequired[float | None]
    score_max: NotRequired[float | None]
    scorer: NotRequired[int | None]
    outcome: NotRequired[Outcome | BlankEnum]
    generator: NotRequired[str]
    source: NotRequired[str]
    subject: NotRequired[str]
    level: NotRequired[str]
    split: NotRequired[SplitEnum | BlankEnum]
    steps_min: NotRequired[int | None]
    steps_max: NotRequired[int | None]
    unlabeled_only: NotRequired[bool]
    ids: NotRequired[list[int]]


class TrainedPrm(TypedDict):
    id: int
    name: str
    status: PrmStatus


class TrainingAtCloseOfRound(TypedDict):
    due: bool
    run: int | None
    name: NotRequired[str]
    error: str


class TrainingDoing(TypedDict):
    what: WhatEnum
    done: int
    total: int
    since: str
    seconds_left: int | None


class TrainingFigure(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int | None
    no_interval: NoIntervalEnum | NullEnum | None
    name: str
    baseline: float | None


class TrainingRunOut(TypedDict):
    id: int
    name: str
    status: JobStatus
    stage: TrainingStage
    base: str
    method: MethodEnum
    target: TargetEnum
    rounds: list[LearnedRound]
    switches: dict[str, str]
    seed: int
    synthetic_errors: int
    layers: int
    dtype: str
    labels: int
    prm: TrainedPrm | None
    figures: list[TrainingFigure]
    error: str
    cancel_requested: bool
    created_by: PersonRef | None
    at_close_of: RoundRef | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    doing: TrainingDoing | None
    points: list[CurvePoint]
    log: list[str]
    data: dict[str, Any]
    sources: list[LearnedSource]
    snapshot_id: str
    learning_curve: LearningCurveOut | None
    report: Any


class TroubleOut(TypedDict):
    code: TroubleOutCodeEnum
    detail: str


class VerdictCounts(TypedDict):
    new: int
    known: int
    filled: int


class WentIntoOut(TypedDict):
    releases: list[ReleaseWithLabels]
    prms: list[PrmTaught]


class WithoutLabeler(TypedDict):
    labeler: str
    labels: int


class WithoutRows(TypedDict):
    labels: int
    no_verdict: NotRequired[int]
    no_run: NotRequired[int]
    other: NotRequired[int]
    leaves_out: str
