import { NativeSelect, NumberInput } from "@mantine/core";
import { Link, useNavigate, useSearchParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { linkKey, useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import { inPercent } from "@/api/percent";
import { Button, ButtonLink } from "@/ui/Button";
import { Form, FormButtons, FormRow } from "@/ui/Form";
import { originWords } from "@/ui/learnedFrom";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./labelAudit.module.css";
import {
  useCreateLabelAudit,
  useLabelAuditPreview,
  useLabelAuditPrms,
  useLabelAuditSources,
  useRoundChoices,
} from "./labelAuditQueries";
import { countWords, SAYS } from "./labelAuditWords";

/** Choose labels for a label audit. If no PRM or source can choose, the way to get one. */
export function NewLabelAudit({ slug }: { slug: string }) {
  const prms = useLabelAuditPrms(slug);
  const sources = useLabelAuditSources(slug);
  const failed = [prms, sources].find((one) => one.isError);
  if (failed) return <ErrorState inline error={failed.error} retry={() => void failed.refetch()} />;
  if (!prms.data || !sources.data) return <SkeletonLines lines={3} />;
  const machines = [
    ...prms.data.filter((prm) => prm.scored > 0).map((prm) => ({ id: prm.id, name: prm.name, says: originWords(prm) })),
    ...sources.data.map((one) => ({ id: one.id, name: one.name, says: SAYS[one.kind] })),
  ];
  if (machines.length > 0) return <ChooseLabels slug={slug} machines={machines} />;
  return (
    <EmptyState
      inline
      title="No PRM or source has scored a trace here"
      actions={
        <>
          <ButtonLink to={`/projects/${slug}/prms`}>PRMs</ButtonLink>
          <ButtonLink to={`/projects/${slug}/sources`}>Machine labels</ButtonLink>
        </>
      }
    >
      {prms.data.length === 0 ? (
        <p>
          A label audit needs a PRM that gives step probabilities, or a source of machine labels. Train or connect a
          PRM, or have a source mark the labeled traces.
        </p>
      ) : (
        <p>
          Open a round that chooses by the PRM: workers then score the labeled traces, too. Or have a source of machine
          labels mark them. Operators can score them without a round (<code>manage.py score_traces</code>).
        </p>
      )}
    </EmptyState>
  );
}

interface Machine {
  id: number;
  name: string;
  /** What it is based on. */
  says: string;
}

function ChooseLabels({ slug, machines }: { slug: string; machines: Machine[] }) {
  const navigate = useNavigate();
  const rounds = useRoundChoices(slug);
  const create = useCreateLabelAudit(slug);
  const [params] = useSearchParams(); // a source's page links here with `by`
  const kept = useKeptForm(`label audit:${slug}:${linkKey(params, ["by"])}`, () => ({
    machine: "",
    round: "",
    labels: 40 as number | "",
    control: 30 as number | "",
    seed: 0 as number | "",
  }));
  const { round, labels, control, seed } = kept.form;
  const chosen = [kept.form.machine, params.get("by")]
    .map((id) => machines.find((one) => String(one.id) === id))
    .concat(machines)
    .find(Boolean);
  const prm = String(chosen?.id ?? "");
  const question = { prm: Number(prm), round: round === "" ? null : Number(round) };
  const counts = useLabelAuditPreview(slug, question);
  const submit = () =>
    kept.sent(
      create.mutateAsync({
        ...question,
        labels: Number(labels),
        control_share: Number(control) / 100,
        seed: Number(seed),
      }),
      (made) => void navigate(`/projects/${slug}/label-audits/${made.id}`),
    );
  const whole = (name: "labels" | "control" | "seed") => (value: number | string) =>
    kept.set({ [name]: value === "" ? "" : Number(value) });
  return (
    <Panel
      title="New label audit"
      note="Gold, bad problems and tasks that a reviewer settled are never chosen. One label is chosen per trace, and you never review a trace that you labeled."
    >
      <Form label="New label audit" onSubmit={submit} left={kept}>
        <FormRow>
          <NativeSelect
            label="PRM or source"
            description={chosen?.says}
            data={machines.map((one) => ({ value: String(one.id), label: one.name }))}
            value={prm}
            error={fieldFault(create.error, "prm")}
            onChange={(event) => kept.set({ machine: event.currentTarget.value })}
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
            onChange={(event) => kept.set({ round: event.currentTarget.value })}
          />
        </FormRow>
        <FormRow>
          <NumberInput
            label="Labels to review"
            allowDecimal={false}
            {...limits.CreateLabelAuditIn.labels}
            value={labels}
            error={fieldFault(create.error, "labels")}
            onChange={whole("labels")}
          />
          <NumberInput
            label="Of them at random, %"
            allowDecimal={false}
            {...inPercent(limits.CreateLabelAuditIn.control_share)}
            value={control}
            error={fieldFault(create.error, "control_share")}
            onChange={whole("control")}
          />
          <NumberInput
            label="Seed"
            allowDecimal={false}
            {...limits.CreateLabelAuditIn.seed}
            value={seed}
            onChange={whole("seed")}
          />
        </FormRow>
        <ErrorNotice error={otherFault(create.error, ["prm", "round", "labels", "control_share"])} title="Not made" />
        {counts.data?.learned_known === false && (
          <Notice tone="warn" title="Stepmark does not know which labels this machine learned from">
            The machine was not trained in this project. If it learned from labels of this project, they look likely to
            it and cannot be left out. The label audit then finds less noise than there is.
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
            {counts.data?.candidates === 0 && (
              <>
                {" "}
                Choose another PRM or source, or have one judge them: <Link to={`/projects/${slug}/prms`}>PRMs</Link>,{" "}
                <Link to={`/projects/${slug}/sources`}>Machine labels</Link>.
              </>
            )}
            {counts.isError &&
              (counts.error instanceof Error ? counts.error.message : "The labels could not be counted.")}
          </span>
        </FormButtons>
      </Form>
    </Panel>
  );
}
