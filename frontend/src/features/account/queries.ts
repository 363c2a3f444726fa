import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { usePaged } from "@/api/paged";
import { makePasskey } from "@/api/passkeys";
import type { ApiToken, MadeApiToken, NewApiToken } from "@/api/projectTypes";
import type {
  CodeApp,
  EndedBrowsers,
  LoggedInBrowser,
  NewPassword,
  PasskeyOptions,
  RecoveryCodes,
  SecondFactors,
} from "@/api/types";

const tokensKey = ["tokens"];
const browsersKey = ["browsers"];
const factorsKey = ["second-factors"];

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (passwords: NewPassword) => api.post("/api/session/password", passwords),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: browsersKey });
      return client.invalidateQueries({ queryKey: tokensKey });
    },
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

export function useBrowsers() {
  return usePaged<LoggedInBrowser>(browsersKey, "/api/session/browsers");
}

export function useEndBrowser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<EndedBrowsers>(`/api/session/browsers/${id}/end`),
    onSettled: () => client.invalidateQueries({ queryKey: browsersKey }),
  });
}

export function useEndOtherBrowsers() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<EndedBrowsers>("/api/session/browsers/end_others"),
    onSuccess: () => client.invalidateQueries({ queryKey: browsersKey }),
  });
}

export function useSecondFactors() {
  return useQuery({
    queryKey: factorsKey,
    queryFn: ({ signal }) => api.get<SecondFactors>("/api/session/factors", { signal }),
  });
}

export function useBeginCodeApp() {
  return useMutation({ mutationFn: () => api.post<CodeApp>("/api/session/factors/code_app") });
}

/**
 * Called with the recovery codes that a change made, if any: the component that made the change may be gone by then.
 */
type OnCodes = (codes: string[]) => void;

function useFactorChange<T>(onCodes: OnCodes, change: (asked: T) => Promise<RecoveryCodes>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: ({ recovery_codes }) => {
      if (recovery_codes.length > 0) onCodes(recovery_codes);
      return client.invalidateQueries({ queryKey: factorsKey });
    },
  });
}

export function useConfirmCodeApp(onCodes: OnCodes) {
  return useFactorChange(onCodes, (code: string) =>
    api.post<RecoveryCodes>("/api/session/factors/code_app/confirm", { code }),
  );
}

export function useRenewRecoveryCodes(onCodes: OnCodes) {
  return useFactorChange<void>(onCodes, () => api.post<RecoveryCodes>("/api/session/factors/recovery_codes"));
}

export function useMakePasskey(onCodes: OnCodes) {
  return useFactorChange(onCodes, async (name: string) => {
    const credential = await makePasskey(await api.post<PasskeyOptions>("/api/session/factors/passkey"));
    return api.post<RecoveryCodes>("/api/session/factors/passkey/finish", { name, credential });
  });
}

export function useRemoveFactor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => api.post<SecondFactors>(`/api/session/factors/${id}/remove`),
    onSuccess: (left) => client.setQueryData(factorsKey, left),
  });
}
