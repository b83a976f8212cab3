# SPDX-License-Identifier: Apache-2.0
"""When an app is told that its time in background ends (docs/apps.md), for what is timed and aimed by it."""


def warning(seconds):
    """Seconds before the end of a time of so many at which expiration handlers are called."""
    return min(5, max(seconds / 6, min(1, seconds / 2)))
