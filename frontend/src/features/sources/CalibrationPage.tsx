import type { ReactNode } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import type { Calibration, CalibrationFigure } from "@/api/sourceTypes";
import { StartLink } from "@/ui/ActiveProject";
import { ButtonLink } from "@/ui/Button";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { EstimateRows } from "@/ui/charts/EstimateRows";
import { decimal, withInterval } from "@/ui/charts/estimateWords";
import { LineChart } from "@/ui/charts/LineChart";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { FormRow, SelectField } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { silence } from "@/ui/trace/silence";
import { Acceptances } from "./Acceptances";
import { useCalibration, useSources } from "./queries";
import classes from "./sources.module.css";
import { compared, FIGURE_NAMES, verdictName } from "./sourceWords";

const TRUTHS = [
  { value: "audit", label: "the random audit sample" },
  { value: "labels", label: "people’s labels here" },
  { value: "recorded", label: "first errors recorded in files" },
];

/** How one source’s first errors compare with people’s. */
export function CalibrationPage() {
  const { slug = "", sourceId } = useParams();
  const [params, setParams] = useSearchParams();
  const truth = params.get("truth") ?? ""; // the server uses the audit sample if there is one
  const other = params.get("other") ?? "";
  const found = useCalibration(slug, Number(sourceId), truth, other);
  const sources = useSources(slug);
  const set = (name: string, value: string) => {
    const asked = { truth, other, [name]: value };
    setParams(Object.fromEntries(Object.entries(asked).filter(([, one]) => one)), { replace: true });
  };
  const others = (sources.data?.results ?? []).filter((one) => String(one.id) !== sourceId);
  return (
    <>
      <PageHeading title={found.data ? `${found.data.source.name} against people` : "Against people"} />
      <Panel title="Compared with">
        <FormRow wide>
          <SelectField
            label="What is true"
            value={truth || (found.data?.truth ?? "labels")}
            choices={TRUTHS}
            onChange={(value) => set("truth", value)}
          />
          <SelectField
            label="Second source"
            value={other}
            choices={[
              { value: "", label: "nothing" },
              ...others.map((one) => ({ value: String(one.id), label: one.name })),
            ]}
            onChange={(value) => set("other", value)}
          />
        </FormRow>
      </Panel>
      {found.isPending && <SkeletonLines lines={8} />}
      {found.isError && !found.data && <ErrorState inline error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Found slug={slug} found={found.data} />}
    </>
  );
}

function Found({ slug, found }: { slug: string; found: Calibration }) {
  const silent = Object.entries(found.silent);
  return (
    <>
      {found.not_measurable && (
        <Notice tone="info" title="Not measurable yet">
          {found.not_measurable}
        </Notice>
      )}
      <Panel title={countOf(found.traces, "trace")} note={compared(found)}>
        <Figures title="First errors" figures={[...found.figures, ...found.agreement]} />
        {found.more_labels !== null && (
          <p className={classes.quiet}>
            About {countOf(found.more_labels, "more labeled trace")} would halve these intervals.
          </p>
        )}
        {silent.length > 0 && (
          <>
            <h3 className={classes.subheading}>Where it gives no answer</h3>
            <ul className={classes.silent}>
              {silent.map(([why, count]) => (
                <li key={why}>{`${countOf(count, "trace")}: ${silence(why)}`}</li>
              ))}
            </ul>
          </>
        )}
      </Panel>
      <Audit slug={slug} found={found} />
      <Acceptances slug={slug} found={found} />
      {found.reliability.length > 0 && <Reliability bins={found.reliability} />}
      {found.three_way && <ThreeWay found={found.three_way} />}
      {Object.entries(found.groups)
        .filter(([, groups]) => groups.length > 1)
        .map(([name, groups]) => (
          <Panel key={name} title={`By ${name}`}>
            <Figures
              title={`Same first error as people, by ${name}`}
              figures={groups.flatMap((group) =>
                group.figures
                  .filter((one) => one.name === "first_error_accuracy")
                  .map((one) => ({
                    ...one,
                    name: name === "protocol" ? group.group.replaceAll("_", " ") : group.group,
                  })),
              )}
            />
          </Panel>
        ))}
      <Failures slug={slug} rows={found.failures} source={found.source.id} />
    </>
  );
}

/** The random sample that the calibration should be based on: its progress, its result, why a new one must be drawn. */
function Audit({ slug, found }: { slug: string; found: Calibration }) {
  const { rounds, again, agreement } = found.audit;
  const draw = (
    <StartLink to={`/projects/${slug}/rounds/new?traces=audit&scorer=${found.source.id}`}>
      {rounds.length > 0 ? "Draw another sample" : "Draw a sample"}
    </StartLink>
  );
  return (
    <Panel
      title="The audit sample"
      note="Drawn at random from all traces that the source marked, and labeled blind. Only this sample represents all the others."
      actions={draw}
    >
      {rounds.length === 0 ? (
        <p className={classes.quiet}>
          No sample has been drawn. The traces that people happened to label may be easier or harder than those the
          source marks.
        </p>
      ) : (
        <>
          {again.length > 0 && (
            <Notice tone="warn" title="The sample no longer represents the source">
              <ul>
                {again.map((why) => (
                  <li key={why}>{why}</li>
                ))}
              </ul>
            </Notice>
          )}
          <Facts
            facts={[
              ...rounds.map((one): [string, ReactNode] => [
                `Round ${one.number}`,
                <Link key={one.id} className={classes.link} to={`/projects/${slug}/rounds/${one.id}`}>
                  {`${formatCount(one.labeled)} of ${countOf(one.drawn, "trace")} labeled, drawn from ${formatCount(one.pool)}; bar ${one.bar === null ? "not named" : percent(one.bar)}`}
                </Link>,
              ]),
              [
                "Same first error as people, on the newest sample",
                agreement.value === null ? "n/a: nothing labeled yet" : withInterval(agreement, percent),
              ],
            ]}
          />
        </>
      )}
    </Panel>
  );
}

