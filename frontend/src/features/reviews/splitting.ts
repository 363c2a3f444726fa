/** Splitting a trace's text differently: step borders move, but words never change. */

/** Cut a step before `offset` of its text. Unchanged if that would leave nothing on one side. */
export function cutStep(steps: string[], step: number, offset: number): string[] {
  const text = steps[step] ?? "";
  const [before, after] = [text.slice(0, offset), text.slice(offset)];
  if (before.trim() === "" || after.trim() === "") return steps;
  return [...steps.slice(0, step), before.trimEnd(), after.trimStart(), ...steps.slice(step + 1)];
}

/** Join a step with the one before it, separated by a line break. */
export function joinStep(steps: string[], step: number): string[] {
  if (step < 1 || step >= steps.length) return steps;
  return [...steps.slice(0, step - 1), `${steps[step - 1]}\n${steps[step]}`, ...steps.slice(step + 1)];
}

/** Return where you can cut: after each sentence or line of the text, as [offset, the part before it]. */
export function cutPoints(text: string): { offset: number; part: string }[] {
  const places: { offset: number; part: string }[] = [];
  let [start, read] = [0, 0];
  let signs: Signs = { dollars: 0, opened: 0, closed: 0 };
  for (const found of text.matchAll(/\n+|(?<=[.!?:;])\s+/g)) {
    const offset = found.index + found[0].length;
    signs = withSignsOf(text.slice(read, found.index), signs);
    read = found.index; // white space: no delimiter spans it
    if (signs.dollars % 2 === 1 || signs.opened > signs.closed) continue; // inside a formula
    if (text.slice(start, found.index).trim() !== "") {
      places.push({ offset, part: text.slice(start, found.index) });
      start = offset;
    }
  }
  if (text.slice(start).trim() !== "") places.push({ offset: text.length, part: text.slice(start) });
  return places;
}

/** How many formula delimiters there are from the beginning of a text to some point. */
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
