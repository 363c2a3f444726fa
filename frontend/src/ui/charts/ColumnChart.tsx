import { useElementSize } from "@mantine/hooks";
import { useState } from "react";
import { formatCount } from "@/ui/format";
import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./charts.module.css";
import { countTicks, labelEvery } from "./scale";

export interface Column {
  key: string;
  /** The text under the axis. */
  label: string;
  /** The name in the note shown on hover. */
  name: string;
  value: number;
  shown?: string;
}

interface ColumnChartProps {
  columns: Column[];
  tone: Tone;
  /** What the chart shows, for screen readers. */
  summary: string;
  height?: number;
  formatTick?: (value: number) => string;
  /** Pixels that one label under the axis needs. */
  labelWidth?: number;
  /** If not all columns can be labelled, label the last one: for days, it is today. */
  lastNamed?: boolean;
  /** The names of the two axes; empty if the labels already say it. */
  axes?: [along: string, up: string];
}

const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;
const NAME = 16;

/** A row of counts as columns over a shared zero line. */
export function ColumnChart({
  columns,
  tone,
  summary,
  height = 190,
  formatTick = formatCount,
  labelWidth = 28,
  lastNamed = false,
  axes: [along, up] = ["", ""],
}: ColumnChartProps) {
  const { ref, width: measured } = useElementSize();
  const [hovered, setHovered] = useState<number | null>(null);
  const width = Math.max(measured, 160);
  const ticks = countTicks(Math.max(0, ...columns.map((column) => column.value)), 4);
  const top = ticks.at(-1) ?? 1;
  const above = TOP + (up ? NAME : 0);
  const plotHeight = height - above - BOTTOM - (along ? NAME : 0);
  const slot = (width - LEFT) / Math.max(1, columns.length);
  const columnWidth = Math.min(34, Math.max(2, slot * 0.72));
  const y = (value: number) => above + plotHeight * (1 - value / top);
  const centre = (index: number) => LEFT + slot * (index + 0.5);
  const every = labelEvery(columns.length, (width - LEFT) / labelWidth);
  const isNamed = (index: number) => (lastNamed ? columns.length - 1 - index : index) % every === 0;
  const tip = hovered === null ? undefined : columns[hovered];

  return (
    <div ref={ref} className={classes.plot} style={{ height, ...toneStyle(tone) }}>
      {measured > 0 && (
        <svg height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={classes.grid} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text className={classes.tick} x={LEFT - 9} y={y(tick) + 4} textAnchor="end">
                {formatTick(tick)}
              </text>
            </g>
          ))}
          {up && (
            <text className={classes.tick} x={0} y={11}>
              {up}
            </text>
          )}
          {along && (
            <text className={classes.tick} x={(LEFT + width) / 2} y={height - 4} textAnchor="middle">
              {along}
            </text>
          )}
          {columns.map((column, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: hovering only repeats what the table says
            <g key={column.key} onMouseEnter={() => setHovered(index)} onMouseLeave={() => setHovered(null)}>
              <rect className={classes.hit} x={LEFT + slot * index} y={above} width={slot} height={plotHeight} />
              <rect
                className={`${classes.column} ${hovered === index ? classes.lit : ""}`}
                x={centre(index) - columnWidth / 2}
                y={y(column.value)}
                width={columnWidth}
                height={Math.max(column.value > 0 ? 2 : 0, plotHeight - (y(column.value) - above))}
                rx={Math.min(3, columnWidth / 4)}
              />
              {isNamed(index) && (
                <text
                  className={classes.tick}
                  x={lastNamed ? Math.min(centre(index), width - labelWidth / 2) : centre(index)}
                  y={above + plotHeight + BOTTOM - 5}
                  textAnchor="middle"
                >
                  {column.label}
                </text>
              )}
            </g>
          ))}
        </svg>
      )}
      {tip && hovered !== null && (
        <div
          className={classes.tip}
          style={{ left: Math.min(Math.max(centre(hovered), 70), width - 70), top: y(tip.value) - 8 }}
          aria-hidden
        >
          {tip.name}: <strong>{tip.shown ?? formatCount(tip.value)}</strong>
        </div>
      )}
    </div>
  );
}
