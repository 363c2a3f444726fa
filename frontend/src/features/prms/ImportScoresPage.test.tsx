import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { ImportScoresPage } from "./ImportScoresPage";

afterEach(closeTestPage);

/** The server that takes every file; jsdom's own request would ask the network. */
class Sending {
  upload = {};
  status = 201;
  responseText = JSON.stringify({ id: 5 });
  onload = () => undefined;
  open() {}
  setRequestHeader() {}
  send() {
    queueMicrotask(() => this.onload());
  }
}

async function open() {
  openTestPage({
    page: <ImportScoresPage />,
    at: "/projects/demo/prms/scores",
    path: "/projects/:slug/prms/scores",
    answers: {
      "/api/projects/demo/score_imports": { results: [], next: null },
      "/api/score_imports/5": { id: 5, file_name: "scores.jsonl", status: "queued", progress: {} },
    },
  });
  vi.stubGlobal("XMLHttpRequest", Sending);
  await screen.findByRole("form", { name: "Import scores" });
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const came = () => screen.queryByText("As you left it.") !== null;
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

/** Choose the file and send it, until the page watches what becomes of it. */
async function send(button: string) {
  fireEvent.change(field("The file of scores"), { target: { files: [new File(["{}"], "scores.jsonl")] } });
  fireEvent.click(screen.getByText(button, { selector: "button" }));
  await screen.findByText("scores.jsonl", { selector: "h2" });
}

test("an import of scores that was left comes back, but for its file", async () => {
  await open();
  type("Name", "Qwen 7B");
  type("Fingerprint (optional)", "qwen-7b@3f1a");
  fireEvent.click(field("Skip faulty rows"));
  cleanup();
  await open();
  expect([field("Name").value, field("Fingerprint (optional)").value]).toEqual(["Qwen 7B", "qwen-7b@3f1a"]);
  expect([field("Skip faulty rows").checked, came()]).toEqual([true, true]);
  expect(screen.getByText("Choose a file.")).toBeDefined();
});

test("it is kept when it was only checked, and forgotten once it is imported", async () => {
  await open();
  type("Name", "Qwen 7B");
  await send("Check the file");
  cleanup();
  await open();
  expect([field("Name").value, came()]).toEqual(["Qwen 7B", true]);
  fireEvent.click(field("Only check it"));
  await send("Import");
  cleanup();
  await open();
  expect([field("Name").value, field("Only check it").checked, came()]).toEqual(["", true, false]);
});
