# SPDX-License-Identifier: Apache-2.0
"""Medians, the noise of a run, verdicts, and their picture."""

import json
import os
import platform
import statistics
import subprocess
import time

import bench_picture


class Report:
    """Collects what was measured, prints it as it comes and saves it as JSON and as a picture."""

    def __init__(self, path, picture=None):
        self.path = path
        self.picture = picture
        self.cases = {}
        self.verdicts = []
        self.machine = describe_machine()
        print(f"{self.machine['cpus']} × {self.machine['cpu']}, Linux {self.machine['kernel']}, {self.machine['curl']}")

    def case(self, name, **values):
        self.cases.setdefault(name, {}).update(values)
        self.save()

    def verdict(self, name, measured, limit, unit="", spread=None, text=None, at_least=False):
        """Judges one figure. `spread` is the noise of the same run, by which the bar is widened."""
        widened = limit * (1 + (spread or 0)) if not at_least else limit
        met = measured >= widened if at_least else measured <= widened
        strictly = measured >= limit if at_least else measured <= limit
        sign = "≥" if at_least else "≤"
        line = f"{'met' if met else 'missed':6} {name}: {measured:.4g}{unit} (bar {sign} {limit:g}{unit}"
        if spread is not None:
            line += f", widened by the spread of {100 * spread:.0f} % to {widened:.3g}{unit}"
            line += "" if strictly == met else "; met only so"
        line += ")" + (f" {text}" if text else "")
        print(line, flush=True)
        self.verdicts.append(
            {"name": name, "measured": measured, "limit": limit, "spread": spread, "met": met, "strictly": strictly}
        )
        self.save()

    def save(self):
        if self.path:
            with open(self.path, "w") as file:
                json.dump(
                    {"machine": self.machine, "cases": self.cases, "verdicts": self.verdicts},
                    file, indent=1, ensure_ascii=False,
                )

    def close(self):
        """Prints all verdicts once more; returns the exit code."""
        missed = [verdict for verdict in self.verdicts if not verdict["met"]]
        print(f"\n{len(self.verdicts) - len(missed)} bars met, {len(missed)} missed")
        for verdict in missed:
            print(f"    missed: {verdict['name']}")
        if self.path:
            print(f"raw runs: {self.path}")
        if self.picture:
            with open(self.picture, "w") as file:
                file.write(bench_picture.draw(self.machine, self.cases, self.verdicts))
            print(f"picture: {self.picture}")
        return 1 if missed else 0


def describe_machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    version = subprocess.run(["curl", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cpus": os.cpu_count(),
        "kernel": platform.release(),
        "curl": " ".join(version.split()[:2]),
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "load": os.getloadavg()[0],
    }


def spread(first, second):
    """How far the medians of two series of the very same command lie apart: the noise of this run."""
    a, b = statistics.median(first), statistics.median(second)
    return abs(a - b) / min(a, b) if min(a, b) > 0 else 0.0


def row(name, values, unit="s"):
    values = sorted(values)
    raw = " ".join(f"{value:.3f}" for value in values)
    print(f"    {name:28} median {statistics.median(values):8.3f} {unit}   [{raw}]", flush=True)
