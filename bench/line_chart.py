"""Charts of curves with bands as SVG, for documentation pages: light and dark, no script, no library."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 340, 250  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 30, 40
LEGEND = 24
TICKS = 4
STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 13px }
.back { fill: #fff } .grid { stroke: #ddd } .axis { stroke: #888 } .band { opacity: .14; stroke: none }
.line { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 5 4 }
.c0 { color: #6b7280 } .c1 { color: #c2410c } .c2 { color: #1d4ed8 } .c3 { color: #0f766e } .c4 { color: #a21caf }
.c5 { color: #111 }
.line, .key { stroke: currentColor } .band { fill: currentColor }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .back { fill: #17191c } .grid { stroke: #33373d } .axis { stroke: #777 } .band { opacity: .2 }
  .c0 { color: #a3aab5 } .c1 { color: #fb923c } .c2 { color: #7aa5ff } .c3 { color: #4fd1c0 } .c4 { color: #e879f9 }
  .c5 { color: #eee }
}"""


@dataclass(frozen=True)
class Curve:
    """Points (x, y, low, high); without a band, low and high equal y. Colours are 0 to 5."""

    name: str
    colour: int
    points: Sequence[tuple[float, float, float, float]]
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves over one pair of axes."""

    title: str
    below: str
    curves: Sequence[Curve]


def picture(panels: Sequence[Panel], said: str) -> str:
    """Draw panels side by side with one legend below; `said` is the text for screen readers."""
    width, height = WIDTH * len(panels), HEIGHT + LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(said)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{width}" height="{height}"/>',
    ]
    for number, panel in enumerate(panels):
        parts += [f'<g transform="translate({number * WIDTH} 0)">', *drawn(panel), "</g>"]
    return "\n".join([*parts, *legend(panels), "</svg>", ""])


def drawn(panel: Panel) -> list[str]:
    """Draw the axes, bands and lines of a panel."""
    points = [point for curve in panel.curves for point in curve.points]
    across = Scale(*span([x for x, _y, _low, _high in points], pad=0), LEFT, WIDTH - RIGHT)
    up = Scale(*span([end for point in points for end in point[1:]], pad=0.06), HEIGHT - BOTTOM, TOP)
    parts = [f'<text class="title" x="{LEFT}" y="18">{escape(panel.title)}</text>']
    for value in up.ticks():
        y = up(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.{up.places}f}</text>')
    floor = HEIGHT - BOTTOM
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{floor}" y2="{floor}"/>')
    for value in across.ticks():
        parts.append(
            f'<text x="{across(value):.1f}" y="{floor + 16}" text-anchor="middle">{value:.{across.places}f}</text>'
        )
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(panel.below)}</text>'
    )
    for curve in panel.curves:
        above = " ".join(f"{across(x):.1f},{up(high):.1f}" for x, _y, _low, high in curve.points)
        under = " ".join(f"{across(x):.1f},{up(low):.1f}" for x, _y, low, _high in reversed(curve.points))
        parts.append(f'<polygon class="band c{curve.colour}" points="{above} {under}"/>')
    for curve in panel.curves:
        line = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y, _low, _high in curve.points)
        parts.append(f'<polyline class="line c{curve.colour}{" dashed" * curve.dashed}" points="{line}"/>')
    return parts


def legend(panels: Sequence[Panel]) -> list[str]:
    """Draw the legend, with each name once."""
    curves = {curve.name: curve for panel in panels for curve in panel.curves}
    parts, x, y = [], float(LEFT), HEIGHT + 10
    for name, curve in curves.items():
        parts.append(
            f'<line class="key c{curve.colour}{" dashed" * curve.dashed}" stroke-width="2" x1="{x}" x2="{x + 22}" '
            f'y1="{y - 4}" y2="{y - 4}"/><text x="{x + 28}" y="{y}">{escape(name)}</text>'
        )
        x += 44 + 6.6 * len(name)
    return parts


class Scale:
    """Mapping of values between `low` and `high` to pixels between `begin` and `end`."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self.low, self.high, self.begin, self.end = low, high, begin, end
        rough = (high - low) / TICKS
        self.step = min(
            size for power in range(-4, 6) for size in (10.0**power, 2 * 10.0**power, 5 * 10.0**power) if size >= rough
        )
        self.places = max(0, -math.floor(math.log10(self.step) + 1e-9))

    def __call__(self, value: float) -> float:
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Return round values within the range."""
        first = -(-self.low // self.step)
        return [
            (first + number) * self.step
            for number in range(TICKS * 3)
            if (first + number) * self.step <= self.high + 1e-9
        ]


def span(values: Sequence[float], pad: float) -> tuple[float, float]:
    """Return the lowest and highest value, with a margin."""
    low, high = min(values), max(values)
    margin = (high - low or 1.0) * pad
    return low - margin, high + margin
