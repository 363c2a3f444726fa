import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { ExportFormats } from "./jobTypes";

/** The options of an export (formats, containers, kinds, roles, statements); fixed for a version of the server. */
export function useExportFormats() {
  return useQuery({
    queryKey: ["export_formats"],
    queryFn: ({ signal }) => api.get<ExportFormats>("/api/export_formats", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The title of an export format, if known. */
export function useFormatTitle(format: string): string | undefined {
  return useExportFormats().data?.formats.find(({ name }) => name === format)?.title;
}
