import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Review } from "@/api/reviewTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { useReview } from "./queries";
import { RulingForm } from "./RulingForm";

afterEach(closeTestPage);

const OLGA = {
  id: 71,
  labeler: { id: 5, display_name: "Olga" },
  status: "ruling",
  ruling: true,
  ratings: [1, -1],
  verdict: 1,
  submitted_at: "2026-11-28T10:24:00Z",
  note: "The unit is lost.",
  mistake: null,
};
const WAITING = {
  task: { id: 9, trace: { steps: ["One.", "Two."], is_run: false }, labels: [] },
  protocol: "first_error",
  settlement: "",
  can_settle: true,
};
const RULED = { ...WAITING, task: { ...WAITING.task, labels: [OLGA] }, settlement: "ruled" };

function Page() {
  const review = useReview(9);
  return review.data ? <RulingForm slug="demo" review={review.data as Review} /> : null;
}

/** Open the form of a task as the server has it. Returns a function that changes the server's task. */
async function open(first: unknown, settled: (body: unknown) => void = () => {}) {
  let now = first;
  const answers = {
    "/api/tasks/9/review": () => now,
    "/api/tasks/9/settle": (body: string) => {
      settled(JSON.parse(body));
      return Response.json(
        { code: "ruling_changed", detail: "Meanwhile Olga settled this task.", ruling: 71 },
        { status: 409 },
      );
    },
    "/api/tasks/9/withdraw_ruling": () => {
      now = WAITING;
      return now;
    },
  };
  openTestPage({ page: <Page />, answers });
  await screen.findByLabelText("Why (optional)");
  return (next: unknown) => {
    now = next;
  };
}

test("who settles what somebody settled meanwhile keeps what they typed, reads the other ruling, and then may", async () => {
  const become = await open(WAITING);
  for (const step of [1, 2]) fireEvent.click(screen.getByRole("radio", { name: `positive, step ${step}` }));
  fireEvent.change(screen.getByLabelText("Why (optional)"), { target: { value: "Every step holds." } });
  become(RULED);
  fireEvent.click(screen.getByRole("button", { name: "Settle" }));
  await screen.findByText("Olga settled it meanwhile");
  expect(screen.getByText(/first error in step 2\. Your text is kept/)).toBeTruthy();
  expect(screen.getByText("Why: The unit is lost.")).toBeTruthy();
  expect(screen.getByLabelText<HTMLTextAreaElement>("Why (optional)").value).toBe("Every step holds.");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Settle" }).disabled).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "Go on with mine" }));
  expect(screen.queryByText("Olga settled it meanwhile")).toBeNull();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Settle" }).disabled).toBe(false);
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "positive, step 2" }).checked).toBe(true);
});

test("a ruling is withdrawn after a question, and nobody is told of their own", async () => {
  await open(RULED);
  expect(screen.getByText("Settle it again")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Withdraw the ruling…" }));
  fireEvent.click(screen.getByRole("button", { name: "Withdraw the ruling" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Withdraw the ruling…" })).toBeNull());
  expect(screen.getByText("Settle it")).toBeTruthy();
  expect(screen.queryByText("The ruling has been withdrawn")).toBeNull();
});

test("after starting from a label, Enter settles with it and does not load it again", async () => {
  const asha = { ...OLGA, id: 70, status: "submitted", ruling: false };
  const sent: unknown[] = [];
  await open({ ...WAITING, task: { ...WAITING.task, labels: [asha] } }, (body) => sent.push(body));
  const start = screen.getByRole("button", { name: "Olga" });
  start.focus();
  fireEvent.click(start);
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Settle" }).disabled).toBe(false));
  fireEvent.keyDown(document.activeElement ?? document.body, { key: "Enter" });
  await waitFor(() => expect(sent).toEqual([expect.objectContaining({ ratings: [1, -1] })]));
});
