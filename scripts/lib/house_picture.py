#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of the house in ARCHITECTURE.md from Package.swift.

    scripts/lib/house_picture.py            draws it anew
    scripts/lib/house_picture.py --check    exit code 1 when it is not that of Package.swift

An arrow means "imports". One that follows from others is left out, and so are the C modules, tests and fixtures.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "ARCHITECTURE.md"
BEGIN = "<!-- picture: scripts/lib/house_picture.py draws it from Package.swift -->\n"
END = "<!-- end of picture -->\n"
FLOORS = [
    ("programs", "Programs", ("OffstageCLI", "OffstagedMain", "OffstageNotifierMain", "OffstagePageMain",
                               "OffstageFleetMain", "DropboxEmulatorMain")),
    ("apps", "What apps link", ("OffstageUIKit", "OffstageBackgroundTasks", "OffstageUserNotifications", "Offstage",
                                "OffstageOSLog", "OffstageOS")),
    ("clients", "Clients", ("OffstageFleet", "OffstagePage", "OffstageCommands", "OffstageClient", "OffstagePictures")),
    ("daemon", "The daemon", ("OffstageDaemon", "OffstageHost")),
    ("engines", "The daemon's engines", ("OffstageTransfers", "OffstageAccounts", "OffstageSessions", "OffstageSupervisor",
                                         "OffstageWork")),
    ("ground", "What the engines stand on", ("OffstageStore", "OffstageRuntime")),
    ("shared", "Shared by both", ("OffstageProtocol", "OffstageFiles", "OffstageCore")),
    ("others", "Stands alone", ("DropboxEmulator",)),
]
LEFT_OUT = ("OffstageTestSupport",)


def modules():
    """What each module of ours imports of the others."""
    dumped = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, capture_output=True, check=True).stdout
    targets = [target for target in json.loads(dumped)["targets"]
               if target["type"] in ("regular", "executable") and not target.get("path")
               and not target["name"].startswith("C") and target["name"] not in LEFT_OUT]
    names = {target["name"] for target in targets}
    imports = {target["name"]: {next(iter(one.values()))[0] for one in target["dependencies"]} & names
               for target in targets}
    return imports


def reachable(imports, name):
    found, waiting = set(), list(imports[name])
    while waiting:
        next_one = waiting.pop()
        if next_one not in found:
            found.add(next_one)
            waiting += imports[next_one]
    return found


def picture(imports):
    known = {name for _, _, names in FLOORS for name in names}
    if imports.keys() != known:
        sys.exit(f"These modules have no place in FLOORS, or are not there: {sorted(imports.keys() ^ known)}")
    lines = ["```mermaid", "flowchart TD"]
    for key, title, names in FLOORS:
        lines.append(f'    subgraph {key}["{title}"]')
        lines += [f"        {name}" for name in names]
        lines.append("    end")
    for name in sorted(imports):
        others = imports[name]
        direct = [one for one in others if not any(one in reachable(imports, other) for other in others if other != one)]
        lines += [f"    {name} --> {one}" for one in sorted(direct)]
    return "\n".join(lines) + "\n```\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    options = parser.parse_args()
    text = DOCUMENT.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    drawn = picture(modules())
    if options.check:
        if text[begin:end] != drawn:
            print("The picture in ARCHITECTURE.md is not that of Package.swift: scripts/lib/house_picture.py", file=sys.stderr)
            return 1
        return 0
    DOCUMENT.write_text(text[:begin] + drawn + text[end:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
