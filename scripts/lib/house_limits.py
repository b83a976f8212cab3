#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sizes of files, functions and types, the share of comments and the length of subjects to the limits in
CONTRIBUTING.md, and keeps closures out of locks.

    scripts/lib/house_limits.py              checks the tree; exit code 1 when something is too long
    scripts/lib/house_limits.py --figures    prints how long files, functions and types are

A function is measured from its first line to its closing brace, and so are initializers and computed properties. A type
is measured over all files of its module, with its extensions and the types within it. What is counted as stored is each
`let` and `var` of a class, an actor or a struct that has no body of its own, or only observers; static ones belong to no
object, and the records listed below may have many fields. Both are about Sources: a suite of tests is a list.
OffstageDaemon is measured as a whole, since it is wiring alone. Functions of the scripts in Python are measured too, and
the subjects of commits since FIRST_SUBJECT.

A closure that is itself the value of a Mutex is wrapped anew each time it is read, until a call of it overflows the stack: it
belongs into a struct.
"""

import argparse
import ast
import collections
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES_OF_FILE = 600
MOST_LINES_OF_FUNCTION = 60
MOST_LINES_OF_TYPE = 900
MOST_STORED_PROPERTIES = 15
# Plain records: a message, a row, a document, the options of a command, a file of settings. They decide nothing.
RECORDS = {
    "AppEntryDocument", "EngineRequest", "ListedRow", "OffstagePaths", "ReceiptDocument", "Settings", "TaskDocument",
    "TransferDetail", "TransferDocument", "TransferOptions", "TransferRow", "TransferSpec",
}
# A module that only wires others together must stay small.
MOST_LINES_OF_MODULE = {"OffstageDaemon": 2500}
# Lines that are comments alone, to lines with code, over all of Sources.
LEAST_COMMENTS, MOST_COMMENTS = 0.15, 0.35
MOST_CHARACTERS_OF_SUBJECT = 72
# The last commit before subjects were measured.
FIRST_SUBJECT = "0cd1f588"

FUNCTION = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*(?:func\s|init[?!]?[<(]|deinit\b|subscript[<(])")
COMPUTED = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*var\s[^={]*\{")
TYPE = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*(?:class|struct|enum|actor|extension)\s+([\w.]+)")
OBJECT = re.compile(r"^( *)(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*(?:class|actor|struct)\s+(?!func\b|var\b|let\b|subscript\b)(\w+)")
OBSERVER = re.compile(r"\s*(?:willSet|didSet)\b")
LOCKED_CLOSURE = re.compile(r"\bMutex<[^<>]*->")
STORED = re.compile(r"^(?:@\w+(?:<[^>]*>)?(?:\([^)]*\))?\s+)*(?:(?:open|package|public|private|fileprivate|internal|nonisolated|unowned|weak|lazy|final|override)(?:\([a-z]+\))?\s+)*(?:let|var)\s+(.*)")


def without_text(line):
    """The line without its strings and comments, whose braces open nothing."""
    line = re.sub(r'#*"(?:[^"\\]|\\.)*"#*', '""', line)
    line = re.sub(r"#/.*?/#", "", line)
    return re.sub(r"//.*", "", line)


def lines_of_code(path):
    """The lines without strings and comments; what is between triple quotes is empty."""
    lines, is_text = [], False
    for line in path.read_text().split("\n"):
        if line.count('"""') % 2 == 1:
            lines.append(line.split('"""')[0] if not is_text else "")
            is_text = not is_text
        else:
            lines.append("" if is_text else without_text(line))
    return lines


def end_of_block(lines, start):
    """The line of the brace that closes the first one opened from `start` on; None when none is opened."""
    depth = 0
    for number in range(start, len(lines)):
        for character in lines[number]:
            if character == "{":
                depth += 1
            elif character == "}":
                depth -= 1
                if depth == 0:
                    return number
        # A requirement of a protocol has no body: the next declaration begins before any brace.
        if depth == 0 and number > start and FUNCTION.match(lines[number]):
            return None
        if depth < 0:
            return None
    return None


def functions(path, lines):
    for number, line in enumerate(lines):
        if FUNCTION.match(line) or COMPUTED.match(line):
            end = end_of_block(lines, number)
            if end is not None:
                yield f"{path}:{number + 1}", end - number + 1


def types(module, lines):
    """Each type and extension at the file's first level: its name and its length."""
    for number, line in enumerate(lines):
        found = TYPE.match(line)
        if not found:
            continue
        end = end_of_block(lines, number)
        if end is not None:
            yield f"{module}.{found.group(1).split('.')[0]}", end - number + 1


def objects(path, lines):
    """Each class, actor and struct, also within other types: its place, its name, and how many stored properties it has.
    Records are left out."""
    for number, line in enumerate(lines):
        found = OBJECT.match(line)
        end = found and end_of_block(lines, number)
        if end and found.group(2) not in RECORDS:
            margin = found.group(1) + "    "
            stored = sum(1 for inner in range(number + 1, end) if lines[inner].startswith(margin)
                         and is_stored(lines[inner][len(margin):], lines[inner + 1]))
            yield f"{path}:{number + 1}: {found.group(2)}", stored


