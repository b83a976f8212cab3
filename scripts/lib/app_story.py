#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""app_story.py APP EVENTS: what the daemon did with an app and what the app's delegate noted, in one order of time.

Both stamp their lines with the same clock, the seconds since the machine was started. Lines of the app that say the
same of several files are told as one.
"""

import json
import subprocess
import sys


def noted(path):
    """(time, text) of each line of the app; runs of `sent photo-…` as one."""
    lines, run = [], []

    def tell():
        if run:
            what = run[0][1] if len(run) == 1 else f"{run[0][1].rsplit('-', 1)[0]}…: {len(run)} files"
            lines.append((run[0][0], what))
            run.clear()

    for line in open(path):
        stamp, text = line.rstrip("\n").split(" ", 1)
        kind = text.rsplit("-", 1)[0]
        if run and (not text.startswith("sent ") or run[0][1].rsplit("-", 1)[0] != kind):
            tell()
        if text.startswith("sent "):
            run.append((float(stamp), text))
        else:
            lines.append((float(stamp), text))
    tell()
    return lines


def main():
    app, path = sys.argv[1:]
    text = subprocess.run(["offstage", "app", "log", "--all", "--json", app], check=True, capture_output=True).stdout
    entries = [(entry["uptime"], "daemon", entry["text"]) for entry in json.loads(text)["entries"]]
    entries += [(stamp, "app", text) for stamp, text in noted(path)]
    entries.sort(key=lambda entry: entry[0])
    begun = next((stamp for stamp, _, text in entries if text.startswith("being launched")), entries[0][0])
    for stamp, who, text in entries:
        print(f"  {stamp - begun:7.3f} s  {'the daemon' if who == 'daemon' else '    its delegate'}: {text}")


if __name__ == "__main__":
    main()
