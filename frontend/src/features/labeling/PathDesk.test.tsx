import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Journal } from "@/api/journal";
import * as limits from "@/api/limits";
import type { OpenStep, Path, StepToSubmit } from "@/api/pathTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { Label } from "@/api/types";
import { PathDesk } from "./PathDesk";
import { PathSession } from "./pathSession";

const REPEATS = {
  code: "step_lacks",
  detail: "The step lacks something.",
  missing: [{ code: "repeats_step", number: null }],
};
const REFUSAL = "What you wrote repeats the step before it. Write one new idea.";

const label = {
  id: 1,
  status: "open",
  project: { slug: "demo", name: "Demo" },
  round: { id: 1, number: 1, name: "" },
  protocol: "choose_step",
  problem: { text: "How many?", answer: null, accepted_answers: [], subject: "", level: "" },
  steps: [],
  typed_steps: null,
  alternatives: [],
  after_error: { kinds: [], asked: [], suggests: false },
  carried: [],
  earlier_labels: 0,
  draft: null,
  draft_revision: 0,
  guideline_version: 0,
  surplus: false,
  reference_solution_available: false,
} as unknown as Label;

const completion = (number: number) => {
  const said = { count: 1, final: false, rating: null, flagged: false };
  return { number, text: `Offered ${number + 1}.`, ...said };
};

function pathOf(steps: string[], open: Partial<OpenStep> = {}): Path {
  return {
    prefix_hash: `after ${steps.length}`,
    steps: steps.map((text, step) => ({ step, text, source: "human", great: 0, offered: 2, ratings: [] })),
    open: {
      step: steps.length,
      state: "all",
      completions: [completion(0), completion(1)],
      may_write: true,
      more: 0,
      may_ask_more: false,
      trouble: null,
      look_again_ms: null,
      ...open,
    },
    ended: null,
    stuck: false,
    can_undo: steps.length > 0,
    discarded: [],
    most: 2,
    neutral_may_be_chosen: false,
    step_cap: 60,
  } as unknown as Path;
}

const nothing = () => undefined;

/** What the server answers to a step. A step that is not answered is still on its way. */
let toStep: (step: StepToSubmit) => unknown = () => new Promise(() => undefined);
let path = pathOf([]);
let open: PathSession | null = null;
let user = userEvent.setup({ delay: null });

beforeEach(() => {
  path = pathOf([]);
  user = userEvent.setup({ delay: null });
  Element.prototype.scrollIntoView ??= nothing; // which jsdom lacks
});
afterEach(() => {
  open?.close(); // it would save its draft to another test's server
  closeTestPage();
});

async function openDesk(draft: unknown = null): Promise<PathSession> {
  const answers = {
    "/api/labels/1/path": () => path,
    "/api/labels/1/path/steps": (body: string) => toStep(JSON.parse(body) as StepToSubmit),
    "/api/labels/1/draft": { draft_revision: 1 },
  };
  openTestPage({ page: null, answers }); // the session sends requests before its page is there
  const session = await PathSession.open({ ...label, draft } as Label, 1, new Journal());
  open = session;
  const desk = { canUndoSubmission: false, newsWhile: () => null, onSubmit: nothing, onUndoSubmission: nothing };
  const outbox = { queued: 0, unreachable: false, durable: true };
  const waiting = { rounds: [], activeMs: 0 };
  openTestPage({
    page: <PathDesk label={label} session={session} {...desk} waiting={waiting} outbox={outbox} onLeave={nothing} />,
    answers,
  });
  await screen.findByText("Offered 2.");
  return session;
}

const said = (session: PathSession) => Object.values(session.getState().draft.content.said).map(({ rating }) => rating);
const field = () => screen.getByLabelText<HTMLTextAreaElement>(/^Your step \d/);

async function writeStep(text: string): Promise<PathSession> {
  const session = await openDesk();
  await user.keyboard("xx");
  await user.keyboard("i");
  expect(document.activeElement).toBe(field());
  await user.keyboard(text);
  await user.keyboard("{Control>}{Enter}{/Control}");
  return session;
}

test("a written step and its final answer are as long at most as the server takes", async () => {
  await openDesk();
  await user.keyboard("xxi");
  expect(field().maxLength).toBe(limits.SubmitStepIn.human.maxLength);
  const answer = screen.getByLabelText<HTMLInputElement>("Final answer");
  expect(answer.maxLength).toBe(limits.SubmitStepIn.final_answer.maxLength);
});

test("a step that the server refuses keeps the keyboard in its text, the reason beside it, and no letter rates", async () => {
  let answer: (refused: unknown) => void = nothing;
  toStep = () => new Promise((resolve) => (answer = resolve));
  const session = await writeStep("Again");
  await user.keyboard("x 0"); // nothing has arrived yet
  await act(async () => answer(Response.json(REPEATS, { status: 422 })));
  await screen.findByRole("alert");
  await new Promise((drawn) => requestAnimationFrame(drawn));
  expect(document.activeElement).toBe(field());
  expect(field().getAttribute("aria-invalid")).toBe("true");
  const [first = ""] = field().getAttribute("aria-describedby")?.split(" ") ?? [];
  expect(document.getElementById(first)?.textContent).toBe(REFUSAL);

  await user.keyboard("{Control>}a{/Control}");
  field().setSelectionRange(0, field().value.length); // which jsdom leaves to the browser
  await user.keyboard("So 0 x 1 = 0");
  expect([field().value, said(session)]).toEqual(["So 0 x 1 = 0", [-1, -1]]);
  expect(screen.queryByText(REFUSAL)).toBeNull();
});

