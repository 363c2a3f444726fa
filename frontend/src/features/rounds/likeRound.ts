/** A new round like an earlier one: fills each form with that round's settings. Pure. */
import type { Round, RoundSource } from "@/api/projectTypes";
import { filterFormOf } from "./filterForm";
import { saidK } from "./kOfMode";
import { EMPTY_PATH_FORM, type PathForm } from "./pathForm";
import type { RoundForm } from "./roundForm";
import { rulesFormOf } from "./rulesForm";
import type { StagedForm } from "./stagedForm";

export type RoundKind = "plain" | "convincing" | "path";

const SOURCES: string[] = ["all", "filter", "sample", "audit", "disagreement"] satisfies RoundSource[];

/** Return which form made the round; null if none did (imported labels, a screening). */
export function kindOf({ config, imported, status }: Pick<Round, "config" | "imported" | "status">): RoundKind | null {
  if (imported || status === "screening") return null;
  if (config.source === "problems") return "path";
  if (config.source === "prm") return "convincing";
  return SOURCES.includes(config.source ?? "") ? "plain" : null;
}

const percent = (share: number | null | undefined, otherwise: number | "") =>
  share == null ? otherwise : Number((share * 100).toFixed(4));

/** Use the next seed: the same one would draw the same traces. */
const nextSeed = (round: Round) => round.seed + 1;

const queueOf = (round: Round) => ({
  overlap: round.overlap,
  overlap_most: round.overlap_most,
  overlap_needed: round.overlap_needed,
  priority: round.priority,
});

export function plainLike(form: RoundForm, round: Round): RoundForm {
  const { config, machine } = round;
  const by = config.by_machine;
  return {
    ...form,
    ...filterFormOf(config.filter),
    ...queueOf(round),
    source: config.source as RoundSource,
    sample_size: config.sample_size ?? form.sample_size,
    seed: nextSeed(round),
    protocol: protocolLike(round),
    scorer: by?.scorer.id ?? "",
    other: by?.other?.id ?? "",
    bar: percent(by?.bar, ""),
    control: percent(by?.control_share, form.control),
    miss_costs: by?.miss_costs ?? form.miss_costs,
    shown: machine?.source ?? "",
    when: machine?.when ?? form.when,
    blind: percent(machine?.blind_share, form.blind),
  };
}

export function stagedLike(form: StagedForm, round: Round): StagedForm {
  const { config } = round;
  const { generate } = config;
  const rules = rulesFormOf({ ...config, seed: nextSeed(round) });
  return {
    ...form,
    ...filterFormOf(config.filter),
    ...rules,
    ...saidK(rules),
    ...queueOf(round),
    prm: round.prm?.id ?? null,
    grade: config.grade ?? form.grade,
    rescore: config.rescore ?? form.rescore,
    protocol: protocolLike(round),
    generating: generate != null,
    ...(generate && {
      server: generate.generator,
      model: generate.model,
      // A built-in prompt named by a command is left to the form, where it is chosen again.
      prompt: generate.prompt.includes("{problem}") ? generate.prompt : form.prompt,
      temperature: generate.temperature ?? form.temperature,
      top_p: generate.top_p ?? form.top_p,
      n: generate.n ?? form.n,
      max_tokens: generate.max_tokens ?? form.max_tokens,
      stop: (generate.stop ?? []).map((text) => text.replaceAll("\n", "\\n")).join("\n"),
      generate_seed: (generate.seed ?? 0) + 1,
      splitter: generate.splitter?.kind ?? form.splitter,
      pattern: generate.splitter?.pattern ?? "",
    }),
  };
}

export function pathLike(round: Round): PathForm {
  const { config } = round;
  const { generator } = config;
  return {
    ...EMPTY_PATH_FORM,
    subject: config.filter?.subject ?? "",
    level: config.filter?.level ?? "",
    sample_size: config.sample_size ?? "",
    seed: nextSeed(round),
    paths: config.paths ?? EMPTY_PATH_FORM.paths,
    paths_needed: config.paths_needed ?? 0,
    paths_most: config.paths_most ?? 0,
    completions: config.completions ?? EMPTY_PATH_FORM.completions,
    neutral: config.neutral_may_be_chosen ?? false,
    step_cap: config.step_cap ?? EMPTY_PATH_FORM.step_cap,
    priority: round.priority,
    ...(generator && {
      server: generator.generator,
      model: generator.model,
      prompt: generator.prompt.includes("{problem}") ? generator.prompt : "",
      temperature: generator.temperature ?? EMPTY_PATH_FORM.temperature,
      max_tokens: generator.max_tokens ?? EMPTY_PATH_FORM.max_tokens,
    }),
  };
}

/** Return the protocol as it was named; blank only if the form does not offer it. */
function protocolLike({ protocol }: Round): RoundForm["protocol"] {
  return protocol === "first_error" || protocol === "every_step" ? protocol : "";
}
