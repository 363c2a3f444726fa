import { useElementSize } from "@mantine/hooks";
import { useState } from "react";
import { type Tone, toneStyle } from "./ChartFigure";
import classes from "./lines.module.css";
import { lineTicks, tickDigits, wellApart } from "./scale";

interface LinePoint {
  x: number;
  y: number;
  /** Where the true value most likely is. */
  low?: number | null;
  high?: number | null;
}

export interface Line {
  key: string;
  name: string;
  points: LinePoint[];
  tone: Tone;
  /** A curve to compare with rather than the one the chart is about. */
  dashed?: boolean;
  /** Mark the points: these are a few measurements rather than a continuous course. */
  dots?: boolean;
  /** Drawn without a line: the points are independent. */
  loose?: boolean;
  /** A constant value: drawn from edge to edge, without points. */
  level?: number;
}

/** A named place on the x axis. */
export interface Upright {
  key: string;
  name: string;
  x: number;
  tone: Tone;
}

interface LineChartProps {
  lines: Line[];
  uprights?: Upright[];
  /** What the chart shows, for screen readers. */
  summary: string;
  xName: string;
  yName: string;
  /** Fixed ends of the y axis; by default those of the values. */
  yRange?: [number, number];
  /** Ends of an x axis with round ticks; by default the ticks are at the points. */
  xRange?: [number, number];
  /** The text at a place of the first line, instead of every line's value there: a heading, then one line each. */
  tell?: (x: number) => string[];
  /** Every x is twice the one before. */
  doubling?: boolean;
  formatX?: (x: number) => string;
  /** The fewest digits after the point of a y; more if needed to tell the ticks apart. */
  digits?: number;
  /** y is a share, shown as a percentage. */
  percent?: boolean;
  height?: number;
}

const LEFT = 46;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 38;

/**
 * Curves over one axis, with bands where their uncertainty is known. The legend names them; hovering over a place shows
 * all their values.
 */
