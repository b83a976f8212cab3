# SPDX-License-Identifier: Apache-2.0
"""A large form of two sparse files: what the daemon needs for it, and whether every byte arrives."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import offstage
import processes

MIB = 1 << 20
GIB = 1 << 30
RECEIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "form_receiver.py")
# Sampled often enough to see a buffer that is held for one read of a slow receiver.
PAUSE = 0.02


def run(report, options):
    size = options.form_size
    print(f"\nforms, two sparse files of {size / 2 / GIB:.3g} GiB", flush=True)
    directory = tempfile.mkdtemp(prefix="offstage-bench-", dir=options.disk)
    receiver = processes.start([sys.executable, RECEIVER], stdout=subprocess.PIPE, text=True)
    ours = offstage.Offstage(options.binaries, os.path.join(directory, "home"))
    daemon = ours.start_daemon()
    try:
        url = f"http://127.0.0.1:{int(receiver.stdout.readline())}/forms"
        files = [make_sparse(os.path.join(directory, name), size // 2, seed) for seed, name in enumerate(("one.bin", "two \"ü\".bin"))]
        sources = [sha256(path) for path in files]
        ours.run("list")
        before = Sample(daemon.pid, directory)
        watch = Watch(daemon.pid, directory, before)
        began = time.monotonic()
        ours.run("upload", "-F", "title=Zwei\nZeilen", "-F", f"file=@{quoted(files[0])},{quoted(files[1])}",
                 "-F", "last=ü", url, timeout=7200)
        wall = time.monotonic() - began
        watch.stop()
        if daemon.poll() is not None or watch.samples == 0:
            raise SystemExit(f"The daemon was not watched to the end: {watch.samples} samples, it ended with {daemon.poll()}.")
        form = json.loads(receiver.stdout.readline())
        cpu = processes.cpu_seconds(daemon.pid) - before.cpu
        report.case(
            "forms", bytes=form["bytes"], wall=wall, cpu=cpu, anonymous=watch.anonymous, samples=watch.samples,
            resident=watch.resident, extra_disk=watch.extra_disk, written=watch.written, agree=form["agree"],
            sources=sources, form=form,
        )
        print(f"    {form['bytes']} bytes in {wall:.0f} s, {cpu:.1f} s of the daemon's CPU, {watch.samples} samples")
        print(f"    anonymous {watch.anonymous / MIB:.1f} MiB, {before.anonymous / MIB:.1f} before; resident {watch.resident / MIB:.1f} MiB")
        print(f"    written by the daemon {watch.written / MIB:.2f} MiB")
        report.verdict("form, anonymous memory of the daemon", watch.anonymous / MIB, 32, " MiB")
        # The store grows by a record.
        report.verdict("form, extra disk", watch.extra_disk / MIB, 1, " MiB")
        # Wherever it went: a copy that is kept elsewhere, or is gone already, is written all the same.
        report.verdict("form, written by the daemon", watch.written / MIB, 1, " MiB")
        report.verdict("form, parts that both parsers and the sources agree on", agreeing(form, files, sources, size), 4,
                       at_least=True)
    finally:
        daemon.terminate()
        daemon.wait()
        receiver.kill()
        receiver.wait()
        shutil.rmtree(directory)


def quoted(path):
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def make_sparse(path, size, seed):
    """A file of holes with a little that is random in it: at both ends, and at places that fit no buffer."""
    generator = hashlib.shake_256(bytes([seed]))
    noise = generator.digest(MIB)
    with open(path, "wb") as file:
        file.truncate(size)
        for place in (0, size // 3 + 12345, size // 2 + 1, max(0, size - len(noise) - 7), max(0, size - len(noise))):
            file.seek(place)
            file.write(noise[: min(len(noise), size - place)])
    return path


def sha256(path):
    result = subprocess.run(["sha256sum", "--", path], check=True, capture_output=True, text=True)
    # A leading backslash says that the name was escaped.
    return result.stdout.split()[0].lstrip("\\")


def agreeing(form, files, sources, size):
    """How many parts are what was sent, to both parsers."""
    fields = [("title", "Zwei\r\nZeilen"), ("last", "ü")]
    expected = [field(*fields[0])]
    for path, digest in zip(files, sources):
        expected.append({"name": "file", "fileName": os.path.basename(path), "contentType": "application/octet-stream",
                         "bytes": size // 2, "sha256": digest})
    expected.append(field(*fields[1]))
    found = [form.get("python", []), form.get("perl", [])]
    if not form["agree"] or any(len(parts) != len(expected) for parts in found):
        print(f"    {json.dumps(form)}")
        return 0
    return sum(all(parts[index] == part for parts in found) for index, part in enumerate(expected))


def field(name, value):
    content = value.encode()
    return {"name": name, "fileName": None, "contentType": None, "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest()}


class Sample:
    """What a process has, and the blocks of a folder, at one moment."""

    def __init__(self, pid, directory):
        self.resident, self.anonymous = processes.memory(pid)
        self.cpu = processes.cpu_seconds(pid)
        self.disk = blocks(directory)
        with open(f"/proc/{pid}/io") as file:
            values = dict(line.split(": ") for line in file)
        self.written = int(values["write_bytes"])


def blocks(directory):
    """Bytes that are allocated for the files in a folder, holes left out."""
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


class Watch:
    """Samples until it is stopped, and keeps the highest. What went wrong meanwhile is raised by `stop`."""

    def __init__(self, pid, directory, before):
        self.resident = self.anonymous = self.extra_disk = self.written = self.samples = 0
        self._error = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(pid, directory, before), daemon=True)
        self._thread.start()

    def _run(self, pid, directory, before):
        try:
            while not self._ends.wait(PAUSE):
                self._take(Sample(pid, directory), before)
            # What it came to when all of it had been sent.
            self._take(Sample(pid, directory), before)
        except (OSError, KeyError, ValueError) as error:
            self._error = error

    def _take(self, now, before):
        self.samples += 1
        self.resident = max(self.resident, now.resident)
        self.anonymous = max(self.anonymous, now.anonymous)
        self.extra_disk = max(self.extra_disk, now.disk - before.disk)
        self.written = now.written - before.written

    def stop(self):
        self._ends.set()
        self._thread.join()
        if self._error is not None:
            raise SystemExit(f"The daemon could not be watched: {self._error!r}") from self._error
