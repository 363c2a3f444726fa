/**
 * Limits of what requests may hold, written from the API's schema (`make schema`): do not edit. They have the names of
 * a field's attributes: `<TextInput {...limits.OpenRoundIn.name} />`.
 */

export const AcceptAnswerIn = {
  reason: { maxLength: 5000 },
  answer: { maxLength: 2000 },
} as const;

export const AcceptInvitationIn = {
  username: { maxLength: 150 },
  password: { maxLength: 1000 },
  display_name: { maxLength: 120 },
} as const;

export const Act = {
  step: { min: 0, max: 10000 },
  comment: { maxLength: 2000 },
} as const;

export const BeginSignInIn = {
  next: { maxLength: 2000 },
} as const;

export const BlindReviewIn = {
  note: { maxLength: 5000 },
} as const;

export const ByMachineIn = {
  control_share: { min: 0, max: 0.9 },
  miss_costs: { min: 0.1, max: 10 },
  bar: { min: 0.5, max: 0.999 },
} as const;

export const Calculation = {
  input: { maxLength: 500 },
  result: { maxLength: 1000 },
} as const;

export const CarriedMark = {
  step: { min: 0, max: 10000 },
} as const;

export const ChangeGoldIn = {
  explanation: { maxLength: 5000 },
  paragraph: { maxLength: 5000 },
} as const;

export const ChangeLabelsIn = {
  tag: { maxLength: 40 },
  because: { maxLength: 500 },
} as const;

export const ChangePasswordIn = {
  old_password: { maxLength: 1000 },
  new_password: { maxLength: 1000 },
} as const;

export const ChangeProjectIn = {
  name: { maxLength: 120 },
  description: { maxLength: 5000 },
  default_overlap: { min: 1, max: 20 },
  default_overlap_most: { min: 0, max: 20 },
  default_overlap_needed: { min: 0, max: 20 },
  lease_minutes: { min: 1, max: 1440 },
  revise_window_hours: { min: 0, max: 8760 },
  answer_tolerance: { min: 0, max: 1 },
  stalled_hours: { min: 1, max: 720 },
  gold_per_round: { min: 0, max: 50 },
  screening_tasks: { min: 1, max: 200 },
  screening_share: { min: 0.01, max: 1 },
  screening_retries: { min: 0, max: 20 },
} as const;

export const ChangeWebhookIn = {
  url: { maxLength: 500 },
} as const;

export const CheckIn = {
  password: { maxLength: 1000 },
  code: { maxLength: 40 },
} as const;

export const ChooseTracesIn = {
  sample_size: { min: 1, max: 10000000 },
  seed: { min: 0, max: 9007199254740991 },
} as const;

export const ClaimIn = {
  ahead: { min: 0, max: 5 },
} as const;

export const CodeIn = {
  code: { maxLength: 20 },
} as const;

export const Comment = {
  step: { min: 0, max: 10000 },
  text: { maxLength: 20000 },
} as const;

export const CompletionRating = {
  number: { min: 0, max: 10000 },
} as const;

export const Confirmation = {
  code: { maxLength: 60 },
  reason: { maxLength: 20000 },
} as const;

export const ConnectPrmIn = {
  name: { maxLength: 100 },
  folder: { maxLength: 300 },
  reference: { maxLength: 300 },
  server: { maxLength: 100 },
  model: { maxLength: 300 },
  learned_from: { maxLength: 300 },
} as const;

export const CorrectAnswerIn = {
  reason: { maxLength: 5000 },
  answer: { maxLength: 2000 },
} as const;

export const CreateLabelAuditIn = {
  labels: { min: 2, max: 500 },
  control_share: { min: 0.05, max: 0.9 },
  seed: { min: 0, max: 9007199254740991 },
} as const;

export const CreateProjectIn = {
  slug: { maxLength: 60 },
  name: { maxLength: 120 },
  description: { maxLength: 5000 },
} as const;

export const CreateSourceIn = {
  name: { maxLength: 100 },
} as const;

export const DismissIn = {
  reason: { maxLength: 5000 },
} as const;

