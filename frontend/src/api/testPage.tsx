/** For tests: a page at its address, with a logged-in person and a server that answers some paths. */
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";
import { vi } from "vitest";
import { LoggedInPerson } from "./session";
import type { Role, SessionUser } from "./types";

interface TestPage {
  page: ReactNode;
  /** The page's address, and the pattern that matches it. */
  at?: string;
  path?: string;
  role?: Role;
  /**
   * The server's answers to a GET or POST, by path. A function builds the answer from the body on each request, at once
   * or later; answers may be refusals. A path that is not listed is never answered.
   */
  answers?: Record<string, unknown>;
}

/** Open the page; `address()` returns the current address. The test ends with `closeTestPage`. */
export function openTestPage({ page, at = "/projects/demo", path = "*", role = "admin", answers = {} }: TestPage) {
  vi.stubGlobal("fetch", (asked: string, sent?: RequestInit) => {
    const found = answers[asked.split("?")[0] ?? ""];
    if (found === undefined) return new Promise(() => undefined);
    const said: unknown = typeof found === "function" ? found(sent?.body) : found;
    return Promise.resolve(said).then((now) => (now instanceof Response ? now : Response.json(now)));
  });
  // Browser features that jsdom lacks.
  vi.stubGlobal("ResizeObserver", WideObserver);
  vi.stubGlobal("IntersectionObserver", BlindObserver);
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  Object.assign(document, { fonts: { addEventListener() {}, removeEventListener() {} } });
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
  // biome-ignore lint/suspicious/noDocumentCookie: as a browser keeps it
  document.cookie = "csrftoken=of-the-test";
  const memberships = [{ project: { slug: "demo" }, role }];
  const user = { id: 1, username: "emmy", preferences: {}, memberships } as unknown as SessionUser;
  let address = at;
  const Address = () => {
    const { pathname, search } = useLocation();
    address = pathname + search;
    return null;
  };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <LoggedInPerson value={user}>
          <MemoryRouter initialEntries={[at]}>
            <Address />
            <Routes>
              <Route path={path} element={page} />
              <Route path="*" element={null} />
            </Routes>
          </MemoryRouter>
        </LoggedInPerson>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { address: () => address };
}

export function closeTestPage(): void {
  vi.unstubAllGlobals();
  sessionStorage.clear();
  // biome-ignore lint/suspicious/noDocumentCookie: as a browser forgets it
  document.cookie = "csrftoken=; max-age=0";
}

/** Reports that every observed element is 600 pixels wide. */
class WideObserver {
  private readonly tell: ResizeObserverCallback;
  constructor(tell: ResizeObserverCallback) {
    this.tell = tell;
  }
  observe() {
    const contentRect = { width: 600, height: 300 };
    queueMicrotask(() => this.tell([{ contentRect } as ResizeObserverEntry], this as unknown as ResizeObserver));
  }
  unobserve() {}
  disconnect() {}
}

/** Never reports that an element comes into sight. */
class BlindObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
