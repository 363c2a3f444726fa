import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { PoolCount, Prm } from "@/api/roundTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { NewRoundPage } from "./NewRoundPage";

afterEach(closeTestPage);

const PRM: Partial<Prm> = {
  id: 3,
  name: "Tiny",
  status: "ready",
  target: "steps",
  scored: 0,
  dtype: "float32",
  baseline_not_beaten: ["Bench"],
};
const NO_MIX = { wavering: 0, disagreement: 0, typical: 0, like: 0, other: null, like_traces: [] };
const ADVICE: PoolCount["advice"] = {
  code: "not_known",
  text: "No random trace is labeled yet.",
  rules: { mode: "global", k: 249, ratio: 0.8, control_share: 0.2, mix: { ...NO_MIX, unsure: 0.3 } },
};
const POOL: PoolCount = {
  problems: 249,
  traces: 1185,
  correct: 306,
  wrong: 363,
  ungraded: 516,
  scored: 0,
  unscored: 1185,
  queued: 0,
  approximate: false,
  samples: 0,
  expected: { selected: 0, wrong: 0, rest: 0, control: 0, mixed: {}, shortfall: 0 },
  fitting_k: 1,
  warnings: [],
  advice: ADVICE,
};
const GENERATORS = {
  results: [{ name: "local", models: ["smol"] }],
  prompts: [{ name: "plain", template: "{problem}" }],
};

