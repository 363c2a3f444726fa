import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import * as limits from "@/api/limits";
import type { EvaluationSet, EvaluationSets, EvaluationSummary } from "@/api/trainingTypes";
import { WhileActive } from "@/ui/ActiveProject";
import { AsYouLeftIt } from "@/ui/AsYouLeftIt";
import { Button, ButtonLink } from "@/ui/Button";
import { BEATEN, NOT_BEATEN } from "@/ui/baselineWords";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { type Line, LineChart } from "@/ui/charts/LineChart";
import type { TableColumn } from "@/ui/DataTable";
import { Choices, Form, FormButtons, FormRow } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { originWords } from "@/ui/learnedFrom";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { labelsUsed } from "./labelsUsed";
import classes from "./prms.module.css";
import { estimateWords } from "./prmWords";
import {
  useCreateEvaluation,
  useCreateEvaluationSet,
  useEvaluationSets,
  useEvaluations,
  usePrms,
  useTrainingOptions,
} from "./queries";
import { RoundTicks, roundsWithLabels } from "./RoundTicks";

/** Sets to measure on, the PRMs measured on them, and what more labels were worth. */
export function EvaluationsPage() {
  const { slug = "" } = useParams();
  const sets = useEvaluationSets(slug);
  const evaluations = useEvaluations(slug);
  return (
    <>
      <PageHeading title="Evaluations" actions={<ButtonLink to={`/projects/${slug}/prms`}>PRMs</ButtonLink>} />
      {sets.isPending && <SkeletonLines lines={6} />}
      {sets.isError && !sets.data && <ErrorState inline error={sets.error} retry={() => void sets.refetch()} />}
      {sets.data && (
        <>
          {sets.data.results.length > 0 && (
            <WhileActive>
              <EvaluatePanel slug={slug} sets={sets.data.results} />
            </WhileActive>
          )}
          <LabelsUsed rows={evaluations.rows ?? []} />
          <EvaluationList slug={slug} list={evaluations} hasSets={sets.data.results.length > 0} />
          <SetsPanel slug={slug} sets={sets.data} />
        </>
      )}
    </>
  );
}

function EvaluatePanel({ slug, sets }: { slug: string; sets: EvaluationSet[] }) {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const prms = usePrms(slug);
  const create = useCreateEvaluation(slug);
  const usable = (prms.data ?? []).filter(
    (prm) => prm.kind === "prm" && prm.status === "ready" && prm.scale === "probability",
  );
  const asked = params.get("prm");
  const [prm, setPrm] = useState(asked ?? "");
  const [set, setSet] = useState(String(sets[0]?.id ?? ""));
  const [bestOf, setBestOf] = useState<number | "">(16);
  const chosen = usable.find((one) => String(one.id) === prm) ?? usable[0];
  const submit = () =>
    chosen &&
    create.mutate(
      { prm: chosen.id, evaluation_set: Number(set), threshold: 0.5, best_of: bestOf === "" ? 0 : bestOf },
      { onSuccess: (made) => void navigate(`/projects/${slug}/evaluations/${made.id}`) },
    );
  return (
    <Panel
      title="Evaluate a PRM"
      note="A worker scores the traces of the set that the PRM has not scored yet, then measures the PRM."
    >
      {prms.data && usable.length === 0 ? (
        <p className={classes.quiet}>No PRM is ready. Train or connect one, or wait until a worker has checked it.</p>
      ) : (
        <Form onSubmit={submit} label="Evaluate a PRM">
          <NativeSelect
            label="PRM"
            description={chosen && originWords(chosen)}
            data={usable.map((one) => ({ value: String(one.id), label: one.name }))}
            value={String(chosen?.id ?? "")}
            onChange={(event) => setPrm(event.currentTarget.value)}
          />
          <FormRow>
            <NativeSelect
              label="Set"
              data={sets.map((one) => ({
                value: String(one.id),
                label: `${one.name} (${countOf(one.traces, "trace")})`,
              }))}
              value={set}
              onChange={(event) => setSet(event.currentTarget.value)}
            />
            <NumberInput
              label="N of best-of-N"
              allowDecimal={false}
              {...limits.EvaluationIn.best_of}
              value={bestOf}
              onChange={(value) => setBestOf(value === "" ? "" : Number(value))}
            />
          </FormRow>
          <ErrorNotice error={create.error} />
          <FormButtons>
            <Button kind="primary" type="submit" disabled={!chosen || create.isPending}>
              {create.isPending ? "Starting…" : "Evaluate"}
            </Button>
          </FormButtons>
        </Form>
      )}
    </Panel>
  );
}

