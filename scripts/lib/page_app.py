# SPDX-License-Identifier: Apache-2.0
"""An app for the page to show: a bundle whose program is a Python, which asks for deferred work as any app does."""

import os
import shutil
import subprocess

APP = "com.example.shop"
WORK = ("com.example.shop.prices", "com.example.shop.tidy")

_PLIST = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>{APP}</string>
<key>CFBundleName</key><string>The shop</string>
<key>CFBundleExecutable</key><string>shop</string>
<key>UIBackgroundModes</key><array><string>fetch</string><string>processing</string></array>
<key>BGTaskSchedulerPermittedIdentifiers</key><array><string>{WORK[0]}</string><string>{WORK[1]}</string></array>
</dict></plist>
"""
# The daemon knows an app by its program, and so this is run by the bundle's.
_PROGRAM = f"""
import sys
sys.path.insert(0, sys.argv[1])
from daemon_wire import DaemonWire

class Ours:
    home = sys.argv[2]

wire = DaemonWire(Ours)
for identifier, kind, power in (("{WORK[0]}", "refresh", False), ("{WORK[1]}", "processing", True)):
    draft = dict(identifier=identifier, kind=kind, requiresNetwork=True, requiresExternalPower=power, title="", subtitle="",
                 failsUnlessImmediate=False, requiresGPU=False, earliestBegin=float(sys.argv[3]))
    refusal = wire.ask("tasks.submit", dict(draft=draft, isRepeated=False)).get("refusal")
    if refusal:
        sys.exit(refusal["sentence"])
"""


def submit(ours, folder, begin):
    """Has the app ask for two pieces of deferred work that may begin at a time, in seconds since 2001."""
    python = os.path.realpath("/usr/bin/python3")
    bundle = os.path.join(os.path.realpath(folder), "shop.app")
    os.makedirs(bundle)
    program = shutil.copy(python, os.path.join(bundle, "shop"))
    with open(os.path.join(bundle, "Info.plist"), "w", encoding="utf-8") as file:
        file.write(_PLIST)
    subprocess.run([program, "-c", _PROGRAM, os.path.dirname(os.path.abspath(__file__)), ours.home, str(begin)], check=True,
                   env={**ours.environment, "PYTHONHOME": "/usr"}, timeout=60)
