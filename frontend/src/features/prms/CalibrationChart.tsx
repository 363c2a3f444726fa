import type { ReliabilityBin } from "@/api/trainingTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { withInterval } from "@/ui/charts/estimateWords";
import { type Line, LineChart } from "@/ui/charts/LineChart";
import { countOf, formatCount } from "@/ui/format";
import type { Calibration, CalibrationPart } from "./trainingReport";

const DIAGONAL: Line = {
  key: "honest",
  name: "perfectly calibrated",
  tone: "zero",
  dashed: true,
  points: [
    { x: 0, y: 0 },
    { x: 1, y: 1 },
  ],
};
const percent = (share: number) => `${Math.round(share * 100)} %`;

/** A trainer's calibration before and after its temperature was fitted. */
export function CalibrationChart({ calibration }: { calibration: Calibration }) {
  const part = (key: "before" | "after", name: string, found: CalibrationPart): Line => ({
    key,
    name: `${name} (error ${found.ece.toFixed(3)})`,
    tone: key === "after" ? "plus" : "warn",
    dots: true,
    dashed: key === "before",
    points: found.bins.map((bin) => ({ x: bin.said, y: bin.right })),
  });
  return (
    <ChartFigure
      title="Does it mean what it says?"
      note={`temperature ${calibration.temperature.toFixed(2)}`}
      table={{
        head: ["Predicted", "Right", "Steps"],
        rows: calibration.after.bins.map((bin) => [bin.said.toFixed(2), percent(bin.right), formatCount(bin.steps)]),
      }}
    >
      <LineChart
        lines={[DIAGONAL, part("before", "before", calibration.before), part("after", "after", calibration.after)]}
        xName="predicted chance of being right"
        yName="share that was right"
        yRange={[0, 1]}
        formatX={percent}
        percent
        summary={`Calibration error ${calibration.before.ece.toFixed(3)} before and ${calibration.after.ece.toFixed(3)} after.`}
      />
    </ChartFigure>
  );
}

/** The reliability diagram of an evaluation: the PRM's scores against how often people agreed. */
export function ReliabilityChart({ bins, ece }: { bins: ReliabilityBin[]; ece: number | null }) {
  const filled = bins.filter((bin) => bin.score !== null && bin.right.value !== null);
  const steps = filled.reduce((sum, bin) => sum + bin.right.n, 0);
  return (
    <ChartFigure
      title="Does it mean what it says?"
      note={ece === null ? "" : `calibration error ${ece.toFixed(3)}, over ${countOf(steps, "step")}`}
      empty={filled.length === 0 ? "No step in this set was both rated and scored." : undefined}
      table={{
        head: ["Predicted", "Right", "Steps"],
        rows: filled.map((bin) => [
          bin.score?.toFixed(2) ?? "",
          withInterval(bin.right, percent),
          formatCount(bin.right.n),
        ]),
      }}
    >
      <LineChart
        lines={[
          DIAGONAL,
          {
            key: "prm",
            name: "the PRM, with 95 % intervals",
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
        xName="predicted chance of being right"
        yName="share that people rated right"
        yRange={[0, 1]}
        formatX={percent}
        percent
        summary={`Reliability over ${countOf(steps, "step")}; the numbers are in the table below.`}
      />
    </ChartFigure>
  );
}
