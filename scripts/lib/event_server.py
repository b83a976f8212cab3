#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that takes small JSON files and keeps when each came.

    event_server.py FILE      prints its port, and appends a line to FILE for each: its name and number
"""

import http.server
import json
import sys
import threading
import time


class EventServer:
    """Listens from the start; `events` is a list of (boot time, name, document), in order of arrival.

    `log` is called with name and document of each before it is answered.
    """

    def __init__(self, log=lambda name, document: None):
        self.events = []
        events = self.events

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                event = (time.clock_gettime(time.CLOCK_BOOTTIME), self.path.strip("/"), json.loads(body))
                events.append(event)
                log(*event[1:])
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def named(self, name):
        return [(at, document) for at, its, document in list(self.events) if its == name]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def main():
    with open(sys.argv[1], "a", buffering=1) as file:
        server = EventServer(lambda name, document: file.write(f"{name} {document['number']}\n"))
        print(server.port, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
