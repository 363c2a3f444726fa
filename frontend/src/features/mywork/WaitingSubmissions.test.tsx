import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Journal, type QueuedSubmission } from "@/api/journal";
import { Outbox } from "@/api/outbox";
import { usePaged } from "@/api/paged";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { WaitingSubmissions } from "./WaitingSubmissions";

afterEach(closeTestPage);

function Diary() {
  const labels = usePaged<{ id: number }>(["my-labels", "maths"], "/api/projects/maths/my_labels", {});
  return <output>{labels.rows?.length ?? "…"}</output>;
}

test("a submission that is sent from here comes into the diary above which it waited", async () => {
  const outbox = new Outbox(5, await Journal.open());
  const rows: { id: number }[] = [];
  openTestPage({
    page: (
      <>
        <WaitingSubmissions slug="maths" outbox={outbox} />
        <Diary />
      </>
    ),
    answers: {
      "/api/projects/maths/my_labels": { results: rows, next: null },
      "/api/labels/7/submit": { id: 7, surplus: false },
    },
  });
  await waitFor(() => expect(screen.getByRole("status").textContent).toBe("0"));
  const about = {
    userId: 5,
    labelId: 7,
    slug: "maths",
    action: "submit",
    problemText: "",
    finish: "solution",
  } as const;
  const key = "0123abcd-4567-4abc-8def-000000000007";
  const submission = {} as QueuedSubmission["submission"];
  rows.push({ id: 7 });
  outbox.enqueue({ ...about, key, submission, queuedAt: 7, attempts: 0, refusal: null });
  await waitFor(() => expect(screen.getByRole("status").textContent).toBe("1"));
});
