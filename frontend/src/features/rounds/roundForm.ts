import type { NewRound, Project, RoundChoice, RoundSource } from "@/api/projectTypes";
import { type Overlap, overlapFault } from "@/ui/OverlapFields";
import { EMPTY_FILTER, type FilterForm, filterOf, stepsContradict } from "./filterForm";

/** The values of the form for a new round, as typed; `""` is an empty number field. */
export interface RoundForm extends FilterForm {
  name: string;
  source: RoundSource;
  sample_size: number | "";
  seed: number | "";
  overlap: number | "";
  overlap_most: number | "";
  overlap_needed: number | "";
  /** Blank means what suits the traces. */
  protocol: NewRound["protocol"];
  priority: number | "";
  /** For an audit or disagreements: whose marks. For disagreements, also compared with whom; `""` means people. */
  scorer: number | "";
  other: number | "";
  /**
   * In percent: the agreement at which marks are accepted in bulk, and the share drawn without looking at the marks.
   */
  bar: number | "";
  control: number | "";
  miss_costs: number | "";
  /** A source whose marks labelers see; `""` for none. */
  shown: number | "";
  when: "after" | "beside";
  /** In percent: the tasks of an assisted round that show no marks. */
  blind: number | "";
}

export function emptyRoundForm(overlap: Overlap): RoundForm {
  return {
    ...EMPTY_FILTER,
    name: "",
    source: "all",
    sample_size: 100,
    seed: 1,
    overlap: overlap.base,
    overlap_most: overlap.most,
    overlap_needed: overlap.needed,
    protocol: "",
    priority: 0,
    scorer: "",
    other: "",
    bar: "",
    control: 10,
    miss_costs: 1,
    shown: "",
    when: "after",
    blind: 50,
  };
}

/**
 * Return the form that an address asks for: `traces=audit&scorer=4`, `traces=filter&outcome=wrong`,
 * `traces=filter&ids=3,7`.
 */
export function prefilled(form: RoundForm, params: URLSearchParams): RoundForm {
  const source = params.get("traces");
  if (source === "filter") return { ...form, source, ...askedFilter(params) };
  if (source !== "audit" && source !== "disagreement") return form;
  const scorer = Number(params.get("scorer"));
  return { ...form, source, scorer: Number.isInteger(scorer) && scorer > 0 ? scorer : "" };
}

function askedFilter(params: URLSearchParams): FilterForm {
  const whole = (text: string | null) => (text && /^[1-9]\d*$/.test(text) ? Number(text) : "");
  const outcome = params.get("outcome");
  const split = params.get("split");
  const error = params.get("first_error");
  const step = (text: string | null) => (text && /^\d+$/.test(text) ? Number(text) + 1 : "");
  const bound = (text: string | null) => (text && Number.isFinite(Number(text)) ? Number(text) : "");
  return {
    outcome: outcome === "correct" || outcome === "wrong" || outcome === "ungraded" ? outcome : "",
    split: split === "train" || split === "held_out" ? split : "",
    generator: params.get("generator") ?? "",
    subject: params.get("subject") ?? "",
    level: params.get("level") ?? "",
    traceSource: params.get("source") ?? "",
    steps_min: whole(params.get("steps_min")),
    steps_max: whole(params.get("steps_max")),
    unlabeled_only: params.get("unlabeled") === "true",
    first_error: error === "none" || error === "some" || error === "differ" ? error : "",
    error_from: step(params.get("error_min")),
    error_to: step(params.get("error_max")),
    score_min: bound(params.get("score_min")),
    score_max: bound(params.get("score_max")),
    scored_by: whole(params.get("scored_by")),
    ids: (params.get("ids") ?? "")
      .split(",")
      .map(whole)
      .filter((id): id is number => id !== ""),
  };
}

export function drawnByMachine({ source }: RoundForm): boolean {
  return source === "audit" || source === "disagreement";
}

type OverlapForm = Pick<RoundForm, "overlap" | "overlap_most" | "overlap_needed">;

/** Return the overlap as the fields hold it. */
export function overlapOf(form: OverlapForm): Overlap {
  return { base: form.overlap, most: form.overlap_most, needed: form.overlap_needed };
}

/** Return the overlap as it is sent; null while it cannot work. */
export function sentOverlap(form: OverlapForm): Pick<NewRound, keyof OverlapForm> | null {
  if (overlapFault(overlapOf(form)) !== null) return null;
  return {
    overlap: Number(form.overlap),
    overlap_most: Number(form.overlap_most),
    overlap_needed: Number(form.overlap_needed),
  };
}

/** Return a project's own overlap, for a round that has not chosen one yet. */
export function projectOverlap(project: Project): Overlap {
  return {
    base: project.default_overlap,
    most: project.default_overlap_most,
    needed: project.default_overlap_needed,
  };
}

const NO_SAMPLE = { sample_size: null, seed: 0, by_machine: null };

/** Return which traces the form asks for; null while that makes no sense. */
export function roundChoice(form: RoundForm): RoundChoice | null {
  if (form.source === "all") return { source: "all", filter: {}, ...NO_SAMPLE };
  const filter = filterOf(form);
  if (stepsContradict(form)) return null;
  if (form.source === "filter") return { source: "filter", filter, ...NO_SAMPLE };
  if (form.sample_size === "" || form.sample_size < 1) return null;
  const drawn = { filter, sample_size: form.sample_size, seed: form.seed === "" ? 0 : form.seed };
  if (form.source === "sample") return { source: "sample", ...drawn, by_machine: null };
  const by_machine = byMachine(form);
  return by_machine && { source: form.source, ...drawn, by_machine };
}

/** Return by whose marks the traces are drawn; null while that is not chosen. */
function byMachine(form: RoundForm): RoundChoice["by_machine"] {
  if (form.scorer === "" || form.scorer === form.other) return null;
  const bar = form.bar === "" ? null : form.bar / 100;
  if (form.source === "audit") return { scorer: form.scorer, other: null, control_share: 0.1, miss_costs: 1, bar };
  if (form.control === "" || form.miss_costs === "") return null;
  const other = form.other === "" ? null : form.other;
  return { scorer: form.scorer, other, control_share: form.control / 100, miss_costs: form.miss_costs, bar: null };
}

/** Return the request that opens the round; null while the form is incomplete. The seed also orders the queue. */
export function newRound(form: RoundForm, clientKey: string): NewRound | null {
  const choice = roundChoice(form);
  const overlap = sentOverlap(form);
  if (choice === null || overlap === null || form.blind === "") return null;
  return {
    ...choice,
    seed: form.seed === "" ? 0 : form.seed,
    name: form.name.trim(),
    ...overlap,
    protocol: form.protocol,
    priority: form.priority === "" ? 0 : form.priority,
    machine: form.shown === "" ? null : { source: form.shown, when: form.when, blind_share: form.blind / 100 },
    client_key: clientKey,
  };
}
