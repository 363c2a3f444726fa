import type { ImportFormat, ImportFormats } from "@/api/jobTypes";
import type { ChoiceGroup } from "@/ui/Form";
import { idBeside } from "@/ui/formatWords";

export interface UploadChoice {
  /** A format's name, or "auto". */
  format: string;
  dry_run: boolean;
  skip_faulty: boolean;
  /** Make each row's trace gold; only for admins. */
  as_gold: boolean;
  /** The imported labeler whose labels the recorded ratings become; if empty, they do not become labels. */
  labels_of: string;
  /** The machine whose scores the marks of steps become; if empty, the one that the format names. */
  marks_of: string;
  /** For problems whose rows do not say it. If empty: train, with benchmarks held out. */
  split: "" | "train" | "held_out";
}

export const SPLITS = [
  { value: "", label: "As rows say; benchmarks held out" },
  { value: "train", label: "Train, benchmarks too" },
  { value: "held_out", label: "Held out: to measure on" },
];

/** The hint for the name of the raters, and the message while it is missing. */
export const LABELS_OF =
  "A name for the raters, such as “Mr-Ben experts”. It is used only for rows that name no rater.";
export const LABELS_OF_LACKS = "Enter whose labels they are, for rows that name no rater.";

const GROUPS: { name: string; means: string; holds: (format: ImportFormat) => boolean }[] = [
  { name: "Marked by machines", means: "Marks of steps become scores of a named source.", holds: isMachines },
  { name: "To measure on", means: "Benchmarks: always held out.", holds: (format) => format.always_held_out },
  { name: "Traces and problems", means: "With or without labels or recorded ratings.", holds: () => true },
];

function isMachines(format: ImportFormat): boolean {
  return format.marks_by !== "";
}

/** Return the choices of the form: detect the format, or one of the server's formats, grouped by purpose. */
export function formatGroups({ formats }: ImportFormats): ChoiceGroup<string>[] {
  const group = (format: ImportFormat) => GROUPS.findIndex(({ holds }) => holds(format));
  const groups = GROUPS.map(({ name, means }, index) => ({
    name,
    means,
    choices: formats
      .filter((format) => group(format) === index)
      .map((one) => ({ value: one.name, name: one.title, id: idBeside(one.title, one.name) })),
  }));
  const auto = {
    name: "Any of them",
    means: "The first row decides.",
    choices: [{ value: "auto", name: "Find out", id: "" }],
  };
  return [auto, ...groups.reverse().filter(({ choices }) => choices.length > 0)];
}

/** Return the upload's form. For "auto", no format is sent, and the server detects it from the first row. */
export function importForm(file: File, choice: UploadChoice): FormData {
  const form = new FormData();
  if (choice.format !== "auto") form.set("format", choice.format);
  form.set("dry_run", String(choice.dry_run));
  form.set("skip_faulty", String(choice.skip_faulty));
  if (choice.as_gold) form.set("as_gold", "true");
  if (choice.labels_of.trim()) form.set("labels_of", choice.labels_of.trim());
  else if (choice.marks_of.trim()) form.set("marks_of", choice.marks_of.trim());
  if (choice.split) form.set("split", choice.split);
  form.set("file", file, file.name); // last, so that the server has read the choices before the file's bytes arrive
  return form;
}
