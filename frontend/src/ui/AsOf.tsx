import { formatClock } from "./format";

const WORTH_SAYING = 60_000; // ms; younger figures count as new

interface AsOfProps {
  /** When the server computed the figures. */
  at: string | undefined;
  /** When the figures arrived, in epoch milliseconds. */
  came: number;
}

/** "as of 14:02" next to figures of a large project, which the server caches for a while; nothing if they are new. */
export function AsOf({ at, came }: AsOfProps) {
  if (at === undefined || came - Date.parse(at) < WORTH_SAYING) return null;
  return (
    <time dateTime={at} style={{ color: "var(--quiet)", fontSize: 13.5 }}>
      as of {formatClock(at)}
    </time>
  );
}
