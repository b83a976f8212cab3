# SPDX-License-Identifier: Apache-2.0
"""A file system that forgets what was not synced: a recording (scripts/lib/syscalls/record.c) is played into it, and at
any moment it says what a loss of power may leave.

The rules are stricter than those of any one file system, and none is looser than POSIX. What `fsync` of a file has
returned for is there, byte by byte; what was written since may be there as a whole, in part (by sectors), as zeros where
the file had become longer, or not at all, and a change of length by itself. A new, removed or renamed name is durable once
its folder was synced, and no sooner, not even when the file was; until then each may be missing, but of one name the later
change is never there without the earlier. A rename happens or not, in both folders at once.
"""

import os
from dataclasses import dataclass, field

SECTOR = 512


@dataclass
class Inode:
    content: bytes = b""
    mode: int = 0o600
    # Nanoseconds, as of the last sync; None for a file that was never synced.
    time: int | None = None
    # ("W", offset, bytes) and ("T", size) since the last sync.
    pending: list = field(default_factory=list)


@dataclass
class State:
    """What is on the disk when the power comes back: {path: (inode number, mode, content, time)}; folders with modes."""

    files: dict
    folders: dict


class CrashModel:
    def __init__(self, folders):
        self.inodes = {}
        self.names = {}
        self.folders = {folder: 0o700 for folder in folders}
        # Changes of names that no sync has made durable: (kind, path, …), in order.
        self.pending = []

    def copy_of(self, state):
        """Begins with what a state holds, all of it durable."""
        self.folders = dict(state.folders)
        for path, (number, *rest) in state.files.items():
            self.names[path] = number
            mode, content, time = rest
            self.inodes[number] = Inode(content, mode, time)

    def play(self, record):
        """Takes one line of a recording. Raises ValueError for what the recorder did not understand."""
        kind, words = record[0], record[1:]
        if kind in "CA":
            self.inodes[int(words[0])] = Inode(mode=int(words[-1]))
            if kind == "C":
                self.pending.append(("C", words[1], int(words[0])))
        elif kind == "W":
            self._inode(words[0]).pending.append(("W", int(words[1]), words[3]))
        elif kind == "T":
            self._inode(words[0]).pending.append(("T", int(words[1])))
        elif kind == "P":
            self._inode(words[0]).mode = int(words[1])
        elif kind == "F":
            self._sync_file(self._inode(words[0]), int(words[1]))
        elif kind == "D":
            self._sync_folder(words[0])
        elif kind == "L":
            self.pending.append(("C", words[1], int(words[0])))
        elif kind == "M":
            self.pending.append(("M", words[0], int(words[1])))
        elif kind in "NX":
            self.pending.append((kind, *words))
        elif kind == "U":
            raise ValueError(f"the recorder did not understand {words[0]}")

    def _inode(self, number):
        return self.inodes.setdefault(int(number), Inode())

    @staticmethod
    def _sync_file(inode, time):
        content = bytearray(inode.content)
        for change in inode.pending:
            _apply(content, change)
        inode.content, inode.pending, inode.time = bytes(content), [], time

    def _sync_folder(self, folder):
        left = []
        for change in self.pending:
            paths = [path for path in change[1:] if isinstance(path, str)]
            if any(os.path.dirname(path) == folder for path in paths):
                _rename(self.names, self.folders, change)
            else:
                left.append(change)
        self.pending = left

    def crash(self, rng):
        """What may be left now."""
        names, folders = dict(self.names), dict(self.folders)
        blocked = set()
        keeps = rng.choice((0.0, 0.3, 0.7, 1.0))
        # As of a journal: all up to one moment.
        until = rng.randint(0, len(self.pending)) if rng.random() < 0.4 else None
        for index, change in enumerate(self.pending):
            paths = [path for path in change[1:] if isinstance(path, str)]
            is_kept = index < until if until is not None else rng.random() < keeps
            if not is_kept or any(_is_blocked(path, blocked) for path in paths):
                blocked.update(paths)
            else:
                _rename(names, folders, change)
        content_mode = rng.choice(("none", "all", "prefix", "sectors", "mixed"))
        contents = {}
        files = {}
        for path, number in names.items():
            if os.path.dirname(path) not in folders:
                continue
            inode = self.inodes[number]
            if number not in contents:
                contents[number] = _left_of(inode, content_mode, rng)
            files[path] = (number, inode.mode, contents[number], None if inode.pending else inode.time)
        return State(files, folders)


def _is_blocked(path, blocked):
    while path != "/":
        if path in blocked:
            return True
        path = os.path.dirname(path)
    return False


def _rename(names, folders, change):
    kind, path = change[0], change[1]
    if kind == "C":
        names[path] = change[2]
    elif kind == "M":
        folders[path] = change[2]
    elif kind == "X":
        names.pop(path, None)
        folders.pop(path, None)
    elif kind == "N" and path in names:
        names[change[2]] = names.pop(path)


def _apply(content, change):
    if change[0] == "T":
        size = change[1]
        del content[size:]
        content.extend(bytes(size - len(content)))
        return
    _, offset, data = change
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


def _left_of(inode, mode, rng):
    """A file's content after the loss."""
    if not inode.pending or mode == "none":
        return inode.content
    content = bytearray(inode.content)
    until = rng.randint(0, len(inode.pending)) if mode == "prefix" else len(inode.pending)
    for change in inode.pending[:until]:
        how = rng.choice(("all", "sectors", "none", "zeros")) if mode == "mixed" else mode
        if how in ("all", "prefix"):
            _apply(content, change)
        elif change[0] == "T":
            if rng.random() < 0.5:
                _apply(content, change)
        elif how == "zeros":
            _, offset, data = change
            # The length has reached the disk, the content has not.
            content.extend(bytes(max(0, offset + len(data) - len(content))))
        elif how == "sectors":
            _some_sectors(content, change, rng)
    return bytes(content)


def _some_sectors(content, change, rng):
    _, offset, data = change
    if rng.random() < 0.5:
        content.extend(bytes(max(0, offset + len(data) - len(content))))
    at = 0
    while at < len(data):
        end = min(len(data), at + SECTOR - (offset + at) % SECTOR)
        if rng.random() < 0.6:
            _apply(content, ("W", offset + at, data[at:end]))
        at = end


def read_recording(*paths):
    """All records of recordings in order of time, as tuples: the kind, words, and the bytes of those that have any."""
    found = []
    for path in paths:
        with open(path, "rb") as file:
            while line := file.readline():
                if not line.endswith(b"\n"):
                    break
                words = line.rstrip(b"\n").decode(errors="surrogateescape").split("\t")
                if words[1] in ("W", "S"):
                    count = int(words[-1])
                    data = file.read(count)
                    if len(data) < count:
                        break
                    words.append(data)
                found.append((int(words[0]), tuple(words[1:])))
    return [record for _, record in sorted(found, key=lambda each: each[0])]
