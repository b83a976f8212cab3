#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An S3 server for the demo (ministack, from PyPI), behind a line that can be cut.

s3_stage.py FOLDER: prints the line's port, then obeys words on standard input, each answered with a line: `down` cuts the line,
`up` mends it, `objects` says what boto3 reads at the server: key, bytes and SHA-256 of each object. Ends with its input.
Exits with 3 and the reason if the server cannot be installed here.
"""

import json
import os
import sys

import counting_relay
import upload_servers


def serve(server):
    relay = counting_relay.CountingRelay(server.port)
    print(relay.port, server.variables["AWS_SHARED_CREDENTIALS_FILE"], server.variables["AWS_CONFIG_FILE"], flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word == "down":
            relay.shut()
            print("down", flush=True)
        elif word == "up":
            relay.open()
            print("up", flush=True)
        elif word == "objects":
            found = json.loads(server.with_boto3(upload_servers.READ))
            print(*(f"{key} {size} {digest}" for key, size, digest, _ in found["objects"]), flush=True)


def main():
    folder = os.path.join(sys.argv[1], "s3")
    os.makedirs(folder)
    try:
        server = upload_servers.Ministack(folder)
    except upload_servers.Missing as reason:
        print(reason, flush=True)
        return 3
    try:
        serve(server)
    finally:
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
