import { NumberInput, Switch } from "@mantine/core";
import { useState } from "react";
import { Button } from "./Button";
import { ConfirmDialog } from "./ConfirmDialog";
import { Form, FormButtons, FormRow } from "./Form";
import { countOf, formatCount } from "./format";
import { Notice } from "./Notice";
import { Facts, Panel } from "./Panel";

/** How much may be deleted, or was deleted. */
export interface Old {
  drafts: number;
  heads: number;
  rollouts: number;
}

interface PrunePanelProps {
  /** Whose data: "this project", "all projects". */
  of: string;
  days: number;
  /** How few and how many days the server takes. */
  limits: { min: number; max: number };
  onDays: (days: number) => void;
  /** How much is older; undefined while it is being counted. */
  old: Old | undefined;
  prune: (asked: { days: number; rollouts: boolean }) => Promise<Old>;
}

/** Deletes what nobody will continue: shows how much there is, asks for confirmation, and says what was deleted. */
export function PrunePanel({ of, days, limits, onDays, old, prune }: PrunePanelProps) {
  const [rollouts, setRollouts] = useState(false);
  const [asking, setAsking] = useState(false);
  const [gone, setGone] = useState<Old | null>(null);
  const going = old ? old.drafts + old.heads + (rollouts ? old.rollouts : 0) : 0;
  return (
    <Panel
      title="Old drafts and rollouts"
      note="Drafts and rollouts that are no longer needed. Labels, hits, votes and machine marks are kept."
    >
      <Form label="Old drafts and rollouts" onSubmit={() => setAsking(true)}>
        <FormRow>
          <NumberInput
            label="Older than, days"
            name="days"
            {...limits}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="strict"
            value={days}
            onChange={(value) => onDays(Number(value))}
          />
        </FormRow>
        <Facts
          facts={[
            ["Drafts of labels that expired or were given back", old ? formatCount(old.drafts) : "counting …"],
            ["First rows in reports of imports", old ? formatCount(old.heads) : "counting …"],
            ["Traces with rollouts or judges’ words", old ? formatCount(old.rollouts) : "counting …"],
          ]}
        />
        <Switch
          label="Rollouts and judges’ words, too"
          description="For sources whose last run ended that long ago. Their evidence is no longer shown."
          name="rollouts"
          checked={rollouts}
          onChange={(event) => setRollouts(event.currentTarget.checked)}
        />
        <FormButtons>
          <Button kind="danger" type="submit" disabled={going === 0}>
            Throw away
          </Button>
          {old && going === 0 && <span>Nothing is that old.</span>}
        </FormButtons>
      </Form>
      {gone && <Notice tone="good">Thrown away: {said(gone)}.</Notice>}
      <ConfirmDialog
        opened={asking}
        title={`Throw away what is older than ${countOf(days, "day")}?`}
        confirm="Throw away"
        danger
        onConfirm={async () => setGone(await prune({ days, rollouts }))}
        onClose={() => setAsking(false)}
      >
        {old && `Of ${of}: ${said({ ...old, rollouts: rollouts ? old.rollouts : 0 })}. `}This cannot be undone.
      </ConfirmDialog>
    </Panel>
  );
}

function said({ drafts, heads, rollouts }: Old): string {
  return `${countOf(drafts, "draft")}, the first rows of ${countOf(heads, "import")}, rollouts and words of ${countOf(rollouts, "trace")}`;
}
