import { describe, expect, test } from "vitest";
import type { Project } from "@/api/projectTypes";
import { nextStep } from "./nextStep";
import { slugFrom } from "./slug";

function project(
  role: Project["role"],
  counts: Partial<Project["counts"]>,
  status: Project["status"] = "active",
): Project {
  return {
    slug: "algebra",
    name: "Algebra",
    description: "",
    status,
    taken_out_at: null,
    role,
    default_overlap: 1,
    default_overlap_most: 0,
    default_overlap_needed: 0,
    lease_minutes: 15,
    revise_window_hours: 24,
    reference_solution: false,
    reveal_scores: false,
    rated_unit: "message",
    session_traces: 0,
    stalled_hours: 24,
    hourly_rate: null,
    currency: "",
    gold_per_round: 10,
    screening: false,
    screening_tasks: 30,
    screening_share: 0.75,
    screening_retries: 1,
    trains_at_close: false,
    after_error: null,
    screening_feedback: true,
    answer_kind: "maths",
    answer_tolerance: 0,
    created_at: "2026-07-01T08:00:00Z",
    counts: { problems: 0, traces: 0, tasks_wanting: 0, labels_submitted: 0, open_rounds: 0, ...counts },
  };
}

describe("nextStep", () => {
  test("a project without traces asks a researcher to import some", () => {
    expect(nextStep(project("researcher", {})).action?.path).toBe("imports");
  });

  test("traces without an open round ask for a round", () => {
    expect(nextStep(project("admin", { traces: 40 })).action?.path).toBe("rounds/new");
  });

  test("tasks that wait need nothing but labelers", () => {
    expect(nextStep(project("admin", { traces: 40, open_rounds: 1, tasks_wanting: 1 }))).toEqual({
      says: "1 task waiting for labels.",
    });
  });

  test("open rounds without a waiting task point to the rounds", () => {
    expect(nextStep(project("admin", { traces: 40, open_rounds: 1 })).action?.path).toBe("rounds");
  });

  test("an annotator is never asked to import or to open a round", () => {
    expect(nextStep(project("annotator", {})).action).toBeUndefined();
  });

  test("an archived project asks for nothing", () => {
    expect(nextStep(project("admin", {}, "archived")).action).toBeUndefined();
  });
});

describe("slugFrom", () => {
  test("a name becomes lower case words joined by hyphens", () => {
    expect(slugFrom("  Algebra, Pilot №2! ")).toBe("algebra-pilot-no2");
    expect(slugFrom("Théorie des nombres")).toBe("theorie-des-nombres");
  });

  test("a name without a letter gives nothing to use", () => {
    expect(slugFrom("<>!?")).toBe("");
  });

  test("a long name is cut without a hyphen at the end", () => {
    expect(slugFrom(`${"a".repeat(59)} b`)).toBe("a".repeat(59));
  });
});
