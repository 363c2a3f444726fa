import { ApiError } from "@/api/client";
import { formatClock } from "@/ui/format";

/** Return where to go after the login: only ever a page of this site. */
export function safeNext(next: string | null): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.startsWith("/\\")) return "/";
  return next;
}

const REFUSED: Record<string, string> = {
  expired: "The sign-in took too long, was interrupted, or was started in another browser. Try again.",
  failed: "The sign-in provider did not respond correctly. Try again in a minute, or tell your operator.",
  no_account: "You have no account here. Ask a project admin.",
  switched_off: "Your account here is switched off. Ask a project admin.",
  not_proved:
    "The provider did not confirm that you have just logged in there. Try again, or tell your operator (RECHECK_MINUTES).",
  groups_left_out: "The provider left out your groups because there are too many. Tell your operator.",
};

/** Return why the sign-in provider's answer was not enough. The server names the reason in the address. */
export function signInRefusal(reason: string | null): string | null {
  return reason === null ? null : (REFUSED[reason] ?? "The provider's answer was not accepted. Try again.");
}

interface Refusal {
  title: string;
  text: string;
}

/** Return what to say after a refused login. A lock-out says when logging in works again. */
export function loginRefusal(error: unknown, now: number): Refusal {
  if (!(error instanceof ApiError)) {
    return { title: "No connection", text: error instanceof Error ? error.message : "Try again in a moment." };
  }
  if (error.code !== "locked_out") return { title: "That did not work", text: error.message };
  const retryAt = typeof error.body.retry_at === "string" ? Date.parse(error.body.retry_at) : Number.NaN;
  if (Number.isNaN(retryAt)) return { title: "Too many failed tries", text: error.message };
  const minutes = Math.max(1, Math.ceil((retryAt - now) / 60_000));
  return {
    title: "Too many failed tries",
    text: `This account is locked until ${formatClock(retryAt)} (about ${minutes} min). If you forgot the password, ask a project admin.`,
  };
}
