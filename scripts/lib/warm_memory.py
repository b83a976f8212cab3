# SPDX-License-Identifier: Apache-2.0
"""Memory that stays with this machine while something is measured.

A virtual machine with free page reporting gives free blocks of 2 MiB back to its host. Whoever writes to such a block next
waits for the host: a server that keeps an upload in tmpfs then takes anything from 0.8 s to 3 s for the same GiB, whoever
sends it, and all of the difference is the server's own system time.
"""

import mmap


class WarmMemory:
    """Holds every second page of twice `size` bytes, so that `size` bytes are free in single pages.

    The kernel takes single pages before it splits a block, and gives none of them back. Make it when all files that stay are
    written: they would take the single pages first.
    """

    def __init__(self, size):
        size -= size % mmap.PAGESIZE
        self.pages = None
        if available() < 3 * size:
            print("There is too little memory to keep some of it warm: the server may wait for its host.", flush=True)
            return
        self.pages = mmap.mmap(-1, 2 * size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.pages.madvise(mmap.MADV_NOHUGEPAGE)
        for offset in range(0, 2 * size, mmap.PAGESIZE):
            self.pages[offset] = 1
        for offset in range(0, 2 * size, 2 * mmap.PAGESIZE):
            self.pages.madvise(mmap.MADV_DONTNEED, offset, mmap.PAGESIZE)

    def close(self):
        if self.pages is not None:
            self.pages.close()


def available():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:"))
