# SPDX-License-Identifier: Apache-2.0
"""Builds the packages beside the main one, which depend on it."""

import os
import subprocess
import sys


def build(package):
    """Builds a package in release and returns the folder of its programs."""
    # SwiftPM plans anew only if the package's own files have changed: after an update it would not know new files of
    # the one that it depends on.
    os.utime(os.path.join(package, "Package.swift"))
    command = ["swift", "build", "-c", "release", "--package-path", package]
    subprocess.run(command, check=True, stdout=sys.stderr)
    return subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip()
