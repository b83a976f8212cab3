# SPDX-License-Identifier: Apache-2.0
"""A connection to the daemon's socket, for requests whose command would take longer to start than to answer."""

import json
import os
import socket
import struct

_REQUEST, _ANSWER = 1, 2


class DaemonWire:
    """One connection; requests one after the other (docs/wire-protocol.md)."""

    def __init__(self, ours, timeout=60):
        self._exchange = 0
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(os.path.join(ours.home, "run", "daemon.sock"))
        version = {"major": 0, "minor": 1, "patch": 0}
        self.ask("hello", {"version": version, "protocolVersion": 1, "client": "bench"})

    def close(self):
        self._socket.close()

    def ask(self, name, value):
        """Sends a request and returns its answer."""
        self.send(name, value)
        return self.answer()

    def send(self, name, value):
        """Sends a request; `answer` is called before the next."""
        self._exchange += 1
        payload = json.dumps(value).encode()
        head = struct.pack(">IBIB", 6 + len(name) + len(payload), _REQUEST, self._exchange, len(name))
        self._socket.sendall(head + name.encode() + payload)

    def answer(self):
        """The answer to the last request; events in between are dropped."""
        while True:
            body = self._receive(struct.unpack(">I", self._receive(4))[0])
            kind, exchange, length = struct.unpack(">BIB", body[:6])
            if exchange != self._exchange:
                continue
            payload = body[6 + length:]
            if kind != _ANSWER:
                raise RuntimeError(f"The daemon refused: {payload.decode(errors='replace')}")
            return json.loads(payload)

    def act(self, app, verb, waits=False, **arguments):
        """Asks for one thing with an app, without waiting for the answer unless `waits`."""
        self.send("apps.act", {"app": app, "verb": {verb: arguments}, "waits": waits})
        if waits:
            return self.answer()

    def _receive(self, count):
        parts = b""
        while len(parts) < count:
            part = self._socket.recv(count - len(parts))
            if not part:
                raise RuntimeError("the daemon hung up")
            parts += part
        return parts
