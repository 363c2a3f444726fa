/** The shapes of the HTTP API around data in and data out: imports with their faults, exports. */

import type { PersonRef, Split } from "./projectTypes";
import type { components } from "./schema";
import type { FinishReason } from "./types";

export type JobStatus = "queued" | "running" | "succeeded" | "failed" | "cancelled";
/** The formats that a file may have, as the server lists them. */
export type ImportFormats = components["schemas"]["ImportFormatsOut"];

export interface FaultExample {
  line: number;
  field: string | null;
  found: string;
  do: string;
}

export interface FaultKind {
  kind: string;
  count: number;
  examples: FaultExample[];
}

export interface ImportReport {
  rows: number;
  problems: { new: number; known: number };
  traces: { new: number; duplicate_in_file: number; known: number };
  labels: { new: number; known: number };
  /** Where rows become gold. */
  gold?: { new: number; known: number };
  faults: { total: number; kinds: FaultKind[] };
  imported: boolean;
}

export interface ImportJob {
  id: number;
  file_name: string;
  format: string;
  dry_run: boolean;
  skip_faulty: boolean;
  as_gold: boolean;
  status: JobStatus;
  created_at: string;
  created_by: PersonRef | null;
  started_at: string | null;
  finished_at: string | null;
  progress: { bytes_done: number; bytes_total: number; rows: number };
  report: ImportReport | null;
  error: string;
}

/** What an export can be asked for, as the server lists it. */
export type ExportFormats = components["schemas"]["ExportFormatsOut"];
export type ExportFormat = ExportFormats["formats"][number];
export type ExportSwitch = ExportFormat["switches"][number];

export interface NewExport {
  format: ExportFormat["name"];
  filters: { rounds?: number[]; finish?: FinishReason[]; split?: Split };
  switches: Record<string, string>;
  gzip: boolean;
  /** For the manifest; what is not said there is "unknown". */
  roles?: Record<string, string>;
  statements?: Record<string, string>;
}

export interface Export {
  id: number;
  format: string;
  config: Partial<Omit<NewExport, "format">> & Record<string, unknown>;
  status: JobStatus;
  created_at: string;
  created_by: PersonRef | null;
  progress: { labels_done: number; labels_total: number };
  rows: number;
  bytes: number;
  sha256: string;
  snapshot_id: string;
  error: string;
}
