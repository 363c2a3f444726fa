import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { NewScores, ScoreImport } from "@/api/scoreTypes";
import { uploadWithProgress } from "@/api/upload";
import { isOver, prmsKey } from "./queries";

const importsKey = (slug: string) => ["score_imports", slug];
const importKey = (id: number) => ["score_import", id];

export function useScoreImports(slug: string) {
  return usePaged<ScoreImport>(
    importsKey(slug),
    `/api/projects/${slug}/score_imports`,
    {},
    {
      refetchInterval: 10_000,
    },
  );
}

/** One import of scores, requested again every second until it ends. Then what it changed is refetched. */
export function useScoreImport(slug: string, id: number) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: importKey(id),
    queryFn: ({ signal }) => api.get<ScoreImport>(`/api/score_imports/${id}`, { signal }),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 1_000),
  });
  const over = query.data !== undefined && isOver(query.data);
  useEffect(() => {
    if (!over) return;
    void client.invalidateQueries({ queryKey: importsKey(slug) });
    void client.invalidateQueries({ queryKey: prmsKey(slug) });
  }, [over, client, slug]);
  return query;
}

interface ScoreUpload {
  file: File;
  asked: NewScores;
  onProgress: (sent: number, total: number) => void;
  signal: AbortSignal;
}

export function useImportScores(slug: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ file, asked, onProgress, signal }: ScoreUpload) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(asked)) form.set(name, String(value));
      form.set("file", file, file.name); // last, so that the server has read the rest before the file's bytes arrive
      return uploadWithProgress<ScoreImport>(`/api/projects/${slug}/score_imports`, form, { onProgress, signal });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: importsKey(slug) }),
  });
}

export function useCancelScores() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<ScoreImport>(`/api/score_imports/${id}/cancel`),
    onSuccess: (job) => client.setQueryData(importKey(job.id), job),
  });
}
