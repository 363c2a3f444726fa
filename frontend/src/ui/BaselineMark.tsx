import { baselineWords } from "./baselineWords";
import { StatusMark } from "./StatusMark";

/** Says of a PRM on which sets position and length alone tell as much; nothing where there are none. */
export function BaselineMark({ notBeaten }: { notBeaten: readonly string[] }) {
  const words = baselineWords(notBeaten);
  return words ? <StatusMark tone="held">{words}</StatusMark> : null;
}
