import { expect, test } from "vitest";
import type { FinishReason, Outcome, Submission } from "@/api/types";
import { explain, openContradictions } from "./findings";
import type { Finding } from "./interface";
import { PROTOCOLS, protocolNamed } from "./registry";

interface Case {
  name: string;
  outcome: Outcome;
  submission: Pick<Submission, "ratings" | "confirmations" | "finish_detail"> & { finish_reason: FinishReason };
  missing: Finding[];
  contradictions: Finding[];
  verdict: number | null;
  ratable: number[];
}

const files = import.meta.glob<Case[]>("@cases/protocol_cases/*.json", { eager: true, import: "default" });
const cases = Object.entries(files).flatMap(([path, found]) => {
  const protocol = path.replace(/^.*\/|\.json$/g, "");
  return found.map((one) => ({ protocol, ...one }));
});

test("every protocol has shared cases under its name", () => {
  expect(new Set(cases.map((one) => one.protocol))).toEqual(new Set(PROTOCOLS.keys()));
  for (const [name, protocol] of PROTOCOLS) expect(protocol.name).toBe(name);
});

test.each(cases)("$protocol: $name", ({ protocol: name, submission, outcome, ...expected }) => {
  const protocol = protocolNamed(name);
  const { ratings, finish_reason: finish, finish_detail: detail, confirmations } = submission;
  expect(protocol.missing(ratings, finish, detail.kind ?? "", detail.text ?? "")).toEqual(expected.missing);
  expect(openContradictions(protocol, ratings, finish, outcome, confirmations)).toEqual(expected.contradictions);
  expect(protocol.verdict(ratings, finish)).toBe(expected.verdict);
  expect(protocol.ratableSteps(ratings)).toEqual(expected.ratable);
});

test("every code of the shared cases has words of its own", () => {
  for (const finding of cases.flatMap((one) => [...one.missing, ...one.contradictions]))
    expect(explain(finding)).not.toContain("does not know");
});

test("a protocol that this page does not know asks for a reload", () => {
  expect(() => protocolNamed("every_word")).toThrow("Reload the page.");
});
