# SPDX-License-Identifier: Apache-2.0
"""One process of scripts/hammer: sends mutated requests over some connections, and reads what is answered.

    hammer_client.py SOCKET COUNT SEED CONNECTIONS

Prints how many it has sent and how many answers it has read.
"""

import json
import random
import re
import selectors
import socket
import struct
import sys

_SPEC = {
    "direction": {"download": {"_0": {"path": "/tmp/hammer/x", "overwrites": False}}},
    "url": "http://127.0.0.1:9/x", "method": "GET", "owner": "offstage", "headers": [],
}
# Requests as a client sends them; `stop`, `handover` and what starts programs or lets time run are left out.
_REQUESTS = [
    ("list", {"query": {"limit": 100}}),
    ("list", {"query": {"limit": 10, "kinds": ["queued", "finished"], "text": "x"}}),
    ("show", {"ids": [1, 2, 3]}),
    ("act", {"verb": "cancel", "selection": {"ids": {"_0": [1, 2, 3, 4, 5]}}}),
    ("act", {"verb": "pause", "selection": {"all": {}}}),
    ("limit", {"id": 1, "bytesPerSecond": 1000}),
    ("header", {"id": 1, "headers": [{"name": "X-A", "value": "b"}]}),
    ("watch", {"ids": [1, 2, 3], "onlyOutcomes": True}),
    ("watch", {}),
    ("submit", {"specs": [_SPEC]}),
    ("status", {}),
    ("accounts.list", {}),
    ("accounts.remove", {"account": "dropbox"}),
    ("app.open", {}),
    ("session.open", {"identifier": "s"}),
    ("session.close", {"identifier": "s"}),
    ("session.tasks", {"identifier": "s", "after": 0}),
    ("session.ends", {"identifier": "s"}),
    ("ring", {}),
    ("apps.list", {}),
    ("apps.show", {"app": "x"}),
    ("apps.story", {"app": "x", "limit": 10}),
    ("apps.act", {"app": "x", "verb": {"background": {}}, "waits": False}),
    ("tasks.list", {"limit": 10}),
    ("tasks.forecast", {"seconds": 100, "limit": 10}),
    ("tasks.watch", {"limit": 10}),
]
_NUMBERS = [b"-1", b"0", b"1e300", b"9223372036854775807", b"-9223372036854775808", b"18446744073709551615", b"1.5",
            b"null", b"NaN", b"1000000"]


def mutated(chance):
    """One request's frame."""
    name, value = chance.choice(_REQUESTS)
    payload = json.dumps(value).encode()
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        kind = chance.randrange(8)
        at = chance.randrange(len(payload) + 1)
        if kind == 0:
            payload = payload[:at] + bytes([chance.randrange(256)]) + payload[at + 1:]
        elif kind == 1:
            payload = payload[:at]
        elif kind == 2:
            payload = payload[:at] + chance.choice((b"[", b"{", b'"', b",", b'{"a":', b"}")) * chance.choice((1, 3, 300)) + payload[at:]
        elif kind == 3:
            payload = re.sub(rb"\d+", lambda _: chance.choice(_NUMBERS), payload)
        elif kind == 4:
            payload = payload.replace(b"[", b"[" + chance.choice((b"1,", b'"a",')) * chance.choice((1, 50, 3000)), 1)
        elif kind == 5:
            payload = payload[:at] + payload[at // 2:]
        elif kind == 6:
            payload = payload.replace(b'"s"', b'"' + b"s" * chance.choice((1, 300, 20000)) + b'"')
        elif chance.randrange(20) == 0:
            name = "".join(chr(chance.randrange(33, 127)) for _ in range(chance.randrange(30)))
    if chance.randrange(2000) == 0:
        name = "stage.report"  # one that makes no sense ends the connection
    if name in ("stop", "handover"):
        name = "status"
    frame = struct.pack(">IBIB", 6 + len(name) + len(payload), 1, chance.randrange(1 << 32), len(name))
    frame += name.encode() + payload
    fate = chance.randrange(20000)
    if fate == 0:
        return frame[:chance.randrange(len(frame))]  # what follows is taken for its rest
    if fate == 1:
        return bytes(chance.randrange(256) for _ in range(40))
    return frame


class Client:
    """One connection, made anew whenever the daemon closes it."""

    def __init__(self, path):
        self._path = path
        self.unsent = b""
        self.answers = 0
        self.batch = 0
        self._tail = b""
        self._connect()

    def _connect(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(self._path)
        version = {"major": 0, "minor": 1, "patch": 0}
        hello = json.dumps({"version": version, "protocolVersion": 1, "client": "hammer"}).encode()
        self.unsent = struct.pack(">IBIB", 11 + len(hello), 1, 1, 5) + b"hello" + hello
        self._tail = b""
        self.batch = 0
        self.socket.setblocking(False)

    def again(self):
        self.socket.close()
        self._connect()

    def write(self):
        """Returns how many requests have been written to their last byte."""
        count = self.socket.send(self.unsent)
        self.unsent = self.unsent[count:]
        if self.unsent:
            return 0
        written, self.batch = self.batch, 0
        return written

    def read(self):
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionError
        bytes_ = self._tail + part
        while len(bytes_) >= 4:
            length = struct.unpack(">I", bytes_[:4])[0]
            if len(bytes_) < 4 + length:
                break
            bytes_ = bytes_[4 + length:]
            self.answers += 1
        self._tail = bytes_


def main(path, count, seed, connections):
    chance = random.Random(seed)
    selector = selectors.DefaultSelector()
    clients = [Client(path) for _ in range(connections)]
    for client in clients:
        selector.register(client.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, client)
    sent = 0
    while sent < count:
        for key, events in selector.select(30):
            client = key.data
            try:
                if events & selectors.EVENT_READ:
                    client.read()
                if events & selectors.EVENT_WRITE:
                    if not client.unsent:
                        client.unsent = b"".join(mutated(chance) for _ in range(50))
                        client.batch = 50
                    sent += client.write()
            except BlockingIOError:
                continue
            except OSError:
                selector.unregister(client.socket)
                client.again()
                selector.register(client.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, client)
    print(sent, sum(client.answers for client in clients))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
