/** Passkeys: the browser's requests and responses, both in the JSON of WebAuthn. */
import { api } from "./client";
import type { PasskeyOptions, Session } from "./types";

const BROKEN_OFF = "No passkey was used: it was broken off, or took too long. Try again.";

export function canUsePasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Have the browser create a passkey. Rejects with a sentence to show if the person did not complete it. */
export async function makePasskey({ public_key }: PasskeyOptions): Promise<object> {
  const options = public_key as unknown as PublicKeyCredentialCreationOptionsJSON;
  return answerOf(() =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  );
}

/** Log in with a passkey, or confirm with one who is at the device. */
export async function usePasskeyOnce(): Promise<Session> {
  const { public_key } = await api.post<PasskeyOptions>("/api/session/passkey/begin");
  const options = public_key as unknown as PublicKeyCredentialRequestOptionsJSON;
  const credential = await answerOf(() =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  );
  return api.post<Session>("/api/session/passkey", { credential });
}

async function answerOf(ask: () => Promise<Credential | null>): Promise<object> {
  try {
    const found = await ask();
    if (found instanceof PublicKeyCredential) return found.toJSON() as object;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "InvalidStateError") {
      throw new Error("This device has a passkey for this account already.");
    }
  }
  throw new Error(BROKEN_OFF);
}
