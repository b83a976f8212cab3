#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Dropbox's own Python SDK, unmodified, against the emulator of Dropbox, over TLS.

The SDK is installed from PyPI into a virtual environment in a temporary folder, and led to the emulator by its own
environment variables and parameters alone. Ends with 0 when every check holds, 1 when one does not, and 77, which
means "skipped", when the SDK cannot be installed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import processes

SDK = "dropbox==12.2.4"
SKIPPED = 77
APP_KEY = "sdk-check"
APP_SECRET = "sdk-secret"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--emulator", default=".build/debug/offstage-dropbox-emulator", help="the program")
    parser.add_argument("--wheels", help="install from the wheels in this folder where PyPI has them not at hand")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="dropbox-sdk-")
    try:
        python = install(folder, options.wheels)
        if python is None:
            return SKIPPED
        return run(folder, python, os.path.abspath(options.emulator))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def install(folder, wheels):
    """Makes the environment; returns its Python, or None with the reason printed."""
    environment = os.path.join(folder, "venv")
    python = os.path.join(environment, "bin", "python")
    made = subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"needs Python's venv: {last_line(made.stdout + made.stderr)}")
        return None
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", SDK]
    if wheels:
        command += ["--find-links", wheels]
    installed = subprocess.run(command, capture_output=True, text=True)
    if installed.returncode != 0:
        print(f"needs PyPI: {SDK} cannot be installed: {last_line(installed.stderr)}")
        return None
    return python


def last_line(text):
    return text.strip().rsplit("\n", 1)[-1]


def run(folder, python, emulator):
    certificate, key = make_certificate(folder)
    process = processes.start(
        [emulator, "--certificate", certificate, "--key", key, "--app-key", f"{APP_KEY}:{APP_SECRET}"],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        line = process.stdout.readline()
        if not line.startswith("Listening on https://"):
            print(f"{emulator} did not listen: {line!r}")
            return 1
        host = line.split("//", 1)[1].strip()
        # A bundle in the environment would win over the certificate that the SDK is given.
        unwanted = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
        environment = {
            name: value for name, value in os.environ.items()
            if name not in unwanted and not name.lower().endswith("_proxy")
        }
        for name in ("API_HOST", "API_CONTENT_HOST", "API_NOTIFY_HOST", "WEB_HOST"):
            environment[f"DROPBOX_{name}"] = host
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        checks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dropbox_sdk_calls.py")
        return subprocess.run(
            [python, checks, "--host", host, "--authority", certificate, "--app", APP_KEY, APP_SECRET],
            env=environment, timeout=300,
        ).returncode
    finally:
        process.terminate()
        process.wait(10)


def make_certificate(folder):
    """A certificate for 127.0.0.1 that is its own authority."""
    certificate, key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=Emulated Dropbox",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True,
    )
    return certificate, key


if __name__ == "__main__":
    sys.exit(main())
