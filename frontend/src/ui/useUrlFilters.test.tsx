import { act, renderHook } from "@testing-library/react";
import { BrowserRouter } from "react-router";
import { expect, test } from "vitest";
import { useUrlFilters } from "./useUrlFilters";

test("two filters that are set in one tick are both set", () => {
  window.history.replaceState(null, "", "/?kept=1&one=9");
  const { result } = renderHook(() => useUrlFilters(["one", "other"] as const), { wrapper: BrowserRouter });
  act(() => {
    result.current.setFilter("one", "1");
    result.current.setFilter("other", "3");
  });
  expect(result.current.filters).toEqual({ one: "1", other: "3" });
  act(() => result.current.setFilters({ one: "", other: "4" }));
  expect(window.location.search).toBe("?kept=1&other=4");
});
