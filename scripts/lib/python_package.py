# SPDX-License-Identifier: Apache-2.0
"""Packages from PyPI that the tests compare with: kept in the build folder, nothing is installed on the machine."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def need(name, version):
    """Makes a package importable; fetched once, with pip and without what it depends on."""
    folder = os.path.join(HERE, ".build", "python", f"{name}-{version}")
    if not os.path.isdir(folder):
        # Into another folder first: one that is there is whole.
        making = f"{folder}.{os.getpid()}"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--retries", "1"]
        subprocess.run([*pip, "--root-user-action", "ignore", "--target", making, f"{name}=={version}"],
                       check=True, stdout=sys.stderr)
        try:
            os.rename(making, folder)
        except OSError:
            if not os.path.isdir(folder):
                raise
    sys.path.insert(0, folder)
