# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that takes small JSON files and keeps when each came."""

import http.server
import json
import threading
import time


class EventServer:
    """Listens from the start; `events` is a list of (boot time, name, document), in order of arrival."""

    def __init__(self):
        self.events = []
        events = self.events

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                events.append((time.clock_gettime(time.CLOCK_BOOTTIME), self.path.strip("/"), json.loads(body)))
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def named(self, name):
        return [(at, document) for at, its, document in list(self.events) if its == name]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
