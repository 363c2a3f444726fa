/** Cutting a trace's text elsewhere: borders between steps move, words never change. */

/** The step cut before `offset` of its text; as it was where that would leave nothing on a side. */
export function cutStep(steps: string[], step: number, offset: number): string[] {
  const text = steps[step] ?? "";
  const [before, after] = [text.slice(0, offset), text.slice(offset)];
  if (before.trim() === "" || after.trim() === "") return steps;
  return [...steps.slice(0, step), before.trimEnd(), after.trimStart(), ...steps.slice(step + 1)];
}

/** The step joined with the one before it, a line between them. */
export function joinStep(steps: string[], step: number): string[] {
  if (step < 1 || step >= steps.length) return steps;
  return [...steps.slice(0, step - 1), `${steps[step - 1]}\n${steps[step]}`, ...steps.slice(step + 1)];
}

/** Where one may cut: after each sentence or line of the text, as [offset, the part before it]. */
export function cutPoints(text: string): { offset: number; part: string }[] {
  const places: { offset: number; part: string }[] = [];
  let [start, read] = [0, 0];
  let signs: Signs = { dollars: 0, opened: 0, closed: 0 };
  for (const found of text.matchAll(/\n+|(?<=[.!?:;])\s+/g)) {
    const offset = found.index + found[0].length;
    signs = withSignsOf(text.slice(read, found.index), signs);
    read = found.index; // white space: no sign goes on over it
    if (signs.dollars % 2 === 1 || signs.opened > signs.closed) continue; // within a formula
    if (text.slice(start, found.index).trim() !== "") {
      places.push({ offset, part: text.slice(start, found.index) });
      start = offset;
    }
  }
  if (text.slice(start).trim() !== "") places.push({ offset: text.length, part: text.slice(start) });
  return places;
}

/** Of formulas, as many as there are from the beginning of a text on. */
interface Signs {
  dollars: number;
  opened: number;
  closed: number;
}

function withSignsOf(part: string, before: Signs): Signs {
  return {
    dollars: before.dollars + [...part.matchAll(/(?<!\\)\$+/g)].length,
    opened: before.opened + [...part.matchAll(/\\[([]/g)].length,
    closed: before.closed + [...part.matchAll(/\\[)\]]/g)].length,
  };
}
