import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { GuidelineEditor } from "./GuidelineEditor";

afterEach(closeTestPage);

test("who publishes what somebody else published meanwhile is told, keeps what they wrote, and then may", async () => {
  const asked: unknown[] = [];
  const publish = (body: string) => {
    asked.push(JSON.parse(body));
    if (asked.length > 1) return { version: 7, body: "Mine.", created_at: null };
    const refusal = { code: "guideline_changed", detail: "Meanwhile Olga published version 6.", version: 6 };
    return Response.json(refusal, { status: 409 });
  };
  const done = vi.fn();
  const start = { version: 3, body: "Third.", clauses: [], created_at: null };
  const page = <GuidelineEditor slug="demo" keep="guidelines:demo:" start={start} newest={5} onDone={done} />;
  openTestPage({ page, answers: { "/api/projects/demo/guidelines": publish } });
  const text = screen.getByLabelText<HTMLTextAreaElement>("Markdown");
  fireEvent.change(text, { target: { value: "Mine." } });
  fireEvent.click(screen.getByRole("button", { name: "Publish as a new version" }));
  await screen.findByText("Meanwhile Olga published version 6.");
  expect(text.value).toBe("Mine.");
  expect(screen.getByRole("link", { name: "Read version 6 in a new tab" }).getAttribute("href")).toBe(
    "/projects/demo/guidelines?version=6",
  );
  fireEvent.click(screen.getByRole("button", { name: "Publish as a new version" }));
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(asked).toEqual([
    { body: "Mine.", after: 5 },
    { body: "Mine.", after: 6 },
  ]);
});

test("a text that was left comes back, and is held to the version that it was begun on", async () => {
  const asked: unknown[] = [];
  const publish = (body: string) => {
    asked.push(JSON.parse(body));
    return Response.json({ code: "guideline_changed", detail: "Meanwhile.", version: 6 }, { status: 409 });
  };
  const open = (newest: number) => {
    const start = { version: newest, body: `Text ${newest}.`, clauses: [], created_at: null };
    const about = { slug: "demo", keep: "guidelines:demo:", start, newest, onDone: vi.fn() };
    openTestPage({ page: <GuidelineEditor {...about} />, answers: { "/api/projects/demo/guidelines": publish } });
    return screen.getByLabelText<HTMLTextAreaElement>("Markdown");
  };
  fireEvent.change(open(5), { target: { value: "Mine." } });
  cleanup();
  expect(open(6).value).toBe("Mine.");
  fireEvent.click(screen.getByRole("button", { name: "Publish as a new version" }));
  await screen.findByText("Meanwhile.");
  expect(asked).toEqual([{ body: "Mine.", after: 5 }]);
  fireEvent.click(screen.getByRole("button", { name: "Start over" }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("Markdown").value).toBe("Text 6.");
});
