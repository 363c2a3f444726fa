import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import { forgetKept, keptName } from "@/api/keptText";
import type { Round } from "@/api/projectTypes";
import type { SelectionRules } from "@/api/roundTypes";
import { AsYouLeftIt } from "@/ui/AsYouLeftIt";
import { Button } from "@/ui/Button";
import { Form, FormButtons } from "@/ui/Form";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { type SaidK, saidK, withK } from "./kOfMode";
import { PoolPanel } from "./PoolPanel";
import { RulesFields } from "./RulesFields";
import classes from "./rounds.module.css";
import { quotaWords, type RulesForm, rulesFormOf, rulesOf } from "./rulesForm";
import type { PoolQuestion } from "./stagedForm";
import { usePoolCount, usePrms, useReselect } from "./stagedQueries";

const formKey = (round: Round) => `reselect:${round.id}`;

/** Choose again from the same scored pool by other rules. Nothing is generated, graded or scored again. */
export function Reselect({ slug, round }: { slug: string; round: Round }) {
  const [opened, setOpened] = useState(false);
  const toggle = () => {
    if (opened) forgetKept(keptName(formKey(round)));
    setOpened(!opened);
  };
  const now = quotaWords(rulesFormOf({ ...round.config, seed: round.seed }), round.prm === null);
  return (
    <Panel
      title="The rules"
      note={
        opened
          ? "With other rules, the round chooses again from the same pool. Nothing is generated, graded or scored again."
          : now
      }
      actions={
        <Button aria-expanded={opened} onClick={toggle}>
          {opened ? "Leave them as they are" : "Change the rules"}
        </Button>
      }
    >
      {opened && <ReselectForm slug={slug} round={round} onDone={() => setOpened(false)} />}
    </Panel>
  );
}

/** Return the question for this round's pool under other rules. */
function questionOf(round: Round, rules: SelectionRules | null): PoolQuestion | null {
  if (rules === null) return null;
  return {
    ...rules,
    filter: round.config.filter ?? {},
    prm: round.prm?.id ?? null,
    grade: false,
    rescore: 0,
    generate: null,
  };
}

function ReselectForm({ slug, round, onDone }: { slug: string; round: Round; onDone: () => void }) {
  const reselect = useReselect(slug, round.id);
  const kept = useKeptForm<RulesForm & SaidK>(formKey(round), () => {
    const rules = rulesFormOf({ ...round.config, seed: round.seed });
    return { ...rules, ...saidK(rules) };
  });
  const { form } = kept;
  const [asked] = useDebouncedValue(form, 350);
  const pool = usePoolCount(slug, questionOf(round, rulesOf(asked)), round.id);
  const set = (changes: Partial<RulesForm>) => kept.set((before) => withK(before, changes, pool.data));
  const prms = usePrms(slug);
  const rules = rulesOf(form);
  const submit = () => rules && !reselect.isPending && kept.sent(reselect.mutateAsync(rules), onDone);
  return (
    <div className={classes.columns}>
      <Form onSubmit={submit} label="Rules of the selection">
        <AsYouLeftIt left={kept} />
        <RulesFields
          form={form}
          set={set}
          fault={(name) => fieldFault(reselect.error, name)}
          advice={pool.data?.advice}
          adviceComing={pool.isLoading}
          random={round.prm === null}
          scorers={(prms.data ?? []).filter(({ id, scored }) => id !== round.prm?.id && scored > 0)}
        />
        <ErrorNotice
          error={otherFault(reselect.error, ["k", "ratio", "per_problem_cap", "budget", "control_share", "seed"])}
        />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={!rules || reselect.isPending}>
            {reselect.isPending ? "Choosing…" : "Choose again"}
          </Button>
        </FormButtons>
      </Form>
      <PoolPanel
        pool={pool}
        missing={rules === null ? "A field is not valid." : null}
        waiting={asked !== form}
        random={round.prm === null}
      />
    </div>
  );
}