/** Open the form and wait until its pool is counted. */
async function form(pool: Partial<PoolCount> = {}, search = "", prm: Partial<Prm> = {}) {
  openTestPage({
    page: <NewRoundPage />,
    at: `/projects/demo/rounds/new?kind=convincing${search}`,
    path: "/projects/:slug/rounds/new",
    answers: {
      "/api/projects/demo": {
        slug: "demo",
        name: "Demo",
        counts: { traces: 1185 },
        default_overlap: 1,
        default_overlap_most: 0,
        default_overlap_needed: 0,
        protocol: "first_error",
      },
      "/api/projects/demo/prms": { results: [{ ...PRM, ...prm }] },
      "/api/projects/demo/generators": GENERATORS,
      "/api/projects/demo/rounds/pool": { ...POOL, ...pool },
    },
  });
  await screen.findByText("up to date", {}, { timeout: 3_000 });
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const ofEach = () => field("Traces of a problem (K)").value;
const overAll = () => field("Traces chosen (K)").value;
const press = (words: string) => fireEvent.click(screen.getByText(words));

/** Type into a field, and leave it. */
function type(name: string, text: string) {
  fireEvent.change(field(name), { target: { value: text } });
  fireEvent.blur(field(name));
}

test("a K of each problem becomes one of the whole pool, and back", async () => {
  await form();
  expect(ofEach()).toBe("1");
  press("Over all problems");
  expect(overAll()).toBe("249");
  press("Of each problem");
  expect(ofEach()).toBe("1");
});

test("the recommended mix comes with a K of the whole pool", async () => {
  await form();
  press("Use it");
  expect(overAll()).toBe("249");
  expect(field("Unsure steps, percent").value).toBe("30");
});

test("a K that somebody typed in a mode is there again in that mode, and in no other", async () => {
  await form();
  type("Traces of a problem (K)", "3");
  press("Over all problems");
  expect(overAll()).toBe("249");
  type("Traces chosen (K)", "70");
  press("Of each problem");
  expect(ofEach()).toBe("3");
  press("Use it");
  expect(overAll()).toBe("70");
});

test("where each problem is recommended, over all problems begins with fifty, and the advice brings back what fits", async () => {
  const rules = {
    ...ADVICE.rules,
    mode: "per_problem" as const,
    k: 498,
    control_share: 0.1,
    mix: { ...NO_MIX, unsure: 0 },
  };
  await form({ fitting_k: 2, advice: { ...ADVICE, code: "errors_rare", rules } });
  press("Over all problems");
  expect(overAll()).toBe("50");
  type("Unsure steps, percent", "10");
  press("Use it");
  expect(ofEach()).toBe("2");
});

test("traces like named ones keep their K when the recommended mix is used", async () => {
  await form({}, "&like_traces=7,3");
  press("Use it");
  expect(overAll()).toBe("50");
});

test("a model in half precision may have as many traces scored again as the API takes, and Top-p begins above 0", async () => {
  await form({}, "", { dtype: "bfloat16" });
  const again = "Best of a problem, scored again exactly";
  type(again, "20000");
  expect(field(again).value).toBe("10000");
  fireEvent.click(screen.getByLabelText("Make new traces first"));
  type("Top-p", "0");
  expect(field("Top-p").value).toBe("0.01");
  type("At most tokens", "2000000");
  expect(field("At most tokens").value).toBe("1000000");
});

test("a number out of its range stays as it was typed, with the range below it", async () => {
  await form();
  const start = screen.getByText<HTMLButtonElement>("Start the round");
  for (const [name, wrong, range, right] of [
    ["Traces of a problem (K)", "-5", "From 1 to 10,000,000.", "2"],
    ["Traces of a problem (K)", "1000000000000", "From 1 to 10,000,000.", "2"],
    ["Wrong answers, percent", "150", "From 0 to 100.", "80"],
    ["Random control, percent of K", "95", "From 0 to 90.", "20"],
    ["At most in all", "0", "From 1 to 10,000,000, or empty.", "9"],
  ] as const) {
    type(name, wrong);
    expect(field(name).value).toBe(wrong);
    expect(screen.getByText(range)).toBeTruthy();
    expect(start.disabled).toBe(true);
    type(name, right);
    expect(screen.queryByText(range)).toBeNull();
    expect(start.disabled).toBe(false);
  }
  press("Over all problems");
  type("Unsure steps, percent", "120");
  type("Wavering model, percent", "10");
  expect(field("Unsure steps, percent").value).toBe("120");
  expect(screen.getByText("From 0 to 100.")).toBeTruthy();
});

test.each([
  [0, "still to score"],
  [586, "still to score, including labeled and queued traces"],
])("of a pool with %s labeled traces it says: %s", async (queued, words) => {
  await form({ queued });
  expect(await screen.findByText(words)).toBeTruthy();
});

test("a form that was left comes back as it was, a K somebody typed as typed", async () => {
  await form();
  type("Name (optional)", "Algebra");
  type("Traces of a problem (K)", "3");
  press("Over all problems");
  cleanup();
  await form({ fitting_k: 2 });
  expect(screen.getByText("As you left it.")).toBeTruthy();
  expect(field("Name (optional)").value).toBe("Algebra");
  expect(overAll()).toBe("249");
  press("Of each problem");
  expect(ofEach()).toBe("3");
  press("Start over");
  expect(screen.queryByText("As you left it.")).toBeNull();
  expect(field("Name (optional)").value).toBe("");
  expect(ofEach()).toBe("2");
});

test("of a form that was left None stays chosen, and a PRM that is no longer there gives way to the best", async () => {
  await form();
  fireEvent.click(screen.getByRole("radio", { name: /^None/ }));
  cleanup();
  await form();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /^None/ }).checked).toBe(true);
  cleanup();
  sessionStorage.setItem("stepmark-typed::round:convincing:demo::", JSON.stringify({ prm: [99] }));
  await form();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Tiny/ }).checked).toBe(true);
});

test("traces like named ones are another form than the one that was left", async () => {
  await form();
  type("Name (optional)", "Algebra");
  cleanup();
  await form({}, "&like_traces=7,3");
  expect(field("Name (optional)").value).toBe("");
  expect(screen.queryByText("As you left it.")).toBeNull();
});

test("Cancel forgets what was typed", async () => {
  await form();
  type("Name (optional)", "Algebra");
  press("Cancel");
  cleanup();
  await form();
  expect(field("Name (optional)").value).toBe("");
});
