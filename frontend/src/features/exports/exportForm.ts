import type { ExportFormat, NewExport } from "@/api/jobTypes";
import type { FinishReason } from "@/api/types";
import { FINISH_WORDS } from "@/ui/trace/words";

export interface SwitchChoice {
  name: string;
  label: string;
  /** The first is the default. */
  values: { value: string; label: string }[];
  formats: ExportFormat[];
}

/** What an export can be asked to do differently; the server knows the same names. */
export const SWITCHES: SwitchChoice[] = [
  {
    name: "neutral",
    label: "Neutral ratings",
    values: [
      { value: "keep3", label: "kept as 0" },
      { value: "positive", label: "count as positive" },
      { value: "negative", label: "count as negative" },
      { value: "drop", label: "left out" },
    ],
    formats: ["neutral"],
  },
  {
    name: "after_error",
    label: "Steps after the first error",
    values: [
      { value: "keep_unlabelled", label: "kept, unlabelled" },
      { value: "truncate", label: "cut off" },
      { value: "fill_negative", label: "filled with −1" },
    ],
    formats: ["neutral"],
  },
  {
    name: "alternatives",
    label: "Alternative steps",
    values: [
      { value: "none", label: "left out" },
      { value: "rows", label: "as rows of their own" },
    ],
    formats: ["neutral"],
  },
  {
    name: "human_steps",
    label: "Steps that labelers wrote",
    values: [
      { value: "include", label: "included" },
      { value: "exclude", label: "left out" },
    ],
    formats: ["neutral"],
  },
  {
    name: "aggregate",
    label: "Labels of one task",
    values: [
      { value: "each", label: "every one" },
      { value: "adjudicated", label: "one: the ruling, or what nobody disputes" },
    ],
    formats: ["neutral"],
  },
  {
    name: "surplus",
    label: "Surplus labels",
    values: [
      { value: "include", label: "included" },
      { value: "exclude", label: "left out" },
    ],
    formats: ["prm800k", "neutral"],
  },
];

export const FINISH_REASONS = Object.keys(FINISH_WORDS) as FinishReason[];

export interface ExportForm {
  format: ExportFormat;
  rounds: number[];
  finish: FinishReason[];
  split: "" | "train" | "held_out";
  switches: Record<string, string>;
  gzip: boolean;
  roles: Record<string, string>;
  statements: Record<string, string>;
}

export const EMPTY_EXPORT: ExportForm = {
  format: "prm800k",
  rounds: [],
  finish: [],
  split: "",
  switches: {},
  gzip: false,
  roles: {},
  statements: {},
};

function said(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text !== ""),
  );
}

/** The request the form stands for: nothing chosen means everything, and only switches the format knows are sent. */
export function newExport(form: ExportForm): NewExport {
  const known = new Set(SWITCHES.filter((choice) => choice.formats.includes(form.format)).map((choice) => choice.name));
  const filters: NewExport["filters"] = {};
  if (form.rounds.length > 0) filters.rounds = form.rounds;
  if (form.finish.length > 0 && form.finish.length < FINISH_REASONS.length) filters.finish = form.finish;
  if (form.split) filters.split = form.split;
  const roles = said(form.roles);
  const statements = said(form.statements);
  return {
    format: form.format,
    filters,
    switches: Object.fromEntries(Object.entries(form.switches).filter(([name]) => known.has(name))),
    gzip: form.gzip,
    ...(Object.keys(roles).length > 0 ? { roles } : {}),
    ...(Object.keys(statements).length > 0 ? { statements } : {}),
  };
}

export const ROLES: { name: string; label: string }[] = [
  { name: "base_model", label: "Base model" },
  { name: "policy_model", label: "Policy model" },
  { name: "orm", label: "Outcome reward model" },
  { name: "prm", label: "Process reward model" },
  { name: "automated_judge", label: "Automated judge" },
  { name: "human_label_source", label: "Human label source" },
  { name: "tool_scaffold", label: "Tool scaffold" },
  { name: "deployment_monitor", label: "Deployment monitor" },
];

export const STATEMENTS: { name: string; label: string }[] = [
  { name: "process_supervised", label: "What process was supervised?" },
  { name: "labels_produced", label: "How were the labels produced?" },
  { name: "tested_where", label: "Where was it tested?" },
  { name: "failures_remaining", label: "What failures remain?" },
];
