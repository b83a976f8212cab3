# SPDX-License-Identifier: Apache-2.0
"""What the daemon costs while it has nothing to do."""

import os
import shutil
import tempfile
import time

import nginx
import offstage
import processes

MIB = 1 << 20


def run(report, options):
    print(f"\nidle, {options.seconds} s each", flush=True)
    directory = tempfile.mkdtemp(prefix="offstage-bench-", dir="/dev/shm")
    server = nginx.Nginx(os.path.join(directory, "server"), os.path.join(directory, "files"))
    ours = offstage.Offstage(options.binaries, os.path.join(directory, "home"))
    server.start()
    daemon = ours.start_daemon()
    try:
        ours.run("list")
        watch(report, daemon, options.seconds, "idle", settle=5)
        for index in range(20):
            with open(os.path.join(server.root, f"{index}.bin"), "wb") as file:
                file.write(os.urandom(8 * MIB))
        urls = [f"{server.url}/{index}.bin" for index in range(20)]
        ours.run("download", "--output-dir", directory, *urls)
        # Connections and buffers are kept for half a minute, for a transfer that may follow.
        watch(report, daemon, options.seconds, "idle after 20 transfers", settle=35)
    finally:
        daemon.terminate()
        daemon.wait()
        server.stop()
        shutil.rmtree(directory)


def watch(report, daemon, seconds, name, settle):
    # What follows the last request is no idling yet.
    time.sleep(settle)
    before = processes.context_switches(daemon.pid)
    cpu_before = processes.cpu_seconds(daemon.pid)
    time.sleep(seconds)
    switches = processes.context_switches(daemon.pid) - before
    cpu = processes.cpu_seconds(daemon.pid) - cpu_before
    resident, anonymous = processes.memory(daemon.pid)
    threads = len(os.listdir(f"/proc/{daemon.pid}/task"))
    report.case(
        name, seconds=seconds, context_switches=switches, cpu=cpu, resident=resident, anonymous=anonymous, threads=threads
    )
    print(f"    {threads} threads, {cpu * 1e6:.0f} µs of CPU")
    report.verdict(f"{name}, resident", resident / MIB, 24, " MiB")
    report.verdict(f"{name}, anonymous", anonymous / MIB, 5, " MiB")
    report.verdict(f"{name}, context switches", switches, 0, f" in {seconds} s")
