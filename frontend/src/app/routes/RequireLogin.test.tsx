import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { MemoryRouter, Route, Routes } from "react-router";
import { expect, test } from "vitest";
import { sessionQuery, useUser } from "@/api/session";
import type { Session } from "@/api/types";
import { RequireLogin } from "./RequireLogin";

let drawAgain: () => void = () => undefined;

function NamedPage() {
  const [, draw] = useState(0);
  drawAgain = () => draw((times) => times + 1);
  return <p>This is {useUser().username}</p>;
}

test("a page that is drawn between a logout and its notice to the login route still has its person", async () => {
  const client = new QueryClient();
  const session = { user: { username: "emmy", preferences: {}, memberships: [] } } as unknown as Session;
  client.setQueryData(sessionQuery.queryKey, session);
  render(
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
  expect(screen.getByText("This is emmy")).toBeTruthy();
  client.setQueryData(sessionQuery.queryKey, { ...session, user: null });
  act(() => flushSync(drawAgain));
  expect(await screen.findByRole("heading", { name: "Log in" })).toBeTruthy();
});