export const DraftIn = {
  base_revision: { min: 0, max: 2147483646 },
} as const;

export const DraftReleaseIn = {
  name: { maxLength: 100 },
} as const;

export const EvaluationIn = {
  threshold: { min: 0.01, max: 0.99 },
  best_of: { min: 0, max: 256 },
} as const;

export const EvaluationSetIn = {
  name: { maxLength: 100 },
  recorded: { maxLength: 100 },
} as const;

export const ExplainingShape = {
  generator: { maxLength: 60 },
  model: { maxLength: 200 },
  explanations: { min: 0, max: 6 },
  alternatives: { min: 0, max: 6 },
  ahead: { min: 0, max: 5 },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0.01, max: 1 },
  max_tokens: { min: 16, max: 4096 },
  seed: { min: 0, max: 2147483647 },
} as const;

export const FindRowIn = {
  row: { maxLength: 2000000 },
  file: { maxLength: 200 },
} as const;

export const FinishDetail = {
  text: { maxLength: 20000 },
} as const;

export const ForgetPersonIn = {
  username: { maxLength: 150 },
  again: { maxLength: 150 },
} as const;

export const ForgotPasswordIn = {
  name: { maxLength: 254 },
} as const;

export const GenerateIn = {
  generator: { maxLength: 100 },
  model: { maxLength: 200 },
  prompt: { maxLength: 20000 },
  temperature: { min: 0, max: 5 },
  top_p: { min: 0.01, max: 1 },
  n: { min: 1, max: 10000 },
  max_tokens: { min: 1, max: 1000000 },
  seed: { min: 0, max: 9007199254740991 },
} as const;

export const GuidelineIn = {
  body: { maxLength: 200000 },
} as const;

export const HoldNextIn = {
  after: { min: 0, max: 10000 },
} as const;

export const ImportCheckedIn = {
  marks_of: { maxLength: 100 },
  labels_of: { maxLength: 120 },
} as const;

export const ImportIn = {
  labels_of: { maxLength: 120 },
  marks_of: { maxLength: 100 },
} as const;

export const InvitationIn = {
  days: { min: 1, max: 90 },
  username: { maxLength: 150 },
} as const;

export const JudgeIn = {
  votes: { min: 1, max: 64 },
  again: { min: 0, max: 8 },
} as const;

export const LabelFiltersIn = {
  step: { min: 0, max: 10000 },
  tag: { maxLength: 40 },
  q: { maxLength: 200 },
} as const;

export const LogInIn = {
  username: { maxLength: 150 },
  password: { maxLength: 1000 },
  code: { maxLength: 40 },
} as const;

export const MakeGoldIn = {
  explanation: { maxLength: 5000 },
  paragraph: { maxLength: 5000 },
} as const;

export const Mistake = {
  explanation: { maxLength: 20000 },
  corrected_step: { maxLength: 20000 },
} as const;

export const MixIn = {
  disagreement: { min: 0, max: 1 },
  wavering: { min: 0, max: 1 },
  unsure: { min: 0, max: 1 },
  like: { min: 0, max: 1 },
  typical: { min: 0, max: 1 },
} as const;

export const NewPasskeyIn = {
  name: { maxLength: 80 },
} as const;

export const NewPasswordIn = {
  token: { maxLength: 100 },
  new_password: { maxLength: 1000 },
} as const;

export const NextStepIn = {
  generator: { maxLength: 100 },
  model: { maxLength: 200 },
  prompt: { maxLength: 20000 },
  temperature: { min: 0, max: 5 },
  top_p: { min: 0.01, max: 1 },
  max_tokens: { min: 1, max: 100000 },
  seed: { min: 0, max: 9007199254740991 },
} as const;

export const ObjectionIn = {
  text: { maxLength: 2000 },
} as const;

