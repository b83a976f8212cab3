# SPDX-License-Identifier: Apache-2.0
"""A relay of TCP connections on loopback with a delay, and a rate for each connection and direction: a distant server, where
the kernel has neither netem nor fq."""

import asyncio
import collections
import multiprocessing
import socket
import time

BLOCK = 256 << 10


class SlowLine:
    """Runs in a process of its own."""

    def __init__(self, port, delay, rate):
        """`delay` is in seconds for one way, `rate` in bytes a second."""
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.process = multiprocessing.get_context("fork").Process(
            target=lambda: asyncio.run(_serve(self.listener, port, delay, rate)), daemon=True)
        self.process.start()
        self.listener.close()

    def stop(self):
        self.process.kill()
        self.process.join()


async def _serve(listener, port, delay, rate):
    loop = asyncio.get_running_loop()
    under_way = set()
    while True:
        client, _ = await loop.sock_accept(listener)
        task = asyncio.ensure_future(_relay(loop, client, port, delay, rate))
        under_way.add(task)
        task.add_done_callback(under_way.discard)


async def _relay(loop, client, port, delay, rate):
    server = socket.socket()
    try:
        for end in (client, server):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The handshake's way there and back.
        await asyncio.sleep(2 * delay)
        await loop.sock_connect(server, ("127.0.0.1", port))
        # A group ends the other tasks of a connection that breaks, before its sockets are closed: one that still waited
        # would take away what the next connection, with the same descriptor, waits for.
        async with asyncio.TaskGroup() as group:
            group.create_task(_pass(loop, client, server, delay, rate))
            group.create_task(_pass(loop, server, client, delay, rate))
    except* OSError:
        pass
    finally:
        client.close()
        server.close()


async def _pass(loop, source, target, delay, rate):
    queue, room = collections.deque(), asyncio.Event()
    arrived = asyncio.Event()
    held = 0
    # What a line of this rate and delay holds, and a little of the buffers along it.
    most = max(BLOCK, int(rate * (2 * delay + 0.05)))

    async def take():
        nonlocal held
        free = 0.0
        while True:
            while held >= most:
                room.clear()
                await room.wait()
            data = await loop.sock_recv(source, BLOCK)
            free = max(free, time.monotonic()) + len(data) / rate
            held += len(data)
            queue.append((free + delay, data))
            arrived.set()
            if not data:
                return

    async def give():
        nonlocal held
        while True:
            while not queue:
                arrived.clear()
                await arrived.wait()
            due, data = queue.popleft()
            wait = due - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            if not data:
                target.shutdown(socket.SHUT_WR)
                return
            await loop.sock_sendall(target, data)
            held -= len(data)
            room.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(take())
        group.create_task(give())
