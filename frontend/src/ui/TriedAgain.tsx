import { Notice } from "./Notice";

/** Why a job that is not over failed the last time; nothing while it never has. */
export function TriedAgain({ error }: { error: string }) {
  if (!error) return null;
  return (
    <Notice tone="warn" title="The last try failed; it is retried automatically.">
      {error}
    </Notice>
  );
}
