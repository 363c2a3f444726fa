import type { ExportFormat, ExportSwitch, NewExport } from "@/api/jobTypes";
import type { FinishReason } from "@/api/types";
import { FINISH_WORDS } from "@/ui/trace/words";

export const FINISH_REASONS = Object.keys(FINISH_WORDS) as FinishReason[];

export interface ExportForm {
  format: ExportFormat["name"];
  rounds: number[];
  finish: FinishReason[];
  split: "" | "train" | "held_out";
  switches: Record<string, string>;
  gzip: boolean;
  roles: Record<string, string>;
  statements: Record<string, string>;
}

export function emptyExport(format: ExportFormat): ExportForm {
  return {
    format: format.name,
    rounds: [],
    finish: [],
    split: "",
    switches: {},
    gzip: false,
    roles: {},
    statements: {},
  };
}

/** The switches that the form shows: those that leave a choice. */
export function askedSwitches(format: ExportFormat): ExportSwitch[] {
  return format.switches.filter((asked) => asked.on_form && asked.choices.length > 1);
}

/** What was chosen, where the format has that choice too; else its default. */
export function switchValue(form: ExportForm, { name, choices }: ExportSwitch): string {
  const chosen = choices.find(({ value }) => value === form.switches[name]) ?? choices[0];
  return chosen?.value ?? "";
}

function said(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text !== ""),
  );
}

/** The request the form stands for: nothing chosen means everything, and only switches the format knows are sent. */
export function newExport(form: ExportForm, format: ExportFormat): NewExport {
  const touched = askedSwitches(format).filter(({ name }) => name in form.switches);
  const filters: NewExport["filters"] = {};
  if (form.rounds.length > 0) filters.rounds = form.rounds;
  if (form.finish.length > 0 && form.finish.length < FINISH_REASONS.length) filters.finish = form.finish;
  if (form.split) filters.split = form.split;
  return {
    format: form.format,
    filters,
    switches: Object.fromEntries(touched.map((asked) => [asked.name, switchValue(form, asked)])),
    gzip: form.gzip,
    roles: said(form.roles),
    statements: said(form.statements),
  };
}
