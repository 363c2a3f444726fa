import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { ApiToken } from "@/api/projectTypes";

const tokensKey = ["tokens"];

export function useChangePassword() {
  return useMutation({
    mutationFn: (passwords: { old_password: string; new_password: string }) =>
      api.post("/api/session/password", passwords),
  });
}

export function useTokens() {
  return usePaged<ApiToken>(tokensKey, "/api/tokens");
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => api.post<ApiToken>("/api/tokens", { name }),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<ApiToken>(`/api/tokens/${id}/revoke`),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
  });
}
