#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tables of docs/urlsession.md, docs/uikit.md, docs/background-tasks.md and docs/logging.md: every row well
formed, every required symbol there, every named test run.

    scripts/lib/urlsession_table.py                                 lists and runs the named tests itself
    scripts/lib/urlsession_table.py --tests LIST --results OUTPUT   the output of `swift test list` and of the run
"""

import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The page, and the file with the symbols that it has to have.
TABLES = [
    (os.path.join(HERE, "docs", f"{name}.md"), os.path.join(HERE, "Tests", "Fixtures", f"{name}-symbols.txt"))
    for name in ("urlsession", "uikit", "background-tasks", "logging")
]
STATUSES = ("works", "no effect", "declared only", "not on Linux")


def read_table(path):
    """Returns ({symbol: (status, tests)}, problems)."""
    rows, problems = {}, []
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.startswith("| `"):
                continue
            where = f"{os.path.basename(path)}:{number}"
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 3:
                problems.append(f"{where}: {len(cells)} cells instead of 3")
                continue
            symbol, status, note = cells
            if not re.fullmatch(r"`[^`]+`", symbol):
                problems.append(f"{where}: '{symbol}' is not one symbol")
                continue
            symbol = symbol.strip("`")
            tests = re.findall(r"`([^`]+)`", note)
            if symbol in rows:
                problems.append(f"{where}: {symbol} is there twice")
            if status not in STATUSES:
                problems.append(f"{where}: {symbol}: '{status}' is none of {', '.join(STATUSES)}")
            elif status == "works" and (not tests or ", ".join(f"`{test}`" for test in tests) != note):
                problems.append(f"{where}: {symbol} works, but '{note}' names no test")
            elif status != "works" and not re.fullmatch(r"because .+", note):
                problems.append(f"{where}: {symbol}: '{note}' gives no reason (because …)")
            rows[symbol] = (status, tests if status == "works" else [])
    if not rows:
        problems.append(f"{path} has no table")
    return rows, problems


def listed_tests(text):
    """Names of test functions in the output of `swift test list`."""
    return {match.group(1) for match in re.finditer(r"/`?([^/`\n]+?)`?\(.*\)$", text, re.MULTILINE)}


def results_of(text):
    """{test function: 'passed', 'failed' or 'skipped'} of one run or several, one after the other.

    Lines of a run's output have been lost on a busy machine: what has begun has passed as well when its whole run has.
    """
    word = r"(passed|failed|skipped|started)\b"
    pattern = rf"^\S+ +Test (?:\"([^\"\n]+)\"|(\w+)\(.*\)|(run) with \d+ tests? .*?) (?:with \d+ test cases? )?{word}"
    results, begun = {}, set()
    for quoted, plain, whole, result in re.findall(pattern, text, re.MULTILINE):
        name = quoted or plain
        if whole:
            if result == "passed":
                results.update({test: result for test in begun})
            begun = set()
        elif result == "started":
            begun.add(name)
        else:
            begun.discard(name)
            results[name] = result
    return results


def run_tests(names):
    """Lists all tests and runs the named ones; returns both outputs."""
    build = ["--skip-build", "--package-path", HERE]
    listing = subprocess.run(["swift", "test", "list", *build], check=True, capture_output=True, text=True).stdout
    pattern = "|".join(re.escape(name) for name in sorted(names))
    run = subprocess.run(["swift", "test", *build, "--filter", pattern], capture_output=True, text=True)
    return listing, run.stdout + run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", help="a file with the output of 'swift test list'")
    parser.add_argument("--results", help="a file with the output of the test run")
    options = parser.parse_args()
    rows, problems, required = {}, [], []
    for table, symbols in TABLES:
        new, found = read_table(table)
        with open(symbols) as file:
            wanted = [line.strip() for line in file if line.strip() and not line.startswith("#")]
        page = os.path.basename(table)
        problems += found + [f"{symbol} is missing from {page}" for symbol in wanted if symbol not in new]
        # A symbol may be on both pages: its tests are those of both.
        rows.update({f"{page}: {symbol}": row for symbol, row in new.items()})
        required += wanted

    named = {test for _, tests in rows.values() for test in tests}
    if options.tests and options.results:
        with open(options.tests) as tests, open(options.results) as results:
            listing, output = tests.read(), results.read()
    else:
        listing, output = run_tests(named)
    existing, results = listed_tests(listing), results_of(output)
    for symbol, (_, tests) in rows.items():
        for test in tests:
            if test not in existing:
                problems.append(f"{symbol}: there is no test '{test}'")
            elif results.get(test) != "passed":
                problems.append(f"{symbol}: the test '{test}' {results.get(test, 'was not run')}")
    for problem in problems:
        print(problem, file=sys.stderr)
    counts = {status: sum(1 for row in rows.values() if row[0] == status) for status in STATUSES}
    print(
        f"{len(rows)} symbols: " + ", ".join(f"{count} {status}" for status, count in counts.items())
        + f"; {len(named)} tests named, {len(required)} symbols required, {len(problems)} problems"
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
