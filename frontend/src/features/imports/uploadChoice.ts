import type { ImportFormat } from "@/api/jobTypes";
import type { Choice } from "@/ui/Form";

export interface UploadChoice {
  format: ImportFormat | "auto";
  dry_run: boolean;
  skip_faulty: boolean;
  /** Each row's trace becomes gold; only an admin may. */
  as_gold: boolean;
}

export const FORMATS: Choice<UploadChoice["format"]>[] = [
  { value: "auto", name: "Find out", means: "The first row decides which of the others it is." },
  {
    value: "neutral",
    name: "Traces",
    means: "One trace a line: problem, steps, final answer, and ratings where somebody gave them.",
  },
  { value: "prm800k", name: "PRM800K", means: "OpenAI's rows with their labels, kept without loss." },
  {
    value: "processbench",
    name: "ProcessBench",
    means: "Traces with their first errors, to measure on. Always held out, never trained on.",
  },
  { value: "problems", name: "Problems only", means: "Problem and answer, as GSM8K and MATH ship. No traces." },
];

/** The upload's form. "auto" is sent as no format: the server then reads it off the first row. */
export function importForm(file: File, choice: UploadChoice): FormData {
  const form = new FormData();
  if (choice.format !== "auto") form.set("format", choice.format);
  form.set("dry_run", String(choice.dry_run));
  form.set("skip_faulty", String(choice.skip_faulty));
  if (choice.as_gold) form.set("as_gold", "true");
  form.set("file", file, file.name); // last: the server has read the choices before the file's bytes arrive
  return form;
}
