import { useEffect, useState } from "react";
import { openJournal } from "@/api/journal";
import type { SessionUser } from "@/api/types";
import { Button } from "@/ui/Button";
import { countOf } from "@/ui/format";
import { EmptyState } from "@/ui/states";

/** Replaces the page when someone else logs in: it makes no more requests and offers to go on as the new person. */
export function SomebodyElse({ owner, user }: { owner: SessionUser; user: SessionUser }) {
  const [hereAlone, setHereAlone] = useState(0);
  useEffect(() => {
    void openJournal().then((journal) => setHereAlone(journal.submissionsHereAlone()));
  }, []);
  return (
    <main>
      <div role="alert">
        <EmptyState
          title="Somebody else has logged in in this browser"
          actions={
            <Button kind="primary" onClick={() => window.location.assign("/")}>
              Go on as {nameOf(user)}
            </Button>
          }
        >
          This page was opened by {nameOf(owner)}; now {nameOf(user)} is logged in.{" "}
          {hereAlone === 0
            ? `Unsent work of ${nameOf(owner)} stays in this browser until ${nameOf(owner)} logs in here again.`
            : `${countOf(hereAlone, "label")} of ${nameOf(owner)} ${hereAlone === 1 ? "is" : "are"} not sent yet, and this browser could not keep ${hereAlone === 1 ? "it" : "them"}: leave this page open, and log in as ${nameOf(owner)} in another tab.`}
        </EmptyState>
      </div>
    </main>
  );
}

function nameOf(user: SessionUser): string {
  return user.display_name || user.username;
}