def is_stored(declaration, following):
    """Whether a line declares a stored property: it has no body, or it has a value before it, or the body observes."""
    found = STORED.match(declaration)
    if not found:
        return False
    value, brace, body = found.group(1).partition("{")
    return not brace or "=" in value or OBSERVER.match(body or following) is not None


def python_functions(name):
    path = ROOT / name
    if not path.is_file() or not (name.endswith(".py") or path.read_bytes().startswith(b"#!/usr/bin/env python3")):
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield f"{name}:{node.lineno}", node.end_lineno - node.lineno + 1


def comments_and_code(path):
    """How many lines are comments alone, and how many have code; the licence is neither."""
    lines = [line.strip() for line in path.read_text().split("\n")]
    comments = sum(line.startswith("//") and "SPDX" not in line for line in lines)
    return comments, sum(bool(line) and not line.startswith("//") for line in lines)


def long_subjects():
    """Subjects of commits that are too long; none where there is no history, or only a part of it."""
    command = ["git", "log", "--no-merges", "--format=%h %s", f"{FIRST_SUBJECT}..HEAD"]
    log = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MOST_CHARACTERS_OF_SUBJECT:
            yield f"The subject of {commit} has {len(subject)} characters: {MOST_CHARACTERS_OF_SUBJECT} are allowed."


def tracked(*patterns):
    return subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", action="store_true", help="print how long files, functions and types are")
    options = parser.parse_args()
    lengths, measured, locked = {}, {}, []
    sizes, stored = collections.Counter(), {}
    comments, code = 0, 0
    for name in tracked("Sources/*.swift", "Plugins/*.swift", "Tests/*.swift"):
        path = ROOT / name
        if not path.exists():
            continue
        lines = lines_of_code(path)
        lengths[name] = len(lines) - 1
        measured.update(functions(name, lines))
        locked += [f"{name}:{number}" for number, line in enumerate(lines, 1) if LOCKED_CLOSURE.search(line)]
        if name.startswith("Sources/"):
            for type, length in types(name.split("/")[1], lines):
                sizes[type] += length
            stored.update(objects(name, lines))
            of_file = comments_and_code(path)
            comments, code = comments + of_file[0], code + of_file[1]
    for name in tracked("scripts", ".ci"):
        measured.update(python_functions(name))
    share = comments / code
    if options.figures:
        figures(lengths, measured, sizes, stored)
        print(f"comment lines to code lines in Sources: {share:.2f}")
    problems = oversized(lengths, measured, sizes, stored) + list(long_subjects())
    problems += [f"{place}: a closure is the value of a Mutex: put it into a struct." for place in locked]
    if not LEAST_COMMENTS <= share <= MOST_COMMENTS:
        problems.append(f"Sources has {share:.2f} comment lines to a line of code: {LEAST_COMMENTS} to {MOST_COMMENTS} are allowed.")
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


def oversized(lengths, measured, sizes, stored):
    problems = [f"{name} has {length} lines: {MOST_LINES_OF_FILE} are allowed." for name, length in lengths.items()
                if length > MOST_LINES_OF_FILE]
    problems += [f"{place}: this function has {length} lines: {MOST_LINES_OF_FUNCTION} are allowed."
                 for place, length in measured.items() if length > MOST_LINES_OF_FUNCTION]
    problems += [f"{type} has {length} lines over all files of its module: {MOST_LINES_OF_TYPE} are allowed."
                 for type, length in sizes.items() if length > MOST_LINES_OF_TYPE]
    for module, most in MOST_LINES_OF_MODULE.items():
        length = sum(length for name, length in lengths.items() if name.startswith(f"Sources/{module}/"))
        if length > most:
            problems.append(f"{module} has {length} lines: {most} are allowed.")
    problems += [f"{place} has {count} stored properties: {MOST_STORED_PROPERTIES} are allowed in a type that is not a plain record."
                 for place, count in stored.items() if count > MOST_STORED_PROPERTIES]
    return problems


def figures(lengths, measured, sizes, stored):
    for what, values in (("lines of a file", lengths.values()), ("lines of a function", measured.values())):
        values = sorted(values)
        print(f"{what}: median {statistics.median(values):.0f}, p90 {values[int(len(values) * 0.9)]}, most {values[-1]}")
    print(f"lines of Swift in Sources: {sum(length for name, length in lengths.items() if name.startswith('Sources/'))}")
    for what, counts in (("types with the most lines over all files", sizes),
                         ("types with the most stored properties, without plain records", collections.Counter(stored))):
        print(f"{what}:")
        for name, count in counts.most_common(8):
            print(f"  {count:5} {name}")


if __name__ == "__main__":
    sys.exit(main())
