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

/** The formats that a file may have. They change only with the server's version. */
export function useImportFormats() {
  return useQuery({
    queryKey: ["import_formats"],
    queryFn: ({ signal }) => api.get<ImportFormats>("/api/import_formats", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** One import, requested again every second until it ends. */
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

/** Import the file of a dry run, or one that was kept out by its faults, without uploading it again. */
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

/** Refetch the list of imports after one of them has changed elsewhere. */
export function useForgetImports(slug: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: importsKey(slug) });
}

/** Refetch everything that counts traces after an import has ended. */
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

/** The first rows of a file from which nothing was imported yet, its columns, and a mapping to start from. */
export function useImportRows(id: number) {
  return useQuery({
    queryKey: [...importKey(id), "rows"],
    queryFn: ({ signal }) => api.get<ImportRows>(`/api/imports/${id}/rows`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What the first rows would become. The older answer stays in sight until the new one arrives. */
export function useImportPreview(id: number, mapping: Mapping, asked: boolean) {
  return useQuery({
    queryKey: [...importKey(id), "preview", mapping],
    queryFn: ({ signal }) => api.post<ImportPreview>(`/api/imports/${id}/preview`, { mapping }, { signal }),
    enabled: asked,
    placeholderData: keepPreviousData,
    retry: false,
  });
}
