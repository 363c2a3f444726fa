import { fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { ImportsPage } from "./ImportsPage";

afterEach(closeTestPage);

const job = (id: number, file_name: string, status: string) => ({
  ...{ id, file_name, status, format: "", created_at: "2026-11-28T06:00:00Z", created_by: null },
  ...{ progress: { bytes_done: 512, bytes_total: 2048, rows: 3_000 }, report: null, error: "" },
  ...{ attempts: 1, dry_run: false, can_map: false },
});

/** Open the page and send a file that starts as `queued` and is then found to be `after`. */
async function send(after: string) {
  let status = "none";
  openTestPage({
    page: <ImportsPage />,
    path: "/projects/:slug",
    answers: {
      "/api/import_formats": { formats: [] },
      get "/api/projects/demo/imports"() {
        const sent = status === "none" ? [] : [job(4, "new.jsonl", status)];
        return { results: [...sent, job(3, "before.jsonl", "cancelled")], next: null };
      },
      get "/api/imports/4"() {
        return job(4, "new.jsonl", status);
      },
    },
  });
  class Sending {
    upload = {};
    status = 201;
    responseText = JSON.stringify(job(4, "new.jsonl", "queued"));
    onload = () => undefined;
    open() {}
    setRequestHeader() {}
    send() {
      status = "queued";
      queueMicrotask(() => this.onload());
    }
  }
  vi.stubGlobal("XMLHttpRequest", Sending); // jsdom's own would make network requests
  const file = new File(["{}"], "new.jsonl");
  fireEvent.change(await screen.findByLabelText("The file to import"), { target: { files: [file] } });
  fireEvent.click(await screen.findByRole("button", { name: "Check the file" }));
  await screen.findByRole("button", { name: "Cancel the import" });
  status = after;
}

const list = () => within(screen.getByRole("table", { name: "Imports, newest first" }));

test("an import that runs above is not told a second time, as an earlier one that waits", async () => {
  await send("running");
  expect(await screen.findByText(/3,000 rows/, {}, { timeout: 3_000 })).toBeTruthy();
  expect(list().queryByText("new.jsonl")).toBeNull();
  expect(list().getByText("before.jsonl")).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Earlier imports" })).toBeTruthy();
});

test("it joins the list as soon as it is over, and as what it became", async () => {
  await send("cancelled");
  await screen.findByText("The import was cancelled. Nothing was imported.", {}, { timeout: 3_000 });
  expect(await list().findByRole("link", { name: "new.jsonl" })).toBeTruthy();
  expect(list().queryByText("In progress.")).toBeNull();
});

test("when the form has turned to another file, what still runs is in the list, as it stands", async () => {
  await send("running");
  await screen.findByText(/3,000 rows/, {}, { timeout: 3_000 });
  fireEvent.change(screen.getByLabelText("The file to import"), {
    target: { files: [new File(["{}"], "next.jsonl")] },
  });
  expect(await list().findByRole("link", { name: "new.jsonl" })).toBeTruthy();
  expect(list().getByText("running")).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Running and earlier imports" })).toBeTruthy();
});
