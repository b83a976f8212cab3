#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of tus 1.0 that may be killed at any moment, and keeps its own log of what it took.

    scripts/lib/fleet_receiver.py FOLDER HOST PORT

Each path is an endpoint, and its last part the name of the file: an upload is created there with POST. Bytes are taken at their
offset alone; whoever asks for an upload, or goes on with it, ends an older request for it, as tusd does. The log has a line for
each creation, each request with bytes, and each completion; what a kill kept out of it is noted at the next start.
"""

import asyncio
import collections
import json
import os
import sys
import time
import uuid

PIECE = 256 << 10


class Store:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "uploads"), exist_ok=True)
        self.log_file = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.uploads = {}
        # {id: the task that writes to it}
        self.writers = {}
        completed, taken = set(), collections.Counter()
        for entry in read_log(folder):
            if entry["what"] == "took":
                taken[entry["id"]] += entry["received"]
            if entry["what"] == "created":
                self.uploads[entry["id"]] = (entry["name"], entry["length"])
            elif entry["what"] == "completed":
                completed.add(entry["id"])
            elif entry["what"] == "deleted":
                self.uploads.pop(entry["id"], None)
        for name in self.uploads:
            if self.size(name) > taken[name]:
                # A kill met the request: what is there was taken.
                self.log("took", id=name, offset=taken[name], received=self.size(name) - taken[name])
            if name not in completed:
                self.check_complete(name)

    def log(self, what, **facts):
        os.write(self.log_file, (json.dumps({"at": round(time.time(), 3), "what": what, **facts}) + "\n").encode())

    def path(self, upload):
        return os.path.join(self.folder, "uploads", upload)

    def create(self, name, length):
        upload = uuid.uuid4().hex
        os.close(os.open(self.path(upload), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        self.uploads[upload] = (name, length)
        self.log("created", id=upload, name=name, length=length)
        self.check_complete(upload)
        return upload

    def size(self, upload):
        return os.stat(self.path(upload)).st_size

    def check_complete(self, upload):
        name, length = self.uploads[upload]
        if self.size(upload) == length:
            self.log("completed", id=upload, name=name, length=length)

    def delete(self, upload):
        self.uploads.pop(upload)
        os.unlink(self.path(upload))
        self.log("deleted", id=upload)

    async def own(self, upload):
        """Ends an older request that writes to it."""
        writer = self.writers.get(upload)
        if writer is not None and writer is not asyncio.current_task():
            writer.cancel()
            try:
                await writer
            except (asyncio.CancelledError, Exception):
                pass


def read_log(folder):
    """All entries; a line that a kill has cut is none."""
    try:
        with open(os.path.join(folder, "log")) as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


class Connection:
    def __init__(self, store, reader, writer):
        self.store, self.reader, self.writer = store, reader, writer

    async def serve(self):
        try:
            while await self.request():
                pass
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.writer.close()

    async def request(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        fields = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            if name:
                fields[name.strip().lower()] = value.strip()
        path = target.split("?")[0].strip("/").split("/")
        if method == "OPTIONS":
            return await self.answer(204, {"Tus-Version": "1.0.0", "Tus-Extension": "creation,termination"})
        if method == "POST":
            upload = self.store.create(path[-1], int(fields.get("upload-length", -1)))
            return await self.answer(201, {"Location": f"/uploads/{upload}"})
        upload = path[-1]
        if upload not in self.store.uploads:
            await self.skip(fields)
            return await self.answer(404, {})
        await self.store.own(upload)
        if method == "HEAD":
            self.store.log("asked", id=upload, offset=self.store.size(upload))
            return await self.answer(200, {"Upload-Offset": self.store.size(upload),
                                           "Upload-Length": self.store.uploads[upload][1], "Cache-Control": "no-store"})
        if method == "DELETE":
            self.store.delete(upload)
            return await self.answer(204, {})
        return await self.patch(upload, fields)

    async def patch(self, upload, fields):
        offset, count = int(fields["upload-offset"]), int(fields["content-length"])
        if fields.get("expect", "").lower() == "100-continue":
            self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if offset != self.store.size(upload):
            received = await self.skip(fields)
            self.store.log("refused", id=upload, offset=offset, received=received)
            return await self.answer(409, {})
        task = asyncio.create_task(self.take(upload, offset, count))
        self.store.writers[upload] = task
        try:
            await task
        finally:
            if self.store.writers.get(upload) is task:
                del self.store.writers[upload]
        self.store.check_complete(upload)
        return await self.answer(204, {"Upload-Offset": offset + count})

    async def take(self, upload, offset, count):
        left = count
        file = os.open(self.store.path(upload), os.O_WRONLY | os.O_APPEND)
        try:
            while left:
                piece = await self.reader.read(min(left, PIECE))
                if not piece:
                    raise asyncio.IncompleteReadError(b"", left)
                os.write(file, piece)
                left -= len(piece)
        finally:
            os.close(file)
            self.store.log("took", id=upload, offset=offset, received=count - left)

    async def skip(self, fields):
        left = count = int(fields.get("content-length", 0))
        while left:
            piece = await self.reader.read(min(left, PIECE))
            if not piece:
                break
            left -= len(piece)
        return count - left

    async def answer(self, status, fields):
        lines = [f"HTTP/1.1 {status} Answer", "Tus-Resumable: 1.0.0"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        if status != 204 and "Content-Length" not in fields:
            lines.append("Content-Length: 0")
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        await self.writer.drain()
        return True


async def main(folder, host, port):
    store = Store(folder)

    async def serve(reader, writer):
        await Connection(store, reader, writer).serve()
    server = await asyncio.start_server(serve, host, port, limit=1 << 20, backlog=512)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
