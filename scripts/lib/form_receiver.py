#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that takes multipart forms, reads each with two parsers, and keeps nothing but hashes.

    form_receiver.py            prints its port, and a line of JSON for each form
    form_receiver.py --check    says by its exit code whether both parsers are there

What arrives is given piece by piece to `multipart` (PyPI) in this process, in its strict mode, and to
HTTP::MultiPartParser of Perl (form_parser.pl) in another; each says name, file name, type, length and SHA-256 of every
part. The answer is 200 when both say the same, 422 otherwise, and has both in it.
"""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_package

python_package.need("multipart", "2.0.1")
import multipart

PERL_PARSER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "form_parser.pl")
PIECE = 1 << 20


class PythonParser:
    """`multipart`, which hands out what it has found and forgets it."""

    def __init__(self, boundary, length):
        self._parser = multipart.PushMultipartParser(boundary, content_length=length, strict=True)
        self._part = None
        self._hash = None
        self.parts = []

    def take(self, piece):
        for event in self._parser.parse(piece):
            if isinstance(event, multipart.MultipartSegment):
                self._hash = hashlib.sha256()
                headers = dict(event.headerlist)
                self._part = {"name": event.name, "fileName": event.filename, "bytes": 0,
                              "contentType": headers.get("Content-Type")}
            elif event is None:
                self._part["sha256"] = self._hash.hexdigest()
                self.parts.append(self._part)
            else:
                self._part["bytes"] += len(event)
                self._hash.update(event)

    def end(self):
        self._parser.close()
        return self.parts


class PerlParser:
    """HTTP::MultiPartParser in a process of its own."""

    def __init__(self, boundary):
        self._process = subprocess.Popen(["perl", PERL_PARSER, boundary], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)

    def take(self, piece):
        rest = memoryview(piece)
        try:
            while rest:
                rest = rest[self._process.stdin.write(rest):]
        except BrokenPipeError:
            pass  # it says why at its end

    def end(self):
        output, errors = self._process.communicate()
        if self._process.returncode != 0:
            raise ValueError(errors.decode(errors="replace").strip())
        return json.loads(output)


def read_form(stream, boundary, length):
    """What both parsers say of a form: parts, or why they could not read it."""
    python, perl = PythonParser(boundary, length), PerlParser(boundary)
    report = {"bytes": 0}
    left = length
    while left > 0:
        piece = stream.read(min(left, PIECE))
        if not piece:
            break
        left -= len(piece)
        report["bytes"] += len(piece)
        perl.take(piece)
        if "pythonError" not in report:
            try:
                python.take(piece)
            except multipart.MultipartError as error:
                report["pythonError"] = str(error)
    for name, parser in (("python", python), ("perl", perl)):
        try:
            report[name] = parser.end()
        except (multipart.MultipartError, ValueError) as error:
            report.setdefault(f"{name}Error", str(error))
    report["agree"] = left == 0 and "python" in report and report["python"] == report.get("perl") \
        and "pythonError" not in report
    return report


class FormReceiver:
    """Listens from the start; `forms` has what was said of each form, in order of arrival."""

    def __init__(self, log=lambda form: None):
        self.forms = []
        forms = self.forms

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            rbufsize = PIECE

            def do_POST(self):
                kind, options = multipart.parse_options_header(self.headers.get("Content-Type", ""))
                boundary = options.get("boundary", "")
                length = self.headers.get("Content-Length")
                if kind != "multipart/form-data" or not boundary or length is None:
                    form = {"agree": False, "pythonError": f"no form of known length: {kind}, {length} bytes"}
                    self.close_connection = True
                else:
                    form = read_form(self.rfile, boundary, int(length))
                form["path"] = urllib.parse.unquote(self.path)
                form["headers"] = [[name, value] for name, value in self.headers.items()]
                forms.append(form)
                log(form)
                answer = json.dumps(form).encode()
                self.send_response(200 if form["agree"] else 422)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_PUT = do_POST

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def main():
    if sys.argv[1:] == ["--check"]:
        sys.exit(subprocess.run(["perl", "-MHTTP::MultiPartParser", "-MDigest::SHA", "-e", "1"]).returncode)
    lock = threading.Lock()

    def log(form):
        with lock:
            print(json.dumps(form), flush=True)

    receiver = FormReceiver(log)
    print(receiver.port, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
