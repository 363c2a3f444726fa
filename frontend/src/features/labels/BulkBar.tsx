import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { LabelChangeKind } from "@/api/labelListTypes";
import * as limits from "@/api/limits";
import { WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { PickedBar } from "@/ui/Faceted";
import { countOf } from "@/ui/format";
import { ACTIONS, given, type LabelFilters } from "./labelWords";
import { useChangeLabels } from "./queries";

/** What is picked: single labels, or all that match the filters. */
export type Picked = ReadonlySet<number> | "all";

interface BulkBarProps {
  slug: string;
  filters: LabelFilters;
  picked: Picked;
  /** How many labels match the filters. */
  fitting: number;
  shown: number;
  onPick: (picked: Picked) => void;
}

/** Shown only if something is picked: how much, and what you can do with it. */
export function BulkBar({ slug, filters, picked, fitting, shown, onPick }: BulkBarProps) {
  const [asked, setAsked] = useState<LabelChangeKind | null>(null);
  const count = picked === "all" ? fitting : picked.size;
  if (count === 0) return null;
  const said = (
    <>
      <strong>{countOf(count, "label")} picked</strong>
      {picked !== "all" && fitting > shown && picked.size >= shown && (
        <Button kind="plain" onClick={() => onPick("all")}>
          Pick all {countOf(fitting, "label")} that match
        </Button>
      )}
    </>
  );
  return (
    <>
      <PickedBar label="Picked labels" onNone={() => onPick(new Set())} said={said}>
        <WhileActive>
          {(filters.excluded === "yes" ? (["include"] as const) : (["exclude"] as const)).map((kind) => (
            <Button key={kind} onClick={() => setAsked(kind)}>
              {ACTIONS[kind].name}…
            </Button>
          ))}
          {(["review", "relabel", "tag"] as const).map((kind) => (
            <Button key={kind} onClick={() => setAsked(kind)}>
              {ACTIONS[kind].name}…
            </Button>
          ))}
          {filters.tag && <Button onClick={() => setAsked("untag")}>Remove tag…</Button>}
        </WhileActive>
      </PickedBar>
      {asked && (
        <ChangeDialog
          slug={slug}
          kind={asked}
          filters={filters}
          picked={picked}
          count={count}
          onClose={() => setAsked(null)}
          onDone={() => onPick(new Set())}
        />
      )}
    </>
  );
}

interface ChangeDialogProps {
  slug: string;
  kind: LabelChangeKind;
  filters: LabelFilters;
  picked: Picked;
  count: number;
  onClose: () => void;
  onDone: () => void;
}

function ChangeDialog({ slug, kind, filters, picked, count, onClose, onDone }: ChangeDialogProps) {
  const change = useChangeLabels(slug);
  const [tag, setTag] = useState(kind === "untag" ? filters.tag : "");
  const [because, setBecause] = useState("");
  const words = ACTIONS[kind];
  const which = picked === "all" ? { filters: given(filters) as Record<string, string> } : { ids: [...picked] };
  return (
    <ConfirmDialog
      opened
      title={`${words.name}: ${countOf(count, "label")}`}
      confirm={words.name}
      onConfirm={async () => {
        await change.mutateAsync({ kind, ...which, tag, because });
        onDone();
      }}
      onClose={onClose}
    >
      <p>{words.means} It is written to the audit log and can be undone.</p>
      {kind === "tag" && (
        <TextInput
          label="Tag"
          data-first
          {...limits.ChangeLabelsIn.tag}
          value={tag}
          onChange={(event) => setTag(event.currentTarget.value)}
        />
      )}
      {(kind === "exclude" || kind === "relabel" || kind === "review") && (
        <Textarea
          label="Why (optional)"
          data-first
          {...limits.ChangeLabelsIn.because}
          value={because}
          onChange={(event) => setBecause(event.currentTarget.value)}
        />
      )}
    </ConfirmDialog>
  );
}
