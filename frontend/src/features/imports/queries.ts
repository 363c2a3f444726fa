import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { hereOnly } from "@/api/here";
import type { ImportChecked, ImportFormats, ImportJob, ImportPreview, ImportRows } from "@/api/jobTypes";
import { usePaged } from "@/api/paged";
import { projectQuery } from "@/api/projects";
import { uploadWithProgress } from "@/api/upload";
import { isOver } from "./importReport";
import type { Mapping } from "./mapping";
import { importForm, type UploadChoice } from "./uploadChoice";

const importsKey = (slug: string) => ["imports", slug];
const importKey = (id: number) => ["import", id];

export function useImports(slug: string) {
  return usePaged<ImportJob>(importsKey(slug), `/api/projects/${slug}/imports`, {}, { refetchInterval: 10_000 });
}

/** The formats that a file may have. They change with the server's version only. */
export function useImportFormats() {
  return useQuery({
    queryKey: ["import_formats"],
    queryFn: ({ signal }) => api.get<ImportFormats>("/api/import_formats", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One import, asked again every second until it is over. */
export function useImport(id: number) {
  return useQuery({
    queryKey: importKey(id),
    queryFn: ({ signal }) => api.get<ImportJob>(`/api/imports/${id}`, { signal, headers: hereOnly() }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data.status) ? false : 1_000),
  });
}

export interface Upload {
  choice: UploadChoice;
  file: File;
  onProgress: (sent: number, total: number) => void;
  signal: AbortSignal;
}

export function useCreateImport(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ choice, file, onProgress, signal }: Upload) =>
      uploadWithProgress<ImportJob>(`/api/projects/${slug}/imports`, importForm(file, choice), { onProgress, signal }),
    onSuccess: () => client.invalidateQueries({ queryKey: importsKey(slug) }),
  });
}

/** Import the file of a dry run, or one that its faults kept out, without another upload. */
export function useImportChecked(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...asked }: { id: number } & Partial<ImportChecked>) =>
      api.post<ImportJob>(`/api/imports/${id}/import`, asked),
    onSuccess: () => client.invalidateQueries({ queryKey: importsKey(slug) }),
  });
}

export function useCancelImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<ImportJob>(`/api/imports/${id}/cancel`),
    onSuccess: (job) => client.setQueryData(importKey(job.id), job),
  });
}

/** The list is out of date once an import of it stands elsewhere. */
export function useForgetImports(slug: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: importsKey(slug) });
}

/** Everything that counts traces is out of date once an import is over. */
export function useForgetCounts(slug: string) {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: projectQuery(slug).queryKey }),
      client.invalidateQueries({ queryKey: ["traces", slug] }),
      client.invalidateQueries({ queryKey: ["projects"] }),
      client.invalidateQueries({ queryKey: ["gold", slug] }),
      client.invalidateQueries({ queryKey: ["gold-counts", slug] }),
    ]);
}

/** The first rows of a file of which nothing was imported yet, its columns, and where a mapping may begin. */
export function useImportRows(id: number) {
  return useQuery({
    queryKey: [...importKey(id), "rows"],
    queryFn: ({ signal }) => api.get<ImportRows>(`/api/imports/${id}/rows`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What the first rows would become; the older answer stays in sight until the new one is there. */
export function useImportPreview(id: number, mapping: Mapping, asked: boolean) {
  return useQuery({
    queryKey: [...importKey(id), "preview", mapping],
    queryFn: ({ signal }) => api.post<ImportPreview>(`/api/imports/${id}/preview`, { mapping }, { signal }),
    enabled: asked,
    placeholderData: keepPreviousData,
    retry: false,
  });
}
