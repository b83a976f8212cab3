#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a bench has measured as SVG: peers side by side, each with its median, its middle half and every run.

    scripts/lib/bench_picture.py RUNS.json FILE.svg    of the raw runs that scripts/bench --output has saved

One file that asks for nothing else; light and dark as the reader prefers; the same for the same runs.
"""

import html
import json
import statistics
import sys

WIDTH, MARGIN, LABEL, ROW = 860, 16, 190, 24
LINE = WIDTH - 2 * MARGIN - LABEL - 70
STYLE = """
svg{--ground:#fff;--ink:#1d2329;--faint:#68727d;--grid:#e3e7eb;--ours:#2b74d8;--other:#8b949e;--bad:#c8322f;
font:12px system-ui,"Noto Sans","DejaVu Sans",sans-serif}
@media(prefers-color-scheme:dark){svg{--ground:#14181c;--ink:#e4e8ec;--faint:#94a0ac;--grid:#2a3138;--ours:#5b9bf0;
--other:#7d8894;--bad:#ef6a63}}
text{fill:var(--ink)}.faint{fill:var(--faint)}.ground{fill:var(--ground)}.head{font-weight:600}.bad{fill:var(--bad)}
.grid{stroke:var(--grid)}.ours{fill:var(--ours)}.other{fill:var(--other)}.box{opacity:.45}.dot{opacity:.8}
.median{stroke:var(--ink);stroke-width:2}
"""


def series(case):
    """What was measured of each run, by field and peer: before and after the others is the same peer."""
    fields = case.get("fields") or [""]
    found = {}
    for name, values in case.items():
        if name == "fields" or not isinstance(values, list) or not values:
            continue
        peer = name.removesuffix("_before").removesuffix("_after").replace("_", " ")
        for index, field in enumerate(fields):
            try:
                numbers = [float(value[index] if isinstance(value, list | tuple) else value) for value in values]
            except (TypeError, ValueError, IndexError, KeyError):
                continue
            if isinstance(values[0], list | tuple) or index == 0:
                found.setdefault(field, {}).setdefault(peer, []).extend(numbers)
    return found


def panels(cases):
    """Every field of every case in which peers can be compared."""
    for name, case in cases.items():
        for field, peers in series(case).items():
            if len(peers) > 1 and max(max(values) for values in peers.values()) > 0:
                # Times of runs are in seconds; whoever has no fields says its unit in its name.
                yield f"{name}, {field} in seconds" if field else name, peers


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


class Drawing:
    def __init__(self):
        self.parts, self.y = [], MARGIN

    def text(self, x, text, look="", anchor="start"):
        self.parts.append(f'<text x="{x:.0f}" y="{self.y}" class="{look}" text-anchor="{anchor}">{html.escape(text)}</text>')

    def peer(self, peer, values, most):
        values = sorted(values)
        left, middle = MARGIN + LABEL, self.y - 4
        look = "ours" if peer.startswith(("offstage", "now", "session")) else "other"
        at = lambda value: left + value / most * LINE
        median = statistics.median(values)
        low, _, high = statistics.quantiles(values * 2 if len(values) == 1 else values, n=4, method="inclusive")
        self.text(MARGIN, peer)
        words = f"{peer}: median {number(median)}, from {number(values[0])} to {number(values[-1])}, {len(values)} runs"
        self.parts.append(f'<g class="{look}"><title>{html.escape(words)}</title>')
        self.parts.append(f'<path class="grid" d="M{at(values[0]):.1f} {middle}H{at(values[-1]):.1f}"/>')
        self.parts.append(f'<rect class="box" x="{at(low):.1f}" y="{middle - 6}" width="{max(1, at(high) - at(low)):.1f}" height="12"/>')
        # However many there are, the picture stays small.
        for value in values[:: max(1, len(values) // 100)]:
            self.parts.append(f'<circle class="dot" cx="{at(value):.1f}" cy="{middle}" r="2"/>')
        self.parts.append(f'<path class="median" d="M{at(median):.1f} {middle - 8}v16"/></g>')
        self.text(WIDTH - MARGIN, number(median), "faint", "end")
        self.y += ROW

    def panel(self, title, peers):
        self.y += 16
        self.text(MARGIN, title, "head")
        most = max(max(values) for values in peers.values())
        self.parts.append(f'<path class="grid" d="M{MARGIN + LABEL} {self.y + 6}H{MARGIN + LABEL + LINE}"/>')
        self.text(MARGIN + LABEL, "0", "faint", "middle")
        self.text(MARGIN + LABEL + LINE, number(most), "faint", "middle")
        self.y += ROW
        for peer, values in peers.items():
            self.peer(peer, values, most)

    def bars(self, verdicts):
        """Each figure that has a bar, as a part of it: beyond the line it is missed, or met where it has to be above."""
        self.y += 16
        self.text(MARGIN, "Figures as parts of their bars", "head")
        self.y += ROW
        limit = MARGIN + 2 * LABEL + (LINE - LABEL) / 2
        top = self.y - 14
        for verdict in verdicts:
            part = min(2.0, verdict["measured"] / verdict["limit"]) if verdict["limit"] else 2.0 * (verdict["measured"] > 0)
            self.text(MARGIN, verdict["name"][:58])
            look = "ours" if verdict["met"] else "bad"
            self.parts.append(f'<rect class="{look}" x="{MARGIN + 2 * LABEL}" y="{self.y - 10}" width="{part / 2 * (LINE - LABEL):.1f}" height="10"/>')
            self.text(WIDTH - MARGIN, f"{number(verdict['measured'])} ({'met' if verdict['met'] else 'missed'})", "faint", "end")
            self.y += 18
        self.parts.append(f'<path class="median" d="M{limit:.1f} {top}V{self.y - 8}"/>')


def draw(machine, cases, verdicts):
    """The SVG of a bench's runs."""
    drawing = Drawing()
    drawing.y += 10
    drawing.text(MARGIN, "scripts/bench", "head")
    drawing.y += 18
    drawing.text(MARGIN, f"{machine['cpus']} × {machine['cpu']}, Linux {machine['kernel']}, {machine['curl']}, {machine['date']}", "faint")
    drawing.y += 8
    for title, peers in panels(cases):
        drawing.panel(title, peers)
    if verdicts:
        drawing.bars(verdicts)
    height = drawing.y + MARGIN
    met = sum(verdict["met"] for verdict in verdicts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">\n'
        f"<title>Results of scripts/bench</title>\n<desc>{met} of {len(verdicts)} bars met; medians with the spread of their runs.</desc>\n"
        f"<style>{STYLE}</style>\n" f'<rect class="ground" width="{WIDTH}" height="{height}"/>\n' + "\n".join(drawing.parts) + "\n</svg>\n"
    )


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        runs = json.load(file)
    with open(sys.argv[2], "w") as file:
        file.write(draw(runs["machine"], runs["cases"], runs["verdicts"]))


if __name__ == "__main__":
    main()
