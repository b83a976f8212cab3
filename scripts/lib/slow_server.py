#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slow_server.py FOLDER NAME=KIB…: takes uploads on loopback, each no faster than its name says.

Prints the port. A file whose name begins with NAME is read at KIB KiB a second and written to FOLDER under its own
name once it is whole. As soon as FOLDER/FILE.go exists, the rest of FILE is read at once.
"""

import http.server
import os
import sys
import time

PIECE = 16384


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = ""
    rates = {}

    def do_PUT(self):
        try:
            self.take()
        except ConnectionError:
            self.close_connection = True  # whoever sent it is gone

    def take(self):
        name = os.path.basename(self.path)
        rate = next((rate for prefix, rate in self.rates.items() if name.startswith(prefix)), None)
        left = int(self.headers["Content-Length"])
        begun, done = time.monotonic(), 0
        go = os.path.join(self.folder, f"{name}.go")
        unfinished = os.path.join(self.folder, f".{name}.{self.client_address[1]}")
        with open(unfinished, "wb") as file:
            while left > 0:
                data = self.rfile.read(min(left, PIECE))
                if not data:
                    self.close_connection = True
                    os.remove(unfinished)
                    return
                file.write(data)
                left -= len(data)
                done += len(data)
                if rate and not os.path.exists(go):
                    time.sleep(max(0, begun + done / rate - time.monotonic()))
        os.replace(unfinished, os.path.join(self.folder, name))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    Handler.folder = sys.argv[1]
    for argument in sys.argv[2:]:
        name, rate = argument.split("=")
        Handler.rates[name] = int(rate) * 1024
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
