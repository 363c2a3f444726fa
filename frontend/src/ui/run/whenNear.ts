const AHEAD = "1500px 0px";

const waiting = new WeakMap<Element, Set<() => void>>();
let observer: IntersectionObserver | null = null;

/**
 * Call `then` once the element comes near the visible part of the page. The browser checks every observed element in
 * every frame. So of thousands of units in groups, only the groups are observed, and the units of a group once it is
 * near. Returns how to stop.
 */
export function whenNear(element: Element, then: () => void): () => void {
  const group = element.closest("[data-group]");
  if (!group) return once(element, then);
  let leave = once(group, () => {
    leave = once(element, then);
  });
  return () => leave();
}

function once(element: Element, then: () => void): () => void {
  const asked = waiting.get(element) ?? new Set();
  asked.add(then);
  waiting.set(element, asked);
  observing().observe(element);
  return () => {
    asked.delete(then);
    if (asked.size === 0) observer?.unobserve(element);
  };
}

/** The one observer for all elements. */
function observing(): IntersectionObserver {
  const options: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: AHEAD, scrollMargin: AHEAD };
  observer ??= new IntersectionObserver((seen, self) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      self.unobserve(target);
      const asked = waiting.get(target) ?? [];
      waiting.delete(target);
      for (const then of asked) then();
    }
  }, options);
  return observer;
}
