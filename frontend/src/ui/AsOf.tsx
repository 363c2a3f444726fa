import { formatClock } from "./format";

const WORTH_SAYING = 60_000; // ms

interface AsOfProps {
  /** When the server worked the figures out. */
  at: string | undefined;
  /** When they came. */
  came: number;
}

/** "as of 14:02" beside figures of a large project, which the server keeps for a while; nothing where they are new. */
export function AsOf({ at, came }: AsOfProps) {
  if (at === undefined || came - Date.parse(at) < WORTH_SAYING) return null;
  return (
    <time dateTime={at} style={{ color: "var(--quiet)", fontSize: 13.5 }}>
      as of {formatClock(at)}
    </time>
  );
}
