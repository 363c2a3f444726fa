import { render } from "@testing-library/react";
import { act } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { RunMap } from "./RunPanels";
import type { RunShown } from "./runShown";

const RUN = { steps: [], kinds: ["message"], hidden: new Set(), toggle: () => undefined } as unknown as RunShown;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test.each([
  ["sticky", "108px", "140px"],
  ["static", "", ""],
])("what is scrolled to keeps clear of a %s map, as high as that is", (position, first, grown) => {
  let resize = () => undefined as unknown;
  class Observer {
    constructor(tell: () => void) {
      resize = () => act(tell);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal("ResizeObserver", Observer);
  vi.spyOn(window, "getComputedStyle").mockReturnValue({ position } as CSSStyleDeclaration);
  const height = vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(108);
  const { container, unmount } = render(<RunMap run={RUN} ratings={[null]} focus={0} onGo={() => undefined} />);
  resize();
  expect(container.style.scrollPaddingTop).toBe(first);
  height.mockReturnValue(140);
  resize();
  expect(container.style.scrollPaddingTop).toBe(grown);
  unmount();
  expect(container.style.scrollPaddingTop).toBe("");
});