const percent = (share: number) => `${(100 * share).toFixed(1)}\u00a0%`;

/** Whether the source's numbers mean what they say. */
function Reliability({ bins }: { bins: Calibration["reliability"] }) {
  const filled = bins.filter((bin) => bin.score !== null && bin.right.value !== null);
  return (
    <Panel title="Does it mean what it says?" note="For steps that people rated and to which it gave a number.">
      <ChartFigure
        title="Its number, and how often people rated the step right"
        table={{
          head: ["Its number", "Right", "Steps"],
          rows: filled.map((bin) => [
            bin.score?.toFixed(2) ?? "",
            withInterval(bin.right, percent),
            formatCount(bin.right.n),
          ]),
        }}
      >
        <LineChart
          lines={[
            { key: "honest", name: "perfectly calibrated", tone: "zero", dashed: true, points: HONEST },
            {
              key: "source",
              name: "the source, with 95 % intervals",
              tone: "plus",
              dots: true,
              points: filled.map((bin) => ({
                x: bin.score ?? 0,
                y: bin.right.value ?? 0,
                low: bin.right.low,
                high: bin.right.high,
              })),
            },
          ]}
          xName="its number"
          yName="share that people rated right"
          yRange={[0, 1]}
          formatX={(share) => `${Math.round(share * 100)} %`}
          percent
          summary="The numbers are in the table below."
        />
      </ChartFigure>
    </Panel>
  );
}

const HONEST = [
  { x: 0, y: 0 },
  { x: 1, y: 1 },
];

function words(figure: CalibrationFigure): string {
  if (figure.value === null) return `n/a: ${figure.why}`;
  return `${withInterval(figure, (value) => decimal(value))}; n ${figure.n}`;
}

function Figures({ title, figures }: { title: string; figures: CalibrationFigure[] }) {
  if (figures.length === 0) return null;
  const name = (one: CalibrationFigure) => FIGURE_NAMES[one.name] ?? one.name;
  return (
    <ChartFigure
      title={title}
      table={{ head: ["Figure", "Value"], rows: figures.map((one) => [name(one), words(one)]) }}
    >
      <EstimateRows
        rows={figures.map((one) => ({ ...one, key: one.name, name: name(one), words: words(one), tone: "plus" }))}
      />
    </ChartFigure>
  );
}

const PATTERNS: Record<string, string> = {
  all: "Both agree with people",
  this_and_people: "Only this source agrees with people",
  other_and_people: "Only the other one agrees with people",
  both_against_people: "Both agree with each other, against people",
  all_differ: "All three differ",
};

function ThreeWay({ found }: { found: NonNullable<Calibration["three_way"]> }) {
  const shares = found.shares.map((one) => ({ ...one, key: one.name, name: PATTERNS[one.name] ?? one.name }));
  const words = (one: (typeof shares)[number]) =>
    one.value === null
      ? `n/a: ${one.why}`
      : `${withInterval(one, percent)}; ${countOf(found.counts[one.key] ?? 0, "trace")}`;
  return (
    <Panel title="Both sources and people" note={`${countOf(found.traces, "trace")} that both sources marked.`}>
      <ChartFigure
        title="Who agrees with whom about the first error"
        table={{ head: ["Agreement", "Share of traces"], rows: shares.map((one) => [one.name, words(one)]) }}
      >
        <EstimateRows rows={shares.map((one) => ({ ...one, words: words(one), tone: "plus" }))} />
      </ChartFigure>
    </Panel>
  );
}

type Failure = Calibration["failures"][number];

function Failures({ slug, rows, source }: { slug: string; rows: Failure[]; source: number }) {
  const columns: TableColumn<Failure>[] = [
    {
      name: "Trace",
      main: true,
      cell: (row) => (
        <>
          <Link className={classes.link} to={`/projects/${slug}/traces/${row.trace}`}>
            Trace {row.trace}
          </Link>
          <small className={classes.note}>{row.problem}</small>
        </>
      ),
    },
    { name: "People", cell: (row) => verdictName(row.people) },
    { name: "This source", cell: (row) => verdictName(row.said) },
    { name: "Steps", align: "right", cell: (row) => row.steps },
  ];
  return (
    <Panel
      bare
      title="Where it differs from people"
      note="Missed errors first, then false alarms, then the largest distances."
      actions={<ButtonLink to={`/projects/${slug}/label-audits?by=${source}`}>Audit labels by it</ButtonLink>}
    >
      {rows.length === 0 ? (
        <p className={classes.quiet}>No differences found in what was compared.</p>
      ) : (
        <DataTable
          caption="Where the source differs from people"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.trace}
        />
      )}
    </Panel>
  );
}
