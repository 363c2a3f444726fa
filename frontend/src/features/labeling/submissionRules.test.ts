import cases from "@cases/submission_cases.json";
import { expect, test } from "vitest";
import type { FinishReason, Outcome, Submission } from "@/api/types";
import { contradictions, explain, type Finding, missing } from "./submissionRules";

interface Case {
  name: string;
  outcome: Outcome;
  submission: Pick<Submission, "ratings" | "confirmations" | "finish_detail"> & { finish_reason: FinishReason };
  missing: Finding[];
  contradictions: Finding[];
}

test.each(cases as unknown as Case[])("$name", ({ submission, outcome, ...expected }) => {
  const { ratings, finish_reason: finish, finish_detail: detail, confirmations } = submission;
  expect(missing(ratings, finish, detail.kind, detail.text)).toEqual(expected.missing);
  expect(contradictions(ratings, finish, outcome, confirmations)).toEqual(expected.contradictions);
});

test("every code of the shared cases has words of its own", () => {
  const codes = new Set((cases as unknown as Case[]).flatMap((one) => [...one.missing, ...one.contradictions]));
  for (const finding of codes) expect(explain(finding)).not.toContain("does not know");
});
