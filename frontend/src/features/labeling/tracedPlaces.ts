import { type SymbolPlace, symbolPlaces } from "@/ui/math/symbolPlaces";
import { IN_PROBLEM, PLACE, type Place, type SymbolTrace } from "./symbolTrace";

function whereOf(root: Element): number {
  return Number(root.getAttribute("data-traced"));
}

/**
 * Return the step's symbol after the one being followed, counting each once. If it has none, use the problem's symbols.
 */
export function nextSymbol(step: number, old: SymbolTrace | null): SymbolPlace | null {
  for (const where of [step, IN_PROBLEM]) {
    const all = [...document.querySelectorAll(`[data-traced="${where}"]`)].flatMap((root) => symbolPlaces(root));
    const once = all.filter(({ key }, index) => all.findIndex((other) => other.key === key) === index);
    const at = once.findIndex(({ key }) => key === old?.key);
    const found = once[(at + 1) % once.length];
    if (found) return found;
  }
  return null;
}

/** Return all places of a symbol in reading order, the problem first. */
export function follow({ key, tex }: SymbolPlace, from: number): SymbolTrace {
  const places = placesOf(key);
  return {
    key,
    tex,
    places,
    here: Math.max(
      0,
      places.findIndex((place) => place.where === from),
    ),
  };
}

function placesOf(key: string): Place[] {
  const roots = [...document.querySelectorAll(PLACE)].toSorted((a, b) => whereOf(a) - whereOf(b));
  return roots.flatMap((root) =>
    symbolPlaces(root, key).map(({ ranges }) => ({ where: whereOf(root), ranges: ranges() })),
  );
}

export function retrace(old: SymbolTrace): SymbolTrace {
  const places = placesOf(old.key);
  return { ...old, places, here: Math.min(old.here, Math.max(0, places.length - 1)) };
}

export function symbolAt({ target, clientX, clientY }: MouseEvent): { symbol: SymbolPlace; where: number } | null {
  const root = target instanceof Element ? target.closest(PLACE) : null;
  if (!root) return null;
  const symbol = symbolPlaces(root).find(({ ranges }) =>
    ranges().some((range) => [...range.getClientRects()].some((box) => holds(box, clientX, clientY))),
  );
  return symbol ? { symbol, where: whereOf(root) } : null;
}

function holds({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean {
  return left <= x && x <= right && top <= y && y <= bottom;
}
