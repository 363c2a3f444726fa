import * as limits from "@/api/limits";
import type { NewPathRound, PathRoundQuestion } from "@/api/pathTypes";

/** The values of the form for a round of paths, as typed; `""` is an empty number field. */
export interface PathForm {
  name: string;
  subject: string;
  level: string;
  sample_size: number | "";
  seed: number | "";
  paths: number | "";
  /** How many paths must reach the same answer, from at most how many labelers; 0 if no more labelers are asked. */
  paths_needed: number | "";
  paths_most: number | "";
  completions: number | "";
  neutral: boolean;
  step_cap: number | "";
  priority: number | "";
  /** Where completions come from: the name of a generator; if empty, the steps that the project already has. */
  server: string;
  model: string;
  /** If empty, the built-in prompt. */
  prompt: string;
  temperature: number | "";
  max_tokens: number | "";
}

export const EMPTY_PATH_FORM: PathForm = {
  name: "",
  subject: "",
  level: "",
  sample_size: "",
  seed: 1,
  paths: 1,
  paths_needed: 0,
  paths_most: 0,
  completions: 7,
  neutral: false,
  step_cap: 60,
  priority: 0,
  server: "",
  model: "",
  prompt: "",
  temperature: 1,
  max_tokens: 512,
};

/** The name of the built-in prompt. */
const OWN_PROMPT = "next_step";

const RANGES = ["paths", "completions", "step_cap"] as const;

/** Return what is wrong with each field, as text. A correct field has no entry. */
export function pathFaults(form: PathForm): Partial<Record<keyof PathForm, string>> {
  const faults: Partial<Record<keyof PathForm, string>> = {};
  for (const name of RANGES) {
    const { min, max } = limits.OpenPathRoundIn[name];
    const value = form[name];
    if (value === "" || value < min || value > max) faults[name] = `From ${min} to ${max}.`;
  }
  const overlap = answersFault(form);
  if (overlap) faults.paths_most = overlap;
  if (form.sample_size !== "" && form.sample_size < 1) faults.sample_size = "At least 1, or empty.";
  if (form.server === "") return faults;
  if (form.model.trim() === "") faults.model = "Enter the server’s name for the model.";
  const { temperature } = limits.NextStepIn;
  if (form.temperature === "" || form.temperature < temperature.min || form.temperature > temperature.max)
    faults.temperature = `From ${temperature.min} to ${temperature.max}.`;
  if (form.max_tokens === "" || form.max_tokens < 1) faults.max_tokens = "At least 1.";
  const misses = ["{problem}", "{steps}"].filter((part) => !form.prompt.includes(part));
  if (form.prompt.trim() !== "" && misses.length > 0)
    faults.prompt = `Say with ${misses.join(" and ")} where that goes.`;
  return faults;
}

/** Return why answers cannot be made to agree like this; null if they can. The server says the same. */
function answersFault({ paths, paths_needed: needed, paths_most: most }: PathForm): string | null {
  if (most === 0 && needed === 0) return null;
  if (paths === "" || paths < 2) return "At least two: a single labeler has nobody to differ from.";
  const { max } = limits.OpenPathRoundIn.paths_most;
  if (most === "" || most < paths || most > max) return `From ${paths} to ${max}.`;
  return needed === "" || needed < 1 || needed > most ? `The number of paths that must agree: 1 to ${most}.` : null;
}

/** Return which problems, and where their completions come from; null while a field has a fault. */
export function pathQuestion(form: PathForm): PathRoundQuestion | null {
  if (Object.keys(pathFaults(form)).length > 0) return null;
  const named = (text: string) => (text.trim() === "" ? undefined : text.trim());
  return {
    filter: { subject: named(form.subject), level: named(form.level) },
    sample_size: form.sample_size === "" ? null : form.sample_size,
    seed: Number(form.seed),
    paths: Number(form.paths),
    paths_needed: Number(form.paths_needed),
    paths_most: Number(form.paths_most),
    completions: Number(form.completions),
    neutral_may_be_chosen: form.neutral,
    step_cap: Number(form.step_cap),
    generator: form.server === "" ? null : generatorOf(form),
  };
}

function generatorOf(form: PathForm): NonNullable<PathRoundQuestion["generator"]> {
  return {
    generator: form.server,
    model: form.model.trim(),
    prompt: form.prompt.trim() === "" ? OWN_PROMPT : form.prompt,
    temperature: Number(form.temperature),
    top_p: 1,
    max_tokens: Number(form.max_tokens),
    stop: [],
    seed: Number(form.seed),
  };
}

/** Return the request that opens the round; null while the form is incomplete. */
export function newPathRound(form: PathForm, clientKey: string): NewPathRound | null {
  const question = pathQuestion(form);
  return question && { ...question, name: form.name.trim(), priority: Number(form.priority), client_key: clientKey };
}