export function LineChart(props: LineChartProps) {
  const { lines, uprights = [], summary, xName, yName, doubling, tell, height = 250 } = props;
  const { percent, digits = percent ? 0 : 2 } = props;
  const { ref, width: measured } = useElementSize();
  const [hovered, setHovered] = useState<number | null>(null);
  const [picked, setPicked] = useState<string | null>(null);
  const banded = lines.filter((line) => line.points.some((point) => point.low != null)).length;
  const width = Math.max(measured, 220);
  const told = tell ? lines.slice(0, 1) : lines;
  const places = [...new Set(told.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);
  const across = props.xRange ? lineTicks(...props.xRange) : places;
  const { formatX = props.xRange ? (x: number) => x.toFixed(tickDigits(across)) : String } = props;
  const spread = (x: number) => (doubling ? Math.log2(Math.max(x, 1)) : x);
  const first = spread(across[0] ?? 0);
  const last = spread(across.at(-1) ?? 1);
  const ticks = lineTicks(...(props.yRange ?? ends(lines)));
  const needed = Math.max(digits, tickDigits(ticks) - (percent ? 2 : 0));
  const formatY = (value: number) => (percent ? `${(100 * value).toFixed(needed)} %` : value.toFixed(needed));
  const bottom = ticks[0] ?? 0;
  const top = ticks.at(-1) ?? 1;
  const x = (value: number) =>
    LEFT + (last === first ? 0.5 : (spread(value) - first) / (last - first)) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - (value - bottom) / (top - bottom || 1)) * (height - TOP - BOTTOM);
  const named = wellApart(across, x, 44);
  const nearest = (at: number) =>
    places.reduce<number | null>(
      (best, place) => (best === null || Math.abs(x(place) - at) < Math.abs(x(best) - at) ? place : best),
      null,
    );
  return (
    <div>
      <div ref={ref} className={classes.plot} style={{ height }}>
        {measured > 0 && (
          <svg
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            aria-label={summary}
            onMouseMove={(event) => setHovered(nearest(event.clientX - event.currentTarget.getBoundingClientRect().x))}
            onMouseLeave={() => setHovered(null)}
          >
            {ticks.map((tick) => (
              <g key={tick}>
                <line className={classes.grid} x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
                <text className={classes.tick} x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                  {formatY(tick)}
                </text>
              </g>
            ))}
            {named.map((place) => (
              <text key={place} className={classes.tick} x={x(place)} y={height - 21} textAnchor="middle">
                {formatX(place)}
              </text>
            ))}
            <text className={classes.axis} x={(LEFT + width - RIGHT) / 2} y={height - 4} textAnchor="middle">
              {xName}
            </text>
            {hovered !== null && (
              <line className={classes.cursor} x1={x(hovered)} x2={x(hovered)} y1={TOP} y2={height - BOTTOM} />
            )}
            {uprights.map((one) => (
              <g key={one.key} style={toneStyle(one.tone)}>
                <line className={classes.upright} x1={x(one.x)} x2={x(one.x)} y1={TOP} y2={height - BOTTOM} />
              </g>
            ))}
            {lines.map(
              (line) =>
                line.level !== undefined && (
                  <g key={line.key} style={toneStyle(line.tone)}>
                    <line
                      className={line.dashed ? classes.dashed : classes.line}
                      x1={LEFT}
                      x2={width - RIGHT}
                      y1={y(line.level)}
                      y2={y(line.level)}
                    />
                  </g>
                ),
            )}
            <g data-bands={banded > 1 ? "many" : "one"} className={classes.drawn}>
              {lines.map((line) => (
                <Band key={line.key} line={line} x={x} y={y} stands={standsOut(line, picked)} />
              ))}
              {lines.map((line) => (
                <Curve key={line.key} line={line} x={x} y={y} stands={standsOut(line, picked)} hovered={hovered} />
              ))}
            </g>
          </svg>
        )}
        {hovered !== null && (
          <div
            className={classes.tip}
            // Shift it left by the same share of its width as its place is across the chart, so it never leaves the
            // chart.
            style={{ left: x(hovered), top: TOP, transform: `translate(${(-100 * x(hovered)) / width}%, -100%)` }}
            aria-hidden
          >
            {(tell?.(hovered) ?? [`${xName} ${formatX(hovered)}`, ...readings(lines, hovered, formatY)]).map(
              (said, place) => (place === 0 ? <strong key={said}>{said}</strong> : <div key={said}>{said}</div>),
            )}
          </div>
        )}
      </div>
      <ul className={classes.legend} aria-label={yName}>
        {uprights.map((one) => (
          <li key={one.key} style={toneStyle(one.tone)}>
            <svg width={8} height={14} aria-hidden>
              <line className={classes.upright} x1={4} x2={4} y1={1} y2={13} />
            </svg>
            {one.name}
          </li>
        ))}
        {lines.map((line) => (
          <li
            key={line.key}
            style={toneStyle(line.tone)}
            onMouseEnter={() => setPicked(line.key)}
            onMouseLeave={() => setPicked(null)}
          >
            <svg width={22} height={10} aria-hidden>
              {!line.loose && (
                <line className={line.dashed ? classes.dashed : classes.line} x1={1} x2={21} y1={5} y2={5} />
              )}
              {(line.dots || line.loose) && <circle className={classes.dot} cx={11} cy={5} r={3.5} />}
            </svg>
            {line.name}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The value of every line at a place, with its interval. */
function readings(lines: Line[], place: number, format: (y: number) => string): string[] {
  return lines.flatMap((line) => {
    const point = line.points.find((one) => one.x === place);
    const here = line.level ?? point?.y;
    return here === undefined ? [] : [`${line.name} ${format(here)}${ofBand(point, format)}`];
  });
}

/** Is the line the one whose name the pointer is on? Undefined if it is on none. */
function standsOut(line: Line, picked: string | null): boolean | undefined {
  return picked === null ? undefined : line.key === picked;
}

/** " (0.71 to 0.83)", or empty if there is no interval. */
function ofBand(point: LinePoint | undefined, format: (y: number) => string): string {
  return point?.low != null && point.high != null ? ` (${format(point.low)} to ${format(point.high)})` : "";
}

interface DrawnProps {
  line: Line;
  x: (value: number) => number;
  y: (value: number) => number;
  stands: boolean | undefined;
}

function Band({ line, x, y, stands }: DrawnProps) {
  const known = line.points.filter((point) => point.low != null && point.high != null);
  if (known.length === 0) return null;
  if (line.loose || line.dots || known.length === 1) {
    return (
      <g style={toneStyle(line.tone)} data-stands={stands}>
        {known.map((point) => (
          <line
            key={point.x}
            className={classes.whisker}
            x1={x(point.x)}
            x2={x(point.x)}
            y1={y(point.low as number)}
            y2={y(point.high as number)}
          />
        ))}
      </g>
    );
  }
  const upper = known.map((point) => `${x(point.x)},${y(point.high as number)}`);
  const lower = known.toReversed().map((point) => `${x(point.x)},${y(point.low as number)}`);
  const points = [...upper, ...lower].join(" ");
  return <polygon className={classes.band} style={toneStyle(line.tone)} data-stands={stands} points={points} />;
}

function Curve({ line, x, y, stands, hovered }: DrawnProps & { hovered: number | null }) {
  const path = line.points.map((point) => `${x(point.x)},${y(point.y)}`).join(" ");
  const marked = line.points.filter((point) => line.dots || line.loose || point.x === hovered);
  return (
    <g style={toneStyle(line.tone)} data-stands={stands}>
      {!line.loose && line.points.length > 1 && (
        <polyline className={line.dashed ? classes.dashed : classes.line} points={path} />
      )}
      {(line.points.length === 1 ? line.points : marked).map((point) => (
        <circle key={point.x} className={classes.dot} cx={x(point.x)} cy={y(point.y)} r={4} />
      ))}
    </g>
  );
}

/** The ends of all values and bands, with a little room if they are equal. */
function ends(lines: Line[]): [number, number] {
  const values = lines
    .flatMap((line) => [
      ...line.points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]),
      line.level ?? Number.NaN,
    ])
    .filter(Number.isFinite);
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? [low - 0.05, high + 0.05] : [low, high];
}
