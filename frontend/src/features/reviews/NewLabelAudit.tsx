import { NativeSelect, NumberInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import type { Prm } from "@/api/roundTypes";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons, FormRow } from "@/ui/Form";
import { originWords } from "@/ui/learnedFrom";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./labelAudit.module.css";
import { useCreateLabelAudit, useLabelAuditPreview, useLabelAuditPrms, useRoundChoices } from "./labelAuditQueries";
import { countWords } from "./labelAuditWords";

/** Choose labels for a label audit; where no PRM can, the way to one. */
export function NewLabelAudit({ slug }: { slug: string }) {
  const prms = useLabelAuditPrms(slug);
  if (prms.isPending) return <SkeletonLines lines={3} />;
  if (prms.isError) return <ErrorState inline error={prms.error} retry={() => void prms.refetch()} />;
  const scored = prms.data.filter((prm) => prm.scored > 0);
  if (scored.length > 0) return <ChooseLabels slug={slug} prms={scored} />;
  return (
    <EmptyState
      inline
      title={prms.data.length === 0 ? "No PRM is ready" : "No PRM has scored a trace here"}
      actions={<ButtonLink to={`/projects/${slug}/prms`}>PRMs</ButtonLink>}
    >
      {prms.data.length === 0 ? (
        <p>A label audit needs a PRM that gives probabilities of steps. Train one, or connect one.</p>
      ) : (
        <p>
          Run <code>manage.py score_traces {slug} --prm NAME</code>, or a round with the PRM: both score what was
          labeled too.
        </p>
      )}
    </EmptyState>
  );
}

function ChooseLabels({ slug, prms }: { slug: string; prms: Prm[] }) {
  const navigate = useNavigate();
  const rounds = useRoundChoices(slug);
  const create = useCreateLabelAudit(slug);
  const [prm, setPrm] = useState(String(prms[0]?.id ?? ""));
  const [round, setRound] = useState("");
  const [labels, setLabels] = useState<number | "">(40);
  const [control, setControl] = useState<number | "">(30);
  const [seed, setSeed] = useState<number | "">(0);
  const chosen = prms.find((one) => String(one.id) === prm);
  const question = { prm: Number(prm), round: round === "" ? null : Number(round) };
  const counts = useLabelAuditPreview(slug, question);
  const submit = () =>
    create.mutate(
      { ...question, labels: Number(labels), control_share: Number(control) / 100, seed: Number(seed) },
      { onSuccess: (made) => void navigate(`/projects/${slug}/label-audits/${made.id}`) },
    );
  const whole = (set: (value: number | "") => void) => (value: number | string) =>
    set(value === "" ? "" : Number(value));
  return (
    <Panel
      title="New label audit"
      note="Never gold, bad problems, or what a reviewer settled; one label a trace, and nobody reviews a trace they labeled."
    >
      <Form label="New label audit" onSubmit={submit}>
        <FormRow>
          <NativeSelect
            label="PRM"
            description={chosen && originWords(chosen)}
            data={prms.map((one) => ({ value: String(one.id), label: one.name }))}
            value={prm}
            error={fieldFault(create.error, "prm")}
            onChange={(event) => setPrm(event.currentTarget.value)}
          />
          <NativeSelect
            label="Labels of"
            data={[
              { value: "", label: "every round" },
              ...(rounds.data ?? []).map((one) => ({
                value: String(one.id),
                label: one.name || `round ${one.number}`,
              })),
            ]}
            value={round}
            error={fieldFault(create.error, "round")}
            onChange={(event) => setRound(event.currentTarget.value)}
          />
        </FormRow>
        <FormRow>
          <NumberInput
            label="Labels to review"
            allowDecimal={false}
            min={2}
            max={500}
            value={labels}
            error={fieldFault(create.error, "labels")}
            onChange={whole(setLabels)}
          />
          <NumberInput
            label="Of them at random, %"
            allowDecimal={false}
            min={5}
            max={90}
            value={control}
            error={fieldFault(create.error, "control_share")}
            onChange={whole(setControl)}
          />
          <NumberInput
            label="Seed"
            allowDecimal={false}
            min={0}
            max={2 ** 53 - 1}
            value={seed}
            onChange={whole(setSeed)}
          />
        </FormRow>
        <ErrorNotice error={otherFault(create.error, ["prm", "round", "labels", "control_share"])} title="Not made" />
        {counts.data?.learned_known === false && (
          <Notice tone="warn" title="It is not known which labels this PRM learned from">
            It was not trained in this project. Labels that it learned from do not surprise it, and they cannot be left
            out: where it learned from these, the label audit finds less noise than there is.
          </Notice>
        )}
        <FormButtons>
          <Button
            kind="primary"
            type="submit"
            disabled={create.isPending || [labels, control, seed].includes("") || (counts.data?.candidates ?? 2) < 2}
          >
            {create.isPending ? "Choosing…" : "Choose labels"}
          </Button>
          <span role="status" className={classes.quiet}>
            {counts.data && countWords(counts.data)}
            {counts.isError && (counts.error instanceof Error ? counts.error.message : "The labels were not counted.")}
          </span>
        </FormButtons>
      </Form>
    </Panel>
  );
}
