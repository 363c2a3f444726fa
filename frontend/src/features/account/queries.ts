import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import type { ApiToken, MadeApiToken, NewApiToken } from "@/api/projectTypes";
import type { NewPassword } from "@/api/types";

const tokensKey = ["tokens"];

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (passwords: NewPassword) => api.post("/api/session/password", passwords),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
  });
}

export function useTokens() {
  return usePaged<ApiToken>(tokensKey, "/api/tokens");
}

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: NewApiToken) => api.post<MadeApiToken>("/api/tokens", asked),
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
