import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Review } from "@/api/reviewTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { SplitEditor } from "./SplitEditor";
import { Threads } from "./Threads";

afterEach(closeTestPage);

const NOETHER = { id: 5, display_name: "Emmy Noether" };

function reviewOf(task: number): Review {
  const comments = [{ step: 1, text: "Is the unit lost here?" }];
  return {
    task: {
      id: task,
      trace: { id: 40 + task, steps: ["Add 2. Then halve it.", "So it is 3."] },
      labels: [{ id: 71, labeler: NOETHER, status: "submitted", comments }],
    },
    replies: [],
  } as unknown as Review;
}

/** Open the page again, as after visiting another one or after reloading it. */
function openAnew(task: number, answers: Record<string, unknown> = {}) {
  cleanup();
  const review = reviewOf(task);
  const page = (
    <>
      <Threads slug="demo" review={review} />
      <SplitEditor slug="demo" review={review} onDone={() => undefined} />
    </>
  );
  openTestPage({ page, answers });
}

const answerField = () => screen.getByLabelText<HTMLTextAreaElement>("Answer Emmy Noether on step 2");

test("an answer to a labeler is kept until it is sent, with its task", async () => {
  openAnew(9);
  fireEvent.change(answerField(), { target: { value: "It is: see the second line." } });
  openAnew(8);
  expect(answerField().value).toBe("");
  openAnew(9, { "/api/tasks/9/replies": { id: 3 } });
  expect(answerField().value).toBe("It is: see the second line.");
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
  await waitFor(() => expect(answerField().value).toBe(""));
  openAnew(9);
  expect(answerField().value).toBe("");
});

test("an answer that was sent while its page was left does not come back", async () => {
  let taken: (answer: Response) => void = () => undefined;
  const sent = new Promise<Response>((resolve) => {
    taken = resolve;
  });
  let asked = false;
  const answer = () => {
    asked = true;
    return sent;
  };
  openAnew(9, { "/api/tasks/9/replies": answer });
  fireEvent.change(answerField(), { target: { value: "It is." } });
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
  await waitFor(() => expect(asked).toBe(true));
  openAnew(9);
  expect(answerField().value).toBe("It is.");
  cleanup();
  taken(Response.json({ id: 3 }));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
  openAnew(9);
  expect(answerField().value).toBe("");
});

test("a split that is being repaired is as it was left, until it is cancelled", () => {
  openAnew(9);
  fireEvent.click(screen.getByRole("button", { name: /^Cut step 1/ }));
  fireEvent.change(screen.getByLabelText("Reason"), { target: { value: "Two steps in one." } });
  openAnew(9);
  expect(screen.getByRole("button", { name: "Put 3 steps in its place" })).toHaveProperty("disabled", false);
  expect(screen.getByLabelText<HTMLInputElement>("Reason").value).toBe("Two steps in one.");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  openAnew(9);
  expect(screen.getByRole("button", { name: "Put 2 steps in its place" })).toHaveProperty("disabled", true);
  expect(screen.getByLabelText<HTMLInputElement>("Reason").value).toBe("");
});
