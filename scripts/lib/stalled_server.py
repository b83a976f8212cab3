# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that reads requests, notes when the first byte came, and never answers."""

import selectors
import socket
import threading
import time


class StalledServer:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listener.getsockname()[1]
        self.first_byte = None
        self.connections = 0
        self._open = set()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.listener, selectors.EVENT_READ)
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def forget(self):
        """Starts the watch for the first byte anew."""
        self.first_byte = None
        self.connections = 0

    def stop(self):
        self._stopped = True
        self._thread.join()
        for peer in self._open:
            peer.close()
        self.listener.close()

    def _serve(self):
        while not self._stopped:
            for key, _ in self._selector.select(timeout=0.2):
                if key.fileobj is self.listener:
                    peer, _ = self.listener.accept()
                    self.connections += 1
                    self._open.add(peer)
                    self._selector.register(peer, selectors.EVENT_READ)
                    continue
                try:
                    data = key.fileobj.recv(65536)
                except OSError:
                    data = b""
                if data:
                    self.first_byte = self.first_byte or time.monotonic()
                else:
                    self._selector.unregister(key.fileobj)
                    self._open.discard(key.fileobj)
                    key.fileobj.close()