const MOST_LEVELS = 3;

/** Step AUC against the number of labels each PRM learned from, on the set that most evaluations share. */
function LabelsUsed({ rows }: { rows: EvaluationSummary[] }) {
  const found = labelsUsed(rows);
  if (!found) return null;
  const { trained, elsewhere } = found;
  const points = trained.map((one) => ({
    x: one.labels_used ?? 0,
    y: one.auc?.value ?? 0,
    low: one.auc?.low ?? null,
    high: one.auc?.high ?? null,
  }));
  const levels = elsewhere.slice(0, MOST_LEVELS).map(
    (one, place): Line => ({
      key: String(one.id),
      name: `${one.prm.name}, not trained here`,
      tone: (["zero", "warn", "minus"] as const)[place] ?? "line",
      dashed: true,
      points: [],
      level: one.auc?.value ?? 0,
    }),
  );
  return (
    <div className={classes.charts}>
      <ChartFigure
        title="What more labels were worth"
        note={`step AUC on ${found.set}`}
        table={{
          head: ["PRM", "Labels", "Step AUC"],
          rows: [...trained, ...elsewhere].map((one) => [
            one.prm.name,
            one.labels_used ? formatCount(one.labels_used) : "not trained here",
            estimateWords(one.auc),
          ]),
        }}
      >
        <LineChart
          lines={[{ key: "auc", name: "step AUC, with 95 % intervals", tone: "plus", dots: true, points }, ...levels]}
          xName="labels learned from"
          yName="Step AUC"
          formatX={formatCount}
          summary={`Step AUC of ${countOf(points.length, "PRM")} by the labels they learned from${levels.length > 0 ? `, next to ${countOf(levels.length, "PRM")} not trained here` : ""}; the numbers are in the table below.`}
        />
      </ChartFigure>
    </div>
  );
}

function EvaluationList({
  slug,
  list,
  hasSets,
}: {
  slug: string;
  list: ReturnType<typeof useEvaluations>;
  hasSets: boolean;
}) {
  const [marked, setMarked] = useState<number[]>([]);
  const mark = (id: number) =>
    setMarked((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id].slice(-2)));
  const columns: TableColumn<EvaluationSummary>[] = [
    {
      name: "Evaluation",
      main: true,
      cell: (one) => (
        <>
          <RowLink to={String(one.id)}>{one.prm.name}</RowLink>
          <small className={classes.note}>
            on {one.evaluation_set.name}, {countOf(one.evaluation_set.traces, "trace")}
          </small>
        </>
      ),
    },
    { name: "State", cell: (one) => <JobMark status={one.status} /> },
    { name: "Step AUC", cell: (one) => <span className="tabular">{estimateWords(one.auc)}</span> },
    {
      name: "Baseline",
      cell: (one) =>
        one.beats_baseline === null ? (
          "–"
        ) : (
          <StatusMark tone={one.beats_baseline ? "good" : "held"}>
            {one.beats_baseline ? BEATEN : NOT_BEATEN}
          </StatusMark>
        ),
    },
    { name: "When", cell: (one) => <RelativeTime at={one.created_at} /> },
    {
      name: "Compare",
      quiet: true,
      cell: (one) => (
        <input
          type="checkbox"
          className={classes.tick}
          aria-label={`Compare ${one.prm.name} on ${one.evaluation_set.name}`}
          checked={marked.includes(one.id)}
          disabled={one.status !== "succeeded"}
          onChange={() => mark(one.id)}
        />
      ),
    },
  ];
  return (
    <Panel
      bare
      title="Measured"
      note="Tick two to compare them."
      actions={
        marked.length === 2 && (
          <ButtonLink kind="primary" to={`/projects/${slug}/evaluations/compare?left=${marked[0]}&right=${marked[1]}`}>
            Compare the two
          </ButtonLink>
        )
      }
    >
      <PagedTable
        caption="Evaluations, newest first"
        list={list}
        columns={columns}
        rowKey={(one) => one.id}
        one="evaluation"
        empty={
          <p className={classes.quiet}>
            {hasSets ? "None yet. Evaluate a PRM above." : "None yet. Create a set below, then evaluate a PRM on it."}
          </p>
        }
      />
    </Panel>
  );
}

