# SPDX-License-Identifier: Apache-2.0
"""A small HTTP server in this process for campaigns: files that follow from their names, and a record of all requests."""

import hashlib
import http.server
import random
import re
import threading
import time


def content_of(name, size):
    """What a file of this name holds."""
    return random.Random(name).randbytes(size)


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Request:
    """One request that was read to its end, and what was answered."""

    def __init__(self, method, path, first_byte, status, sha256):
        self.method, self.path, self.first_byte = method, path, first_byte
        self.status, self.sha256 = status, sha256


class CampaignServer:
    """`/file/SIZE/NAME` is a file. Before it may stand `slow` (comes in pieces), `cut` (the first answer breaks off in
    the middle), `busy` (503 at first), `moved` (a redirect), and `secret` (401 without Authorization)."""

    def __init__(self, port=0):
        self.requests = []
        self.counts = {}
        self.pace = 0.02
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def reset(self):
        with self._lock:
            self.requests, self.counts = [], {}

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def note(self, request):
        with self._lock:
            self.requests.append(request)

    def is_first(self, path):
        with self._lock:
            self.counts[path] = self.counts.get(path, 0) + 1
            return self.counts[path] == 1

    def received(self, path):
        """The hashes of the bodies that were taken at a path."""
        with self._lock:
            return [each.sha256 for each in self.requests if each.path == path and each.status in (200, 201)]

    def served(self, path):
        """How often any of a file was asked for."""
        with self._lock:
            return sum(each.path == path for each in self.requests)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None
    timeout = 30

    def log_message(self, *_):
        pass

    def parse_request(self):
        """A proxy is asked for whole URLs."""
        is_one = super().parse_request()
        if is_one:
            self.path = re.sub("^http://[^/]+", "", self.path)
        return is_one

    def do_GET(self):
        words = self.path.strip("/").split("/")
        kind, size = words[0], int(words[1]) if len(words) > 2 and words[1].isdigit() else 0
        is_first = self.owner.is_first(self.path)
        if self._refuses(kind, is_first):
            return
        content = content_of(words[-1], size)
        tag = f'"{digest(content)[:16]}"'
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first = int(found[1]) if found and self.headers.get("If-Range", tag) == tag else 0
        last = int(found[2]) if found and found[2] and first else size - 1
        if first >= size > 0:
            self._answer(416, b"", {"Content-Range": f"bytes */{size}"})
            return
        part = content[first:last + 1]
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", tag)
        self.send_header("Accept-Ranges", "bytes")
        if first:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        self.owner.note(Request("GET", self.path, first, 206 if first else 200, None))
        if kind == "cut" and is_first:
            self.wfile.write(part[:len(part) // 2])
            self.close_connection = True
            return
        step = max(1, len(part) // 8) if kind == "slow" else max(1, len(part))
        for offset in range(0, len(part), step):
            self.wfile.write(part[offset:offset + step])
            if kind == "slow":
                self.wfile.flush()
                time.sleep(self.owner.pace)

    def do_PUT(self):
        body = self._body()
        kind = self.path.strip("/").split("/")[0]
        if self._refuses(kind, self.owner.is_first(self.path)):
            return
        self.owner.note(Request(self.command, self.path, 0, 201, digest(body)))
        self._answer(201, b"stored")

    do_POST = do_PUT

    def _body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _refuses(self, kind, is_first):
        if kind == "busy" and is_first:
            self._answer(503, b"", {"Retry-After": "0"})
        elif kind == "moved":
            self._answer(307, b"", {"Location": self.path.replace("/moved/", "/file/", 1)})
        elif kind == "secret" and "Authorization" not in self.headers:
            self._answer(401, b"", {"WWW-Authenticate": 'Basic realm="x"'})
        else:
            return False
        return True

    def _answer(self, status, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            pass