test("refused while the keyboard is at the rows, it is the text's again; one that is taken gives it to the rows", async () => {
  toStep = () => Response.json(REPEATS, { status: 422 });
  await writeStep("Again");
  await screen.findByText(REFUSAL);
  await user.keyboard("{Escape}");
  expect(document.activeElement?.getAttribute("aria-label")).toContain("Completion 2");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(document.activeElement).toBe(field()));

  toStep = () => {
    path = pathOf(["Another"]);
    return path;
  };
  await user.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Completion 1 of 2, not/));
  expect(screen.queryByLabelText(/^Your step \d/)).toBeNull();
});

test("a path that has moved on elsewhere leaves the keyboard in the text that was not taken", async () => {
  toStep = () => {
    path = pathOf(["From the phone"]);
    return Response.json({ code: "path_moved", detail: "It moved.", path }, { status: 409 });
  };
  await writeStep("Half a thought");
  await screen.findAllByText(/changed elsewhere/);
  await new Promise((drawn) => requestAnimationFrame(drawn));
  expect(document.activeElement).toBe(field());
  expect(field().value).toBe("Half a thought");
});

test("a stored draft of a step that is already in the path does not become the next step", async () => {
  const draftOf = (at: number) => ({
    ...{ version: 1, protocol: "choose_step", spans: [], startedAt: 1, updatedAt: 2, writer: "" },
    content: { prefixHash: "after 0", at, step: { said: {}, text: "Written", answer: "" }, comments: { 0: "Odd." } },
  });
  path = pathOf(["Written, and submitted"]);
  const session = await openDesk(draftOf(0));
  expect(session.getState().draft.content.text).toBe("");
  expect(session.getState().content.comments).toEqual({ 0: "Odd." });
  open?.close();
  closeTestPage();

  path = pathOf(["Written, and submitted"]);
  for (const step of path.steps) step.source = "model"; // chosen elsewhere: what was typed here was never sent
  expect((await openDesk(draftOf(0))).getState().draft.content.text).toBe("Written");
});

test("the line says which completion is not rated yet, and no longer that the step before was submitted", async () => {
  toStep = () => pathOf(["Offered 1."]);
  const session = await openDesk();
  await user.keyboard("  {Enter}");
  await screen.findAllByText("Step 1 submitted");
  await user.keyboard(" ");
  expect(screen.queryByText("Step 1 submitted")).toBeNull();
  act(() => session.dispatch({ type: "focus", row: 0 }));
  await user.keyboard("{Enter}");
  expect(screen.queryAllByText("Completion 2 is not rated yet.")).not.toHaveLength(0);
});

test("a comment that is begun while the step before is on its way keeps the keyboard when that is taken", async () => {
  let answer: (taken: Path) => void = nothing;
  toStep = () => new Promise((resolve) => (answer = resolve));
  const session = await openDesk();
  await user.keyboard("  {Enter}c0 x");
  await act(async () => answer(pathOf(["Offered 1."])));
  await screen.findByLabelText("Step 1 of the path, written by you");
  await new Promise((drawn) => requestAnimationFrame(drawn));
  await user.keyboard(" 1");
  expect(document.activeElement).toBe(screen.getByLabelText(/^Comment \(/));
  expect([session.getState().content.comments, said(session)]).toEqual([{ 0: "0 x 1" }, []]);
});

test("a field that was clicked into stays when all is deleted from it", async () => {
  const session = await openDesk();
  act(() => session.dispatch({ type: "write", field: "text", value: "Kept" }));
  await user.click(field());
  await user.clear(field());
  await user.keyboard("0 x");
  expect([field().value, said(session)]).toEqual(["0 x", []]);
});

test("what was taken back names the completion of each rating", async () => {
  const ratings = [-1, 1].map((rating, number) => ({ ...completion(number), rating }));
  const at = "2026-01-01T00:00:00Z";
  path = {
    ...pathOf([]),
    discarded: [{ step: 0, text: "Offered 2.", source: "model", ratings, chosen: 1, at }],
  } as Path;
  await openDesk();
  await user.keyboard("h");
  await screen.findByText("Step 1, chosen · completion 1 rated −1, completion 2 rated +1 (chosen)");
});

test("with work in the path, words typed into no field do not leave it", async () => {
  HTMLDialogElement.prototype.showModal ??= nothing; // which jsdom lacks
  HTMLDialogElement.prototype.close ??= nothing;
  toStep = () => pathOf(["Offered 1."]);
  await openDesk();
  await user.keyboard("  {Enter}");
  await screen.findAllByText("Step 1 submitted");
  await user.keyboard("l");
  expect(document.activeElement?.textContent).toBe("Stay");
  await user.keyboard(" ");
  expect(screen.queryByText("Leave this problem?")).toBeNull();
});
