# SPDX-License-Identifier: Apache-2.0
"""What the daemon has told its clients, read from what it sent over its sockets (docs/wire-protocol.md)."""

import json
import struct


class Told:
    """Grows with each piece that was sent."""

    def __init__(self):
        self._streams = {}
        # Ids of transfers that were promised.
        self.promised = set()
        # {id: (result code, row)} of those told ended, and the last kind told of each.
        self.ended = {}
        self.kinds = {}
        # Ids in answers to `act`.
        self.acted = set()
        self.has_account = False

    def sent(self, socket, data):
        stream = self._streams.get(socket, b"") + data
        while len(stream) >= 4:
            (length,) = struct.unpack(">I", stream[:4])
            if length > 4 << 20:
                stream = b""
                break
            if len(stream) < 4 + length:
                break
            self._frame(stream[4:4 + length])
            stream = stream[4 + length:]
        self._streams[socket] = stream

    def _frame(self, frame):
        kind, _, length = struct.unpack(">BIB", frame[:6])
        try:
            value = json.loads(frame[6 + length:])
        except ValueError:
            return
        if kind == 2 and isinstance(value, dict):
            if isinstance(value.get("ids"), list):
                self.promised.update(value["ids"])
            if isinstance(value.get("done"), list):
                self.acted.update(value["done"])
            self.has_account |= "isNew" in value
        self._look(value)

    def _look(self, value):
        if isinstance(value, list):
            for each in value:
                self._look(each)
        elif isinstance(value, dict):
            if isinstance(value.get("id"), int) and isinstance(value.get("kind"), str) and "reason" in value:
                self.kinds[value["id"]] = value["kind"]
                if value["kind"] == "finished":
                    self.ended[value["id"]] = next(iter(value["reason"]["cause"]), "?")
            for each in value.values():
                if isinstance(each, (dict, list)):
                    self._look(each)
