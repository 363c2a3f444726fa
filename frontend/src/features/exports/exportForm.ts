import type {
  Export,
  ExportFormat,
  ExportFormats,
  ExportPreview,
  ExportSwitch,
  LabelSorts,
  NewExport,
} from "@/api/jobTypes";
import type { FinishReason } from "@/api/types";
import { countOf, formatCount, formatDateTime } from "@/ui/format";
import { idBeside } from "@/ui/formatWords";
import { periodAsked } from "@/ui/period";
import { type Split, splitChoices } from "@/ui/splitWords";
import { FINISH_WORDS } from "@/ui/trace/words";

type ContainerName = ExportFormats["containers"][number]["name"];

export const FINISH_REASONS = Object.keys(FINISH_WORDS) as FinishReason[];

export const SPLITS = splitChoices("both");

export const AGREEMENTS = [
  { value: "", label: "all" },
  { value: "agrees", label: "labeled by two or more people who agree" },
  { value: "differs", label: "labeled by two or more people who differ" },
] as const;

const JSON_LINES = "json_lines";
const PACKED = "json_lines.gz";

/** Return the file types: the server's containers, and JSON lines compressed with gzip. */
export function fileChoices({ containers }: Pick<ExportFormats, "containers">) {
  return containers.flatMap(({ name, title, means, ending }) => {
    const choice = { value: name as string, label: `${title} (${ending})`, means };
    const packed = {
      value: PACKED,
      label: `${title}, compressed with gzip (${ending}.gz)`,
      means: "The same content in a smaller file.",
    };
    return name === JSON_LINES ? [choice, packed] : [choice];
  });
}

/** Return the part of the request that is about the file. */
function fileAsked(file: string): Required<Pick<NewExport, "container" | "gzip">> {
  return { container: (file === PACKED ? JSON_LINES : file) as ContainerName, gzip: file === PACKED };
}

/** Return an export's file type in the form's words. */
export function fileWords(
  { container = JSON_LINES, gzip }: Export["config"],
  known: ExportFormats | undefined,
): string {
  const value = gzip ? PACKED : container;
  return (known && fileChoices(known).find((choice) => choice.value === value)?.label) ?? value;
}

export interface ExportForm {
  format: ExportFormat["name"];
  rounds: number[];
  finish: FinishReason[];
  split: Split | "";
  labelers: number[];
  subjects: string[];
  agreement: (typeof AGREEMENTS)[number]["value"];
  /** Days as in a date field, both included; empty for no limit. */
  since: string;
  until: string;
  switches: Record<string, string>;
  file: string;
  roles: Record<string, string>;
  statements: Record<string, string>;
}

export function emptyExport(format: ExportFormat): ExportForm {
  return {
    format: format.name,
    rounds: [],
    finish: [],
    split: "",
    labelers: [],
    subjects: [],
    agreement: "",
    since: "",
    until: "",
    switches: {},
    file: JSON_LINES,
    roles: {},
    statements: {},
  };
}

const BY_LINK = ["hasty", "measured"];
/** The parameters of an address that fill in the form. */
export const EXPORT_LINK = ["round", ...BY_LINK];

/** Return the form that a link asks for: `?round=3&hasty=exclude`. */
export function exportFrom(params: URLSearchParams, format: ExportFormat): ExportForm {
  const rounds = params.getAll("round").map(Number).filter(Number.isSafeInteger);
  const out = BY_LINK.filter((name) => params.get(name) === "exclude");
  const switches = Object.fromEntries(out.map((name) => [name, "exclude"]));
  return { ...emptyExport(format), rounds, switches };
}

/** Return the formats grouped by purpose. */
export function formatGroups({ formats, kinds }: Pick<ExportFormats, "formats" | "kinds">) {
  return kinds.map(({ name: kind, title, means }) => {
    const choices = formats
      .filter((format) => format.kind === kind)
      .map(({ name, title }) => ({ value: name, name: title, id: idBeside(title, name) }));
    return { name: title, means, choices };
  });
}

/** Return the switches that the form shows: those that leave a choice. */
export function askedSwitches(format: ExportFormat): ExportSwitch[] {
  return format.switches.filter((asked) => asked.on_form && asked.choices.length > 1);
}

