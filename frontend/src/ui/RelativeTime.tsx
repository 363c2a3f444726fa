import { formatDateTime, formatRelative } from "./format";
import { useNow } from "./useNow";

/** "3 min ago", with the exact time on hover; `none` if there is no time. */
export function RelativeTime({ at, none = "never" }: { at: string | null; none?: string }) {
  const now = useNow();
  if (at === null) return <span>{none}</span>;
  return (
    <time dateTime={at} title={formatDateTime(at)} style={{ whiteSpace: "nowrap" }}>
      {formatRelative(at, now)}
    </time>
  );
}