export const OpenPathRoundIn = {
  sample_size: { min: 1, max: 20000 },
  seed: { min: 0, max: 9007199254740991 },
  paths: { min: 1, max: 5 },
  paths_needed: { min: 0, max: 20 },
  paths_most: { min: 0, max: 20 },
  completions: { min: 1, max: 7 },
  step_cap: { min: 1, max: 200 },
  name: { maxLength: 120 },
  priority: { min: -1000, max: 1000 },
} as const;

export const OpenRoundIn = {
  overlap: { min: 1, max: 20 },
  overlap_most: { min: 0, max: 20 },
  overlap_needed: { min: 0, max: 20 },
  sample_size: { min: 1, max: 10000000 },
  seed: { min: 0, max: 9007199254740991 },
  name: { maxLength: 120 },
  priority: { min: -1000, max: 1000 },
} as const;

export const OwnKindShape = {
  title: { maxLength: 80 },
  about: { maxLength: 300 },
} as const;

export const OwnReplyIn = {
  step: { min: 0, max: 10000 },
  text: { maxLength: 5000 },
} as const;

export const PagePreferences = {
  text_size: { min: 80, max: 160 },
  dwell_seconds: { min: 0, max: 30 },
  goal: { min: 0, max: 1000 },
  rest_minutes: { min: 0, max: 240 },
  tasks_ahead: { min: 1, max: 5 },
} as const;

export const PathRoundIn = {
  sample_size: { min: 1, max: 20000 },
  seed: { min: 0, max: 9007199254740991 },
  paths: { min: 1, max: 5 },
  paths_needed: { min: 0, max: 20 },
  paths_most: { min: 0, max: 20 },
  completions: { min: 1, max: 7 },
  step_cap: { min: 1, max: 200 },
} as const;

export const PauseIn = {
  reason: { maxLength: 500 },
} as const;

export const PoolCountIn = {
  k: { min: 1, max: 10000000 },
  ratio: { min: 0, max: 1 },
  per_problem_cap: { min: 1, max: 10000000 },
  budget: { min: 1, max: 10000000 },
  control_share: { min: 0, max: 0.9 },
  seed: { min: 0, max: 9007199254740991 },
  rescore: { min: 0, max: 10000 },
} as const;

export const PreviewJudgeIn = {
  prompt: { maxLength: 20000 },
  answer: { maxLength: 100000 },
} as const;

export const PreviewSplitterIn = {
  pattern: { maxLength: 100 },
  text: { maxLength: 100000 },
} as const;

export const ProblemFilter = {
  subject: { maxLength: 100 },
  level: { maxLength: 40 },
} as const;

export const PromoteIn = {
  note: { maxLength: 500 },
} as const;

export const PruneIn = {
  days: { min: 7, max: 3650 },
} as const;

export const PushExportIn = {
  target: { maxLength: 100 },
} as const;

export const PushReleaseIn = {
  target: { maxLength: 100 },
} as const;

export const ReasonIn = {
  reason: { maxLength: 5000 },
} as const;

export const ReleaseIn = {
  reason: { maxLength: 500 },
} as const;

export const RepairSplitIn = {
  reason: { maxLength: 5000 },
} as const;

export const ReplyIn = {
  step: { min: 0, max: 10000 },
  text: { maxLength: 5000 },
} as const;

export const Report = {
  step: { min: 0, max: 10000 },
  text: { maxLength: 20000 },
} as const;

export const ResumeSourceRunIn = {
  token_budget: { min: 1, max: 1000000000000000 },
  money_budget: { min: 0.0001, max: 1000000000 },
} as const;

export const RetireGoldIn = {
  reason: { maxLength: 500 },
} as const;

export const RolloutsIn = {
  n: { min: 1, max: 256 },
  threshold: { min: 0.01, max: 0.99 },
  budget: { min: 1, max: 10000 },
} as const;

export const RunMarks = {
  decisive_error: { min: 0, max: 10000 },
  recovered_at: { min: 0, max: 10000 },
  comment: { maxLength: 20000 },
} as const;

export const RunSourceIn = {
  token_budget: { min: 1, max: 1000000000000000 },
  money_budget: { min: 0.0001, max: 1000000000 },
} as const;

