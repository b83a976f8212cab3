# SPDX-License-Identifier: Apache-2.0
"""What a torture round with an app does and when: all of it follows from the seed and the round's number."""

import hashlib
import json
import math
import os
import random
from dataclasses import dataclass, field

TASKS = 40
SMALLEST = 4 << 10
LARGEST = 16 << 20
# Of every other round: many small ones, without a pause, so that kills hit hand-over and delegate.
BURST_TASKS = 200
BURST_LARGEST = 64 << 10
# What an app keeps in memory.
LARGEST_DATA = 1 << 20
KINDS = ("upload", "uploadOfData", "download")


@dataclass
class Item:
    """One task whose file has to arrive."""

    index: int
    name: str
    kind: str
    size: int
    pause: float
    origin: str = ""
    target: str = ""
    uri: str = ""
    sha256: str = ""


@dataclass
class Plan:
    items: list
    # (seconds after the round's start, what to do, an argument), in order of time.
    events: list = field(default_factory=list)


def make_plan(seed, number, pool, directory, server):
    rng = random.Random(f"{seed}/app/{number}")
    is_burst = number % 2 == 0
    items = []
    for index in range(BURST_TASKS if is_burst else TASKS):
        kind = rng.choices(KINDS, (0.4, 0.2, 0.4))[0]
        largest = BURST_LARGEST if is_burst else LARGEST_DATA if kind == "uploadOfData" else LARGEST
        size = int(math.exp(rng.uniform(math.log(SMALLEST), math.log(largest))))
        pause = rng.uniform(0, 0.001) if is_burst else rng.uniform(0, 0.16)
        item = Item(index, f"{kind}-{index:03}", kind, size, pause)
        item.uri = f"/{'out' if kind == 'download' else 'in'}/{item.name}"
        at_server = server.root + item.uri
        here = os.path.join(directory, "targets" if kind == "download" else "sources", item.name)
        item.origin, item.target = (at_server, here) if kind == "download" else (here, at_server)
        items.append(item)
    for item in items:
        piece = pool.piece(item)
        item.sha256 = hashlib.sha256(piece).hexdigest()
        os.makedirs(os.path.dirname(item.origin), exist_ok=True)
        os.makedirs(os.path.dirname(item.target), exist_ok=True)
        with open(item.origin, "wb") as file:
            file.write(piece)
    with open(os.path.join(directory, "plan.json"), "w") as file:
        json.dump(
            [
                {
                    "kind": item.kind,
                    "name": item.name,
                    "url": server.url + item.uri,
                    "file": item.target if item.kind == "download" else item.origin,
                    "pause": item.pause,
                }
                for item in items
            ],
            file,
        )
    events = make_burst_events(rng) if is_burst else make_events(rng)
    return Plan(items, sorted(events, key=lambda event: event[0]))


def make_events(rng):
    """Kills over the first four seconds; an app that was killed is launched again soon."""
    yield (0, "launch app", None)
    for _ in range(rng.randint(3, 6)):
        yield (rng.uniform(0.05, 4), "kill app", None)
    for _ in range(rng.randint(2, 4)):
        yield (rng.uniform(0.05, 4), "kill daemon", None)
    for _ in range(rng.randint(2, 3)):
        yield (rng.uniform(0.05, 4), "kill both", None)
    for _ in range(rng.randint(0, 2)):
        at = rng.uniform(0.2, 3)
        yield (at, "kill server", None)
        yield (at + rng.uniform(0.05, 0.6), "start server", None)
    # Launches are tried more often than kills come: one that finds the app running does nothing.
    for step in range(20):
        yield (0.2 * step + rng.uniform(0, 0.2), "launch app", None)


def make_burst_events(rng):
    """The app is killed, mostly with the daemon or just after it, a moment after each of its launches."""
    at = 0
    for _ in range(12):
        yield (at, "launch app", None)
        moment = at + rng.uniform(0.01, 0.25)
        yield (moment, rng.choices(("kill both", "kill app", "kill daemon"), (0.5, 0.3, 0.2))[0], None)
        if rng.random() < 0.3:
            yield (moment + rng.uniform(0, 0.02), "kill daemon", None)
        at += 0.3
