import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { MemoryRouter, Route, Routes } from "react-router";
import { expect, test, vi } from "vitest";
import { pageOwner } from "@/api/client";
import { openJournal, type QueuedSubmission } from "@/api/journal";
import { sessionQuery, useUser } from "@/api/session";
import { TestDisk } from "@/api/testDisk";
import type { Session } from "@/api/types";
import { RequireLogin } from "./RequireLogin";

let drawAgain: () => void = () => undefined;

function NamedPage() {
  const [, draw] = useState(0);
  drawAgain = () => draw((times) => times + 1);
  return <p>This is {useUser().username}</p>;
}

function open(client: QueryClient) {
  return render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/"]}>
        <Routes>
          <Route element={<RequireLogin />}>
            <Route index element={<NamedPage />} />
          </Route>
          <Route path="login" element={<h1>Log in</h1>} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

function sessionOf(id: number, username: string): Session {
  return { user: { id, username, preferences: {}, memberships: [] } } as unknown as Session;
}

test("a page that is drawn between a logout and its notice to the login route still has its person", async () => {
  const client = new QueryClient();
  const session = sessionOf(1, "emmy");
  client.setQueryData(sessionQuery.queryKey, session);
  open(client);
  expect(screen.getByText("This is emmy")).toBeTruthy();
  client.setQueryData(sessionQuery.queryKey, { ...session, user: null });
  act(() => flushSync(drawAgain));
  expect(await screen.findByRole("heading", { name: "Log in" })).toBeTruthy();
});

test("a page stays whose it was when somebody else logs in in another tab, and says so", async () => {
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, sessionOf(1, "emmy"));
  open(client);
  expect(pageOwner()).toBe(1);
  act(() => void client.setQueryData(sessionQuery.queryKey, sessionOf(2, "carl")));
  expect(await screen.findByRole("heading", { name: "Somebody else has logged in in this browser" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Go on as carl" })).toBeTruthy();
  expect(screen.queryByText(/This is/)).toBeNull();
  expect(pageOwner()).toBe(1);
  act(() => void client.setQueryData(sessionQuery.queryKey, sessionOf(1, "emmy")));
  expect(await screen.findByText("This is emmy")).toBeTruthy();
});

test("who logs in after a logout has the page, and nothing that was read before", async () => {
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, sessionOf(1, "emmy"));
  client.setQueryData(["home"], "emmy's");
  const page = open(client);
  act(() => void client.setQueryData(sessionQuery.queryKey, { ...sessionOf(1, "emmy"), user: null }));
  expect(await screen.findByRole("heading", { name: "Log in" })).toBeTruthy();
  expect([pageOwner(), client.getQueryData(["home"])]).toEqual([null, undefined]);
  page.unmount();
  client.setQueryData(sessionQuery.queryKey, sessionOf(2, "carl"));
  open(client);
  expect([await screen.findByText("This is carl"), pageOwner()]).toEqual([expect.anything(), 2]);
});

test("what the device could not keep is not given up without a word when somebody else has logged in", async () => {
  const disk = new TestDisk();
  disk.room = 0;
  vi.stubGlobal("indexedDB", disk.indexedDB);
  const journal = await openJournal();
  await journal.putQueued({ key: "one", userId: 1, labelId: 7, queuedAt: 1 } as QueuedSubmission);
  const client = new QueryClient();
  client.setQueryData(sessionQuery.queryKey, sessionOf(1, "emmy"));
  open(client);
  act(() => void client.setQueryData(sessionQuery.queryKey, sessionOf(2, "carl")));
  expect(await screen.findByText(/1 label of emmy is not sent yet.*log in as emmy in another tab/)).toBeTruthy();
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  expect(leaving.defaultPrevented).toBe(true);
  await journal.deleteQueued("one");
  const sent = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(sent);
  expect(sent.defaultPrevented).toBe(false);
});