export const SamplingIn = {
  generator: { maxLength: 100 },
  model: { maxLength: 200 },
  prompt: { maxLength: 20000 },
  temperature: { min: 0, max: 5 },
  top_p: { min: 0.01, max: 1 },
  max_tokens: { min: 1, max: 1000000 },
  seed: { min: 0, max: 9007199254740991 },
  price_in: { min: 0, max: 1000000 },
  price_out: { min: 0, max: 1000000 },
} as const;

export const SaveLabelViewIn = {
  name: { maxLength: 60 },
} as const;

export const ScheduleNextIn = {
  at: { min: 1, max: 100 },
} as const;

export const ScoreImportIn = {
  name: { maxLength: 100 },
  fingerprint: { maxLength: 64 },
  learned_from: { maxLength: 300 },
} as const;

export const SelectionRulesIn = {
  k: { min: 1, max: 10000000 },
  ratio: { min: 0, max: 1 },
  per_problem_cap: { min: 1, max: 10000000 },
  budget: { min: 1, max: 10000000 },
  control_share: { min: 0, max: 0.9 },
  seed: { min: 0, max: 9007199254740991 },
} as const;

export const SettleTaskIn = {
  note: { maxLength: 5000 },
} as const;

export const ShowRestIn = {
  more: { min: 0, max: 2 },
} as const;

export const ShownMarksIn = {
  blind_share: { min: 0.1, max: 0.9 },
} as const;

export const SpanField = {
  step: { min: 0, max: 10000 },
} as const;

export const SplitterIn = {
  pattern: { maxLength: 100 },
} as const;

export const StartRoundIn = {
  overlap: { min: 1, max: 20 },
  overlap_most: { min: 0, max: 20 },
  overlap_needed: { min: 0, max: 20 },
  k: { min: 1, max: 10000000 },
  ratio: { min: 0, max: 1 },
  per_problem_cap: { min: 1, max: 10000000 },
  budget: { min: 1, max: 10000000 },
  control_share: { min: 0, max: 0.9 },
  seed: { min: 0, max: 9007199254740991 },
  rescore: { min: 0, max: 10000 },
  name: { maxLength: 120 },
  priority: { min: -1000, max: 1000 },
} as const;

export const SubmitIn = {
  noticed_at_step: { min: 0, max: 10000 },
  total_ms: { min: 0, max: 1099511627776 },
  client_build: { maxLength: 60 },
} as const;

export const SubmitStepIn = {
  human: { maxLength: 20000 },
  final_answer: { maxLength: 1000 },
} as const;

export const SuggestionRating = {
  step: { min: 0, max: 10000 },
  number: { min: 1, max: 1000 },
} as const;

export const SuggestionsIn = {
  step: { min: 0, max: 10000 },
} as const;

export const TaughtBy = {
  weight: { min: 0.001, max: 1 },
} as const;

export const TokenIn = {
  name: { maxLength: 80 },
  days: { min: 1, max: 3650 },
} as const;

export const TraceFilter = {
  error_min: { min: 0, max: 10000 },
  error_max: { min: 0, max: 10000 },
  score_min: { min: -1000000000, max: 1000000000 },
  score_max: { min: -1000000000, max: 1000000000 },
  generator: { maxLength: 200 },
  source: { maxLength: 100 },
  subject: { maxLength: 100 },
  level: { maxLength: 40 },
  steps_min: { min: 1, max: 10000 },
  steps_max: { min: 1, max: 10000 },
} as const;

export const TrainingRunIn = {
  name: { maxLength: 80 },
  base: { maxLength: 100 },
  seed: { min: 0, max: 9007199254740991 },
  synthetic_errors: { min: 0, max: 8 },
  layers: { min: 0, max: 1000 },
} as const;

export const TryPrmIn = {
  problem: { maxLength: 20000 },
} as const;

export const WebhookIn = {
  url: { maxLength: 500 },
} as const;

export const WithdrawReleaseIn = {
  because: { maxLength: 2000 },
} as const;

export const WithoutLabelerIn = {
  labeler: { maxLength: 200 },
} as const;
