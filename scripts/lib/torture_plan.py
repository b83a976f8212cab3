# SPDX-License-Identifier: Apache-2.0
"""What a torture round does and when: all of it follows from the seed and the round's number."""

import hashlib
import math
import os
import random
from dataclasses import dataclass, field

TRANSFERS = 50
SMALLEST = 4 << 10
LARGEST = 64 << 20


@dataclass
class Item:
    """One transfer that has to arrive."""

    index: int
    is_upload: bool
    size: int
    checked: bool
    origin: str = ""
    target: str = ""
    uri: str = ""
    sha256: str = ""


@dataclass
class Plan:
    items: list
    # (seconds after the round's start, what to do, an argument), in order of time.
    events: list = field(default_factory=list)


class Pool:
    """Random bytes of which every file is a piece of its own, so that no two files begin alike."""

    def __init__(self, seed):
        self.bytes = memoryview(random.Random(f"{seed}/pool").randbytes(LARGEST + TRANSFERS * 4099))

    def piece(self, item):
        return self.bytes[item.index * 4099 : item.index * 4099 + item.size]


def make_plan(seed, number, pool, directory, server_root):
    rng = random.Random(f"{seed}/{number}")
    items = []
    for index in range(TRANSFERS):
        size = int(math.exp(rng.uniform(math.log(SMALLEST), math.log(LARGEST))))
        item = Item(index, is_upload=rng.random() < 0.5, size=size, checked=rng.random() < 0.5)
        name = f"{'up' if item.is_upload else 'down'}-{index:02}.bin"
        item.uri = f"/{'in' if item.is_upload else 'out'}/{name}"
        at_server = server_root + item.uri
        here = os.path.join(directory, "sources" if item.is_upload else "targets", name)
        item.origin, item.target = (here, at_server) if item.is_upload else (at_server, here)
        items.append(item)
    for item in items:
        piece = pool.piece(item)
        item.sha256 = hashlib.sha256(piece).hexdigest()
        os.makedirs(os.path.dirname(item.origin), exist_ok=True)
        os.makedirs(os.path.dirname(item.target), exist_ok=True)
        with open(item.origin, "wb") as file:
            file.write(piece)
    plan = Plan(items)
    plan.events = sorted(make_events(rng, items), key=lambda event: event[0])
    return plan


def make_events(rng, items):
    """Hands everything over in the first second; kills, pauses and resumes over the first four."""
    shuffled = items[:]
    rng.shuffle(shuffled)
    while shuffled:
        count = 1 if rng.random() < 0.5 else rng.randint(2, 8)
        batch = [item.index for item in shuffled[:count]]
        del shuffled[:count]
        # Half of the commands follow, half return at once.
        yield (rng.uniform(0, 1), "hand over", (batch, rng.random() < 0.5))
    for _ in range(rng.randint(4, 7)):
        yield (rng.uniform(0.1, 4), "kill daemon", None)
    for _ in range(rng.randint(2, 4)):
        yield (rng.uniform(0.1, 4), "kill command", rng.random())
    for _ in range(rng.randint(1, 2)):
        at = rng.uniform(0.2, 3)
        yield (at, "kill server", None)
        yield (at + rng.uniform(0.05, 0.6), "start server", None)
    for _ in range(rng.randint(2, 4)):
        index = rng.randrange(TRANSFERS)
        at = rng.uniform(0.3, 3)
        yield (at, "pause", index)
        yield (at + rng.uniform(0.2, 1), "resume", index)
