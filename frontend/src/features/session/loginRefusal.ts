import { ApiError } from "@/api/client";
import { formatClock } from "@/ui/format";

/** Where to go after the login: only ever a page of this site. */
export function safeNext(next: string | null): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.startsWith("/\\")) return "/";
  return next;
}

interface Refusal {
  title: string;
  text: string;
}

/** What to tell somebody whose login was refused; a lock-out names the time from which it works again. */
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
