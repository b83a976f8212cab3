# SPDX-License-Identifier: Apache-2.0
"""What must hold at the end of a torture round."""

import datetime
import hashlib
import os


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_file(item):
    """One file whole at its target."""
    if not os.path.exists(item.target):
        return [f"{item.target} is missing"]
    if os.path.getsize(item.target) != item.size:
        return [f"{item.target} has {os.path.getsize(item.target)} bytes instead of {item.size}"]
    if sha256_of(item.target) != item.sha256:
        return [f"{item.target} has the right size and other content"]
    return []


def check_files(items, directory):
    """Every file whole, and nothing else beside the targets."""
    problems = [problem for item in items for problem in check_file(item)]
    wanted = {os.path.basename(item.target) for item in items if not item.is_upload}
    targets = os.path.join(directory, "targets")
    for name in sorted(set(os.listdir(targets)) - wanted if os.path.isdir(targets) else ()):
        problems.append(f"{targets}/{name} was left behind")
    return problems


def check_records(items, rows, base_url, acknowledged):
    """Every outcome recorded exactly once, and nothing lost that was acknowledged."""
    problems = []
    by_url = {}
    for row in rows:
        by_url.setdefault(row["url"], []).append(row)
    identifiers = [row["id"] for row in rows]
    if len(set(identifiers)) != len(identifiers):
        problems.append("an id is listed twice")
    for identifier in sorted(acknowledged - set(identifiers)):
        problems.append(f"transfer {identifier} was acknowledged and is not listed")
    for item in items:
        found = by_url.pop(base_url + item.uri, [])
        if len(found) != 1:
            problems.append(f"{item.uri} is listed {len(found)} times instead of once")
        for row in found:
            wanted = (200, 201, 204) if item.is_upload else (200, 206)
            if row["state"] != "finished" or row.get("status") not in wanted:
                problems.append(f"{item.uri} is recorded as {row['state']}, status {row.get('status')}: {row['reason']}")
    for url in by_url:
        problems.append(f"{url} is listed and was never asked for")
    return problems


def read_log(path):
    entries = []
    with open(path) as file:
        for line in file:
            fields = line.rstrip("\n").split("|")
            if len(fields) != 8:
                continue
            entries.append(
                {
                    "time": float(fields[0]),
                    "method": fields[1],
                    "uri": fields[2],
                    "status": int(fields[3]),
                    "sent": int(fields[4]),
                    "range": fields[6],
                    "complete": fields[7] == "OK",
                }
            )
    return entries


def check_log(items, entries, finished_at, server_kills):
    """Compares the server's own record with ours.

    A response that was under way when the server was killed is in no log: what such a response may have carried is
    counted apart ("unlogged"), and is a problem only when the server was not killed at all.
    """
    problems = []
    counts = {"repeated uploads": 0, "unlogged": 0, "bytes served again": 0, "requests": len(entries)}
    by_uri = {}
    for entry in entries:
        by_uri.setdefault(entry["uri"], []).append(entry)
    for item in items:
        lines = by_uri.pop(item.uri, [])
        good = [line for line in lines if line["complete"] and line["status"] in (200, 201, 204, 206)]
        late = [line for line in good if line["time"] > finished_at[item.uri] + 1]
        if late:
            problems.append(f"{item.uri} was asked for again after its outcome had been recorded")
        if item.is_upload:
            if good:
                counts["repeated uploads"] += len(good) - 1
            elif any(abs(kill - finished_at[item.uri]) < 0.5 for kill in server_kills):
                counts["unlogged"] += 1
            else:
                problems.append(f"{item.uri} is recorded as sent, and the server has no record of it")
        else:
            gap, again = coverage(lines, item.size)
            counts["bytes served again"] += again
            if gap and server_kills:
                counts["unlogged"] += 1
            elif gap:
                problems.append(f"{item.uri}: the server never sent {gap} of its {item.size} bytes")
    for uri in by_uri:
        problems.append(f"the server was asked for {uri}, which is no transfer of ours")
    return problems, counts


def coverage(lines, size):
    """How many bytes of a file no logged response carried, and how many were carried more than once."""
    pieces = []
    for line in lines:
        if line["status"] not in (200, 206) or line["sent"] == 0:
            continue
        first = int(line["range"].removeprefix("bytes=").split("-")[0]) if line["status"] == 206 else 0
        pieces.append((first, min(size, first + line["sent"])))
    reached = 0
    gap = 0
    for first, end in sorted(pieces):
        gap += max(0, first - reached)
        reached = max(reached, end)
    gap += size - reached
    return gap, sum(end - first for first, end in pieces) - (size - gap)


def moment_of(value):
    """Seconds since 1970 of a date in the command's JSON."""
    if isinstance(value, (int, float)):
        # Foundation's reference date.
        return value + 978_307_200
    return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()
