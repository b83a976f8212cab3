# SPDX-License-Identifier: Apache-2.0
"""A relay of TCP connections on loopback that counts what clients send, and breaks connections when it is told to."""

import socket
import struct
import threading


class CountingRelay:
    def __init__(self, port):
        self.sent = 0
        self.breaks = 0
        self._target = ("127.0.0.1", port)
        self._lock = threading.Lock()
        # Connections by which bytes go to the server right now.
        self._open = set()
        # How many of the next answers nobody gets.
        self._swallows = 0
        self.port = 0
        self.open()

    def open(self):
        """Listens, on the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self):
        # A close alone would not wake who waits in accept(2).
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def shut(self):
        """Refuses connections and resets those that are open, until `open`."""
        self.stop()
        self.cut()

    def cut(self):
        """Resets all connections, whatever is on its way."""
        with self._lock:
            pairs, self._open = self._open, set()
            self.breaks += 1
        for pair in pairs:
            for end in pair:
                reset(end)

    def swallow(self):
        """The next answer is lost: its connection is reset once its first byte has come."""
        with self._lock:
            self._swallows += 1
            self.breaks += 1

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client):
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        pair = (client, server)
        with self._lock:
            self._open.add(pair)
        back = threading.Thread(target=self._pump, args=(server, client, False), daemon=True)
        back.start()
        self._pump(client, server, True)
        back.join()
        with self._lock:
            self._open.discard(pair)
        client.close()
        server.close()

    def _pump(self, source, target, is_counted):
        try:
            while data := source.recv(1 << 18):
                with self._lock:
                    if is_counted:
                        self.sent += len(data)
                    elif self._swallows:
                        self._swallows -= 1
                        break
                target.sendall(data)
            else:
                target.shutdown(socket.SHUT_WR)
                return
        except OSError:
            pass
        reset(source)
        reset(target)


def reset(end):
    """Ends a connection as one does that breaks."""
    try:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
