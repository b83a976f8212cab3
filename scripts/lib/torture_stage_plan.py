# SPDX-License-Identifier: Apache-2.0
"""What a torture round of the stage does and when: all of it follows from the seed and the round's number."""

import math
import random
from dataclasses import dataclass

import background_time

APPS = 3
# Each of them is aimed at so often in a round.
AIMS = ("launch", "stop", "continue", "expiry", "kill")
TIMES = 2
# Seconds in background, and before their end at which expiration handlers are called.
TIME = 0.6
WARNING = background_time.warning(TIME)
# A fetch takes about so long: its app is suspended by then.
FETCH_SECONDS = 1


@dataclass
class Step:
    aim: str
    app: int
    # How the app is brought to what is aimed at.
    way: str
    # What the app is told to do in background.
    orders: str
    # Seconds from what is aimed at to the daemon's death; may be negative for what has a known time.
    delay: float
    # That much of the time that a command takes goes before the delay.
    share: float
    # Seconds in which no daemon is started from here; the apps may do so.
    pause: float
    # What another app is sent meanwhile: (app, verb), or nothing.
    other: tuple


_WAYS = {
    "launch": ("launch", "launch --background", "foreground"),
    "stop": ("background",),
    "continue": ("foreground", "launch", "wake"),
    "expiry": ("late", "never"),
    "kill": ("never", "terminate", "quit --keep-transfers", "pressure"),
}
_ORDERS = ("", "hold 0.02", "hold 0.2", "late", "churn 6", "churn 30")


def make_plan(seed, number):
    rng = random.Random(f"{seed}/stage/{number}")
    aims = [aim for aim in AIMS for _ in range(TIMES)]
    rng.shuffle(aims)
    return [make_step(rng, aim) for aim in aims]


def make_step(rng, aim):
    app = rng.randrange(APPS)
    way = rng.choice(_WAYS[aim])
    if way in ("late", "never"):
        # Shortly before and after a time that is known.
        orders, delay = way, rng.uniform(-0.015, 0.04)
    elif aim == "stop":
        orders, delay = rng.choice(("", "hold 0.02", "churn 6")), logarithmic(rng, 0.0001, 0.03)
    else:
        orders = rng.choice(_ORDERS)
        delay = logarithmic(rng, 0.0005, 0.12 if aim == "launch" else 0.02)
    other = None
    if rng.random() < 0.5:
        other = (rng.choice([index for index in range(APPS) if index != app]), rng.choice(("launch", "background")))
    return Step(aim, app, way, orders, delay, rng.uniform(0.5, 1.1), rng.choice((0, 0, rng.uniform(0, 0.4))), other)


def logarithmic(rng, smallest, largest):
    """Short ones as often as long ones."""
    return math.exp(rng.uniform(math.log(smallest), math.log(largest)))
