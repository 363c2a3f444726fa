/** How two drafts of one label differ, for the labeler who chooses between them. Pure. */
import type { DeskThings } from "@/protocol/desk";
import type { DraftContent } from "@/protocol/draft";
import type { PathContent } from "./pathDraft";

export interface Difference {
  what: string;
  local: string;
  server: string;
}

const NOTHING = "–";
const SHORTEST = 60;

type Content = DraftContent | PathContent;

/** Return every difference, from the first step on, including the labeler's scratch pad and marks. */
export function differencesOf(local: Content, server: Content): Difference[] {
  const pair = [partsOf(local), partsOf(server)] as const;
  const names = [...new Set(pair.flatMap((parts) => [...parts.keys()]))];
  return names
    .map((what) => ({ what, local: pair[0].get(what) ?? NOTHING, server: pair[1].get(what) ?? NOTHING }))
    .filter((one) => one.local !== one.server);
}

function partsOf(content: Content): Map<string, string> {
  const parts = "ratings" in content ? ofTrace(content) : ofPath(content);
  for (const [step, text] of Object.entries(content.comments)) put(parts, `Comment on step ${Number(step) + 1}`, text);
  for (const { kind, step, text } of content.reports) {
    put(parts, step == null ? `Report: ${kind}` : `Report on step ${step + 1}`, text || "reported");
  }
  return parts;
}

function ofTrace(content: DraftContent): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [step, rating] of content.ratings.entries()) put(parts, `Step ${step + 1}`, signed(rating));
  put(parts, "Noticed at", content.noticedAtStep === null ? "" : `step ${content.noticedAtStep + 1}`);
  put(parts, "Ends as", endOf(content.finish, content.finishText));
  const { mistake } = content;
  put(parts, "What is wrong", mistake.explanation);
  put(parts, "It should say", mistake.corrected_step);
  put(parts, "Kind of mistake", mistake.kind ?? "");
  put(parts, "Clause", mistake.clause ?? "");
  put(parts, "Progress", mistake.progress ?? "");
  put(parts, "Other ways rated", saidCount(content.alternatives) + saidCount(content.suggestions) || "");
  putDesk(parts, content.desk);
  return parts;
}

function ofPath({ step, ending, desk }: PathContent): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [number, { rating, flagged }] of Object.entries(step.said)) {
    put(parts, `Completion ${Number(number) + 1}`, flagged ? "unsure" : signed(rating));
  }
  put(parts, "Your step", step.text);
  put(parts, "Final answer", step.answer);
  put(parts, "Ends as", endOf(ending?.finish ?? null, ending?.text ?? ""));
  putDesk(parts, desk);
  return parts;
}

function putDesk(parts: Map<string, string>, { scratch, lookAgain, calculations }: DeskThings): void {
  put(parts, "Scratch pad", scratch);
  put(parts, "Look again", lookAgain.map((step) => step + 1).join(", "));
  put(parts, "Calculator", calculations.length || "");
}

function endOf(finish: string | null, text: string): string {
  return [finish?.replace("_", " "), text.trim()].filter(Boolean).join(": ");
}

function signed(rating: number | null | undefined): string {
  if (rating == null) return "";
  return rating === 1 ? "+1" : rating === 0 ? "0" : "−1";
}

function saidCount(rated: readonly { rating?: number | null; flagged?: boolean | null }[]): number {
  return rated.filter(({ rating, flagged }) => rating != null || flagged).length;
}

function put(parts: Map<string, string>, what: string, said: string | number): void {
  const text = String(said).trim();
  if (text) parts.set(what, text);
}

/** Return the part of a long text that identifies it: from shortly before where it begins to differ. */
export function excerpt(text: string, other: string): string {
  if (text.length <= SHORTEST) return text;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  const from = Math.max(0, Math.min(at - 15, text.length - SHORTEST));
  return `${from > 0 ? "…" : ""}${text.slice(from, from + SHORTEST)}${from + SHORTEST < text.length ? "…" : ""}`;
}
