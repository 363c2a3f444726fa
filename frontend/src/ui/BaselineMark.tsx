import { baselineWords } from "./baselineWords";
import { StatusMark } from "./StatusMark";

/** The sets on which position and length alone are as good as the PRM; nothing if there are none. */
export function BaselineMark({ notBeaten }: { notBeaten: readonly string[] }) {
  const words = baselineWords(notBeaten);
  return words ? <StatusMark tone="held">{words}</StatusMark> : null;
}