/** Return what was chosen if the format offers it too, otherwise its default. */
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

/** Return the request's filters. A field without a choice does not filter. */
function filtersAsked({
  rounds,
  finish,
  split,
  labelers,
  subjects,
  agreement,
  since,
  until,
}: ExportForm): NewExport["filters"] {
  const period = periodAsked({ since, until });
  return {
    ...(rounds.length > 0 && { rounds }),
    ...(finish.length > 0 && finish.length < FINISH_REASONS.length && { finish }),
    ...(split && { split }),
    ...(labelers.length > 0 && { labelers }),
    ...(subjects.length > 0 && { subjects }),
    ...(agreement && { agreement }),
    ...(period.since && { since: period.since }),
    ...(period.until && { until: period.until }),
  };
}

/** Return when an export's labels were submitted, as text; null if this was not limited. */
export function timeWords({ since, until }: { since?: string; until?: string }): string | null {
  const parts = [since && `from ${formatDateTime(since)}`, until && `before ${formatDateTime(until)}`];
  return parts.filter(Boolean).join(", ") || null;
}

/** Return the form's request. Choosing nothing means everything, and only switches that the format knows are sent. */
export function newExport(form: ExportForm, format: ExportFormat): NewExport {
  const touched = askedSwitches(format).filter(({ name }) => name in form.switches);
  return {
    format: format.name,
    filters: filtersAsked(form),
    switches: Object.fromEntries(touched.map((asked) => [asked.name, switchValue(form, asked)])),
    ...fileAsked(form.file),
    roles: said(form.roles),
    statements: said(form.statements),
  };
}

/** Return how many of the project's labels a switch affects, as text; empty if not counted, or not known yet. */
export function aboutWords(name: string, sorts: LabelSorts | undefined): string {
  if (!sorts || !(name === "gold" || name === "surplus" || name === "imported")) return "";
  return sorts[name] === 0
    ? "The project has none."
    : `${formatCount(sorts[name])} of ${countOf(sorts.labels, "label")}.`;
}

const LEFT_OUT = {
  gold: "gold or screening",
  surplus: "surplus",
  imported: "imported",
  hasty: "hasty",
  aided: "made or changed after a machine’s view was shown",
  measured: "on problems in evaluation sets",
  one_a_task: "on tasks that another label stands for",
  unsettled: "on tasks that are not settled",
  excluded: "left out by hand",
  labelers: "by labelers who were left out",
};

/** Return, in a sentence, what switches and people kept out of an export; empty if nothing. */
export function leftOutSentence(left_out: Export["left_out"]): string {
  const parts = Object.entries(LEFT_OUT).flatMap(([name, word]) => {
    const count = left_out[name as keyof typeof LEFT_OUT];
    return count ? [`${countOf(count, "label")} that ${count === 1 ? "is" : "are"} ${word}`] : [];
  });
  return parts.length > 0 ? `Left out: ${parts.join(", ")}.` : "";
}

/** Return how many labels an export would have now, and how many were left out of all exports by hand. */
export function wouldHold({ labels, excluded }: ExportPreview): string {
  const others =
    excluded > 0
      ? ` ${countOf(excluded, "matching label")} ${excluded === 1 ? "was" : "were"} left out by hand, under Labels.`
      : "";
  return `The export would hold ${countOf(labels, "label")} now.${others}`;
}

const SILENT = {
  no_verdict: "without a verdict",
  no_run: "on traces that are not runs of this kind",
  other: "with nothing to make rows of",
};

/** Return why labels gave no row, in sentences; empty if each gave one, or if this was not counted. */
export function silentSentence({ without_rows, progress }: Pick<Export, "without_rows" | "progress">): string {
  if (!without_rows?.labels) return "";
  const parts = Object.entries(SILENT).flatMap(([name, words]) => {
    const count = without_rows[name as keyof typeof SILENT];
    return count ? [`${formatCount(count)} ${words}`] : [];
  });
  const whole = `${formatCount(without_rows.labels)} of ${countOf(progress.labels_total, "label")} gave no row`;
  return `${whole}: ${parts.join(", ")}. This format leaves out: ${without_rows.leaves_out}`;
}