const SOURCE_WORDS = { labels: "human labels", recorded: "recorded first errors" };

function SetsPanel({ slug, sets }: { slug: string; sets: EvaluationSets }) {
  return (
    <Panel
      title="Evaluation sets"
      note="Sets are frozen when they are created. No training in this project ever learns from their problems."
    >
      {sets.results.length > 0 && (
        <ul className={classes.sets}>
          {sets.results.map((one) => (
            <li key={one.id}>
              <strong>{one.name}</strong>
              <span>
                {countOf(one.traces, "trace")} of {countOf(one.problems, "problem")}, {formatCount(one.erroneous)} with
                an error · {SOURCE_WORDS[one.source]}
              </span>
            </li>
          ))}
        </ul>
      )}
      <WhileActive>
        <NewSet slug={slug} sets={sets} />
      </WhileActive>
    </Panel>
  );
}

interface SetForm {
  source: "labels" | "recorded";
  name: string;
  recorded: string;
  /** Which rounds; undefined for all that have labels. */
  ticked: string[] | undefined;
}

function NewSet({ slug, sets }: { slug: string; sets: EvaluationSets }) {
  const create = useCreateEvaluationSet(slug);
  const options = useTrainingOptions(slug);
  const kept = useKeptForm<SetForm>(`evaluation-set:${slug}`, () => ({
    source: sets.recorded.length > 0 ? "recorded" : "labels",
    name: "",
    recorded: "",
    ticked: undefined,
  }));
  const { source, name, recorded, ticked } = kept.form;
  const rounds = options.data?.rounds ?? [];
  const chosen = ticked ?? roundsWithLabels(rounds);
  const submit = () =>
    kept.sent(
      create.mutateAsync({
        name: name.trim(),
        source,
        recorded,
        round_ids: source === "labels" ? chosen.map(Number) : [],
      }),
      () => kept.forget({ name: "" }),
    );
  return (
    <Form onSubmit={submit} label="New evaluation set">
      <AsYouLeftIt left={kept} />
      <Choices
        row
        legend="A new set of"
        name="source"
        value={source}
        onChange={(chosen) => kept.set({ source: chosen })}
        choices={[
          {
            value: "labels",
            name: "Human labels",
            means: "From the rounds you choose, on the fifth of the problems that no training learns from.",
          },
          {
            value: "recorded",
            name: "Recorded first errors",
            means: "From an import, such as ProcessBench, on problems that are held out or in the evaluation split.",
          },
        ]}
      />
      {source === "labels" && rounds.length > 0 && (
        <RoundTicks
          rounds={rounds}
          chosen={chosen}
          onChange={(ticked) => kept.set({ ticked })}
          error={fieldFault(create.error, "round_ids") ?? null}
        />
      )}
      <FormRow>
        <TextInput
          label="Name"
          required
          {...limits.EvaluationSetIn.name}
          value={name}
          error={fieldFault(create.error, "name")}
          onChange={(event) => kept.set({ name: event.currentTarget.value })}
        />
        {source === "recorded" && (
          <NativeSelect
            label="Traces from"
            data={[
              { value: "", label: "every source" },
              ...sets.recorded
                .filter((one) => one.source !== "")
                .map((one) => ({ value: one.source, label: `${one.source} (${countOf(one.traces, "trace")})` })),
            ]}
            value={recorded}
            onChange={(event) => kept.set({ recorded: event.currentTarget.value })}
          />
        )}
      </FormRow>
      <ErrorNotice error={otherFault(create.error, ["name", "round_ids"])} title="The set was not created" />
      <FormButtons>
        <Button
          type="submit"
          disabled={name.trim() === "" || create.isPending || (source === "labels" && chosen.length === 0)}
        >
          {create.isPending ? "Freezing…" : "Make the set"}
        </Button>
        <span className={classes.quiet}>
          {source === "recorded" && sets.recorded.length === 0
            ? "This project has no recorded first errors to measure on. Import a ProcessBench file first."
            : ""}
          {source === "labels" && chosen.length === 0
            ? rounds.length === 0
              ? "No round has been published yet."
              : "Choose at least one round."
            : ""}
        </span>
      </FormButtons>
    </Form>
  );
}
