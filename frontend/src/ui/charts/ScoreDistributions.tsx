import { useElementSize } from "@mantine/hooks";
import { useState } from "react";
import { formatCount } from "@/ui/format";
import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";
import { formatEdge, scoreTicks } from "./scoreAxis";

export interface Distribution {
  name: string;
  /** The number of traces in each bin. */
  counts: number[];
  tone: Tone;
  /** Log of the median score, marked on the row. */
  median?: number | null;
}

interface ScoreDistributionsProps {
  /** Edges of the bins as logs of scores: one more than there are bins. */
  edges: number[];
  rows: Distribution[];
  summary: string;
  /** The name of the axis. */
  axis: string;
}

const ROW = 66;
const LABEL = 22;
const AXIS = 42;

/** Distributions over one axis of scores, each in its own row and scaled to its own fullest bin. */
export function ScoreDistributions({ edges, rows, summary, axis }: ScoreDistributionsProps) {
  const { ref, width: measured } = useElementSize();
  const [bin, setBin] = useState<number | null>(null);
  const width = Math.max(measured, 240);
  const bins = edges.length - 1;
  const first = edges[0] ?? 0;
  const last = edges.at(-1) ?? 0;
  const x = (log: number) => 6 + ((log - first) / (last - first || 1)) * (width - 12);
  const height = rows.length * ROW + AXIS;
  const slot = (width - 12) / Math.max(1, bins);
  return (
    <div ref={ref} className={classes.plot} style={{ height }}>
      {measured > 0 && (
        <svg height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary}>
          {scoreTicks(first, last, (width - 12) / 62).map((tick) => (
            <g key={tick.at}>
              <line className={classes.grid} x1={x(tick.at)} x2={x(tick.at)} y1={LABEL} y2={height - AXIS} />
              <text
                className={classes.tick}
                x={x(tick.at)}
                y={height - AXIS + 17}
                textAnchor={x(tick.at) > width - 20 ? "end" : x(tick.at) < 20 ? "start" : "middle"}
              >
                {tick.label}
              </text>
            </g>
          ))}
          <text className={classes.tick} x={width / 2} y={height - 5} textAnchor="middle">
            {axis}
          </text>
          {rows.map((row, index) => (
            <Row key={row.name} row={row} top={index * ROW} bin={bin} slot={slot} width={width} x={x} />
          ))}
          {Array.from({ length: bins }, (_, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: hovering only repeats what the table says
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is identified by its index
              key={index}
              className={classes.hit}
              x={6 + slot * index}
              y={0}
              width={slot}
              height={height - AXIS}
              onMouseEnter={() => setBin(index)}
              onMouseLeave={() => setBin(null)}
            />
          ))}
        </svg>
      )}
      {bin !== null && (
        <Tip bin={bin} edges={edges} rows={rows} left={Math.min(Math.max(x(edges[bin] ?? 0), 110), width - 110)} />
      )}
    </div>
  );
}

interface RowProps {
  row: Distribution;
  top: number;
  bin: number | null;
  slot: number;
  width: number;
  x: (log: number) => number;
}

function Row({ row, top, bin, slot, width, x }: RowProps) {
  const fullest = Math.max(1, ...row.counts);
  const total = row.counts.reduce((sum, count) => sum + count, 0);
  const floor = top + ROW - 4;
  const room = ROW - LABEL - 8;
  return (
    <g style={toneStyle(row.tone)}>
      <text className={classes.rowName} x={6} y={top + 14}>
        {row.name}
        <tspan className={classes.tick} dx={8}>
          {formatCount(total)}
          {row.median !== null && row.median !== undefined && `, median ${formatEdge(row.median)}`}
        </tspan>
      </text>
      <line className={classes.grid} x1={6} x2={width - 6} y1={floor} y2={floor} />
      {row.counts.map((count, index) => {
        const tall = count === 0 ? 0 : Math.max(2, (count / fullest) * room);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bin is identified by its index
            key={index}
            className={`${classes.column} ${bin === index ? classes.lit : ""}`}
            x={6 + slot * index + 1}
            y={floor - tall}
            width={Math.max(1, slot - 2)}
            height={tall}
            rx={2}
          />
        );
      })}
      {row.median !== null && row.median !== undefined && (
        <line className={classes.median} x1={x(row.median)} x2={x(row.median)} y1={floor - room - 2} y2={floor} />
      )}
    </g>
  );
}

function Tip({ bin, edges, rows, left }: { bin: number; edges: number[]; rows: Distribution[]; left: number }) {
  const from = edges[bin] ?? 0;
  const to = edges[bin + 1] ?? 0;
  return (
    <div className={classes.tip} style={{ left, top: 0 }} aria-hidden>
      <strong>{bin === 0 ? `up to ${formatEdge(to)}` : `${formatEdge(from)} to ${formatEdge(to)}`}</strong>
      {rows.map((row) => (
        <div key={row.name}>
          {row.name}: {formatCount(row.counts[bin] ?? 0)}
        </div>
      ))}
    </div>
  );
}
