import type { ImportFormats } from "@/api/jobTypes";
import type { Choice } from "@/ui/Form";

export interface UploadChoice {
  /** A format's name, or "auto". */
  format: string;
  dry_run: boolean;
  skip_faulty: boolean;
  /** Each row's trace becomes gold; only an admin may. */
  as_gold: boolean;
  /** The imported labeler whose labels recorded ratings become; empty: they become none. */
  labels_of: string;
  /** Of problems whose rows do not say it; empty: train, and benchmarks held out. */
  split: "" | "train" | "held_out";
}

export const SPLITS = [
  { value: "", label: "As rows say; benchmarks held out" },
  { value: "train", label: "Train, benchmarks too" },
  { value: "held_out", label: "Held out: to measure on" },
];

/** What the form offers: to find it out, or one of the formats that the server lists. */
export function formatChoices({ formats }: ImportFormats): Choice<string>[] {
  return [
    { value: "auto", name: "Find out", means: "The first row decides which of the others it is." },
    ...formats.map(({ name, title, means }) => ({ value: name, name: title, means })),
  ];
}

/** The upload's form. "auto" is sent as no format: the server then reads it off the first row. */
export function importForm(file: File, choice: UploadChoice): FormData {
  const form = new FormData();
  if (choice.format !== "auto") form.set("format", choice.format);
  form.set("dry_run", String(choice.dry_run));
  form.set("skip_faulty", String(choice.skip_faulty));
  if (choice.as_gold) form.set("as_gold", "true");
  if (choice.labels_of.trim()) form.set("labels_of", choice.labels_of.trim());
  if (choice.split) form.set("split", choice.split);
  form.set("file", file, file.name); // last: the server has read the choices before the file's bytes arrive
  return form;
}
