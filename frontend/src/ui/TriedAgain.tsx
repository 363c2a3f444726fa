import { Notice } from "./Notice";

/** Why an unfinished job failed the last time; nothing if it has not failed. */
export function TriedAgain({ error }: { error: string }) {
  if (!error) return null;
  return (
    <Notice tone="warn" title="The last try failed; it is retried automatically.">
      {error}
    </Notice>
  );
}
