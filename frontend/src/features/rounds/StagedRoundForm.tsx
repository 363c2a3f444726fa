import { Checkbox, NumberInput, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { newId } from "@/api/journal";
import { linkKey, useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { Project, Round } from "@/api/projectTypes";
import type { PoolCount, Prm } from "@/api/roundTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons, FormSection } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { ErrorNotice } from "@/ui/Notice";
import { GeneratingFields } from "./GeneratingFields";
import { kFits, withK } from "./kOfMode";
import { stagedLike } from "./likeRound";
import { PoolPanel } from "./PoolPanel";
import { PrmChoice } from "./PrmChoice";
import { ProtocolChoices } from "./ProtocolChoices";
import { QueueFields } from "./QueueFields";
import { RoundForecast } from "./RoundForecast";
import { RulesFields } from "./RulesFields";
import { projectOverlap } from "./roundForm";
import classes from "./rounds.module.css";
import {
  emptyStagedForm,
  likeTraces,
  newStagedRound,
  obstacle,
  poolQuestion,
  prmInUse,
  type StagedForm,
} from "./stagedForm";
import { usePoolCount, usePrms, useStartRound } from "./stagedQueries";
import { TraceFilterFields } from "./TraceFilterFields";

const SHOWN = [
  "name",
  "overlap",
  "overlap_most",
  "overlap_needed",
  "priority",
  "k",
  "ratio",
  "per_problem_cap",
  "budget",
  "control_share",
  "seed",
  "prm",
  "mix",
];

/** Shown next to the button, because on a phone the counts are far above it. */
function startWords(traces: number | undefined): string {
  const unseen = "Labelers see nothing until you publish it.";
  return traces === undefined ? unseen : `${countOf(traces, "trace")} as it stands. ${unseen}`;
}

/** Return the PRM that the address names (`?prm=`), if it can be used. */
function useNamedPrm(prms: readonly Prm[] | undefined): number | undefined {
  const [params] = useSearchParams();
  return prms?.find((one) => String(one.id) === params.get("prm") && one.status === "ready")?.id;
}

/** A round prepared by workers: generate, grade, score, select. A person publishes it in the end. */
export function StagedRoundForm({ project, like }: { project: Project; like?: Round | undefined }) {
  const navigate = useNavigate();
  const start = useStartRound(project.slug);
  const prms = usePrms(project.slug);
  const [clientKey] = useState(newId);
  const [params] = useSearchParams();
  const link = linkKey(params, ["like_traces", "prm"]);
  const kept = useKeptForm(`round:convincing:${project.slug}:${like?.id ?? ""}:${link}`, () => {
    const empty = emptyStagedForm(projectOverlap(project));
    return like ? stagedLike(empty, like) : likeTraces(empty, params.get("like_traces"));
  });
  const typed = kept.form;
  const [counted, setCounted] = useState<PoolCount>();
  const fits = kFits(typed);
  const set = (changes: Partial<StagedForm>) => kept.set((before) => withK(before, changes, counted));
  const prm = prmInUse(typed.prm, prms.data, useNamedPrm(prms.data));
  // The fitting K does not depend on the K in the question.
  const k = fits && counted ? counted.fitting_k : typed.k;
  const form = useMemo(() => ({ ...typed, prm, k }), [typed, prm, k]);
  const [asked] = useDebouncedValue(form, 350);
  const pool = usePoolCount(project.slug, prm === undefined ? null : poolQuestion(asked));
  const settled = !fits || (pool.data?.fitting_k === k && asked.k === k && !pool.isPlaceholderData);
  // Until the first answer settles, do not show numbers and warnings for a K that the form is about to leave.
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (pool.data) setCounted(pool.data);
    if (settled || pool.isError) setOpened(true);
  }, [pool.data, settled, pool.isError]);
  const missing = obstacle(form);
  const request = newStagedRound(form, clientKey);
  const chosen = prms.data?.find((one) => one.id === prm);
  const fault = (name: string) => fieldFault(start.error, name);
  const mixFault = fault("mix");
  const number = (name: "priority" | "rescore") => ({
    name,
    allowDecimal: false,
    value: form[name],
    error: fault(name),
    onChange: (value: number | string) => set({ [name]: value === "" ? "" : Number(value) }),
  });
  const submit = () =>
    request &&
    !start.isPending &&
    kept.sent(start.mutateAsync(request), ({ id }) => void navigate(`/projects/${project.slug}/rounds/${id}`));
  return (
    <div className={classes.columns}>
      <Form onSubmit={submit} label="New round of convincing wrong answers" left={kept}>
        <TextInput
          label="Name (optional)"
          name="name"
          placeholder="Algebra, first PRM"
          {...limits.StartRoundIn.name}
          value={form.name}
          error={fault("name")}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <FormSection title="The model that scores" note="It estimates how likely each step is correct.">
          <PrmChoice prms={prms} value={form.prm} onChange={(chosenPrm) => set({ prm: chosenPrm })} />
          {chosen?.dtype === "bfloat16" && (
            <NumberInput
              label="Best of a problem, scored again exactly"
              description="The model scores in half precision. This many traces of each problem are scored again in full precision. 0 for none."
              {...limits.StartRoundIn.rescore}
              {...number("rescore")}
            />
          )}
        </FormSection>
        <FormSection title="Which traces" note="From active problems in the train split. Empty fields do not filter.">
          <TraceFilterFields slug={project.slug} anyOutcome form={form} set={set} />
          <Checkbox
            label="Grade answers first"
            description="Grades traces whose answer was never compared with the true one, before they are scored."
            checked={form.grade}
            onChange={(event) => set({ grade: event.currentTarget.checked })}
          />
        </FormSection>
        <GeneratingFields slug={project.slug} form={form} set={set} />
        <FormSection title="How to choose" note="The same rules and the same seed choose the same traces.">
          <RulesFields
            form={form}
            set={set}
            fault={fault}
            advice={pool.data?.advice}
            adviceComing={pool.isLoading || prms.isPending}
            random={form.prm === null}
            scorers={(prms.data ?? []).filter(({ id, scored }) => id !== prm && scored > 0)}
          />
          <ErrorNotice error={mixFault ? new Error(mixFault) : null} />
        </FormSection>
        <FormSection title="Labeling">
          <ProtocolChoices value={form.protocol} onChange={(protocol) => set({ protocol })} />
          <QueueFields form={form} set={set} error={start.error} number={number} />
        </FormSection>
        <ErrorNotice error={otherFault(start.error, SHOWN)} title="The round did not start" />
        <FormButtons>
          <Button kind="primary" type="submit" disabled={!request || start.isPending}>
            {start.isPending ? "Starting…" : "Start the round"}
          </Button>
          <ButtonLink to={`/projects/${project.slug}/rounds`} onClick={() => kept.forget()}>
            Cancel
          </ButtonLink>
          <span className={classes.aside}>
            {missing ?? startWords(form.generating || pool.isFetching ? undefined : pool.data?.expected.selected)}
          </span>
        </FormButtons>
      </Form>
      <PoolPanel
        pool={opened ? pool : { ...pool, data: undefined }}
        missing={poolQuestion(form) === null ? missing : null}
        waiting={asked !== form}
        random={form.prm === null}
      >
        <RoundForecast slug={project.slug} labels={labelsOf(pool.data?.expected.selected, form.overlap)} />
      </PoolPanel>
    </div>
  );
}

/** Return how many labels this many traces take; undefined while either number is unknown. */
function labelsOf(traces: number | undefined, overlap: number | ""): number | undefined {
  return traces === undefined || overlap === "" ? undefined : traces * overlap;
}
