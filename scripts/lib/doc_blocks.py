# SPDX-License-Identifier: Apache-2.0
"""Blocks of the documentation that are not Swift, and what is said of them in comments that no reader sees
(docs/testing.md)."""

import os
import re

PLACE = "…"
SHELL = ("sh", "console")
OTHERS = ("diff", "ini", "json", "markdown", "mermaid", "nginx", "text", "xml")
FENCE = re.compile(r"( *)(`{3,}|~{3,}) *(\S*)")
REPLACE = re.compile(r"replace (.+) with (.+)")
# Pages that say the same in two languages, with the same code.
PAIRS = [("README.md", "README.ko.md"), ("docs/moving-an-ios-uploader.md", "docs/ko/moving-an-ios-uploader.md")]


class BadBlock(Exception):
    pass


class Block:
    """A fenced block, and how it is tried: 'run', 'parsed', 'checked' elsewhere, or 'shown' alone."""

    def __init__(self, page, line, language, text, mark):
        self.page, self.line, self.language, self.text, self.mark = page, line, language, text, mark
        self.way, self.reason, self.around, self.file, self.replaced = "run", None, PLACE, None, []
        if language == "swift":
            return
        if language not in SHELL + OTHERS:
            raise BadBlock(f"{self.where}: '{language}' is no language that a block may have: {', '.join(SHELL + OTHERS)}")
        if mark is None:
            if language not in SHELL:
                raise BadBlock(f"{self.where}: say in a comment above it how this block is tried, or why it is not")
            return
        words, _, around = mark.partition("\n")
        self._read(words.strip())
        lines = around.strip("\n").split("\n") if around.strip() else []
        self.replaced = [match.groups() for match in map(REPLACE.fullmatch, lines) if match]
        lines = [line for line in lines if not REPLACE.fullmatch(line)]
        if lines:
            self.around = "\n".join(lines)
        if self.way != "run" and around.strip():
            raise BadBlock(f"{self.where}: nothing stands below '{words.strip()}'")
        if self.way == "run" and (self.file is None) != (self.around.split("\n").count(PLACE) == 1):
            raise BadBlock(f"{self.where}: what is around a block that is run has one line {PLACE}, where it belongs, and "
                           "what is around a file has none")
        for old, _ in self.replaced:
            if old not in text:
                raise BadBlock(f"{self.where}: there is no '{old}' to replace")

    def _read(self, words):
        match = re.fullmatch(r"(run|run as (?P<file>[\w./-]+)|parsed (?P<why>because .+)|shown (?P<reason>because .+)|"
                             r"checked by (?P<path>[\w./-]+)(, (?P<how>.+))?)", words)
        if not match:
            raise BadBlock(f"{self.where}: '{words}' means nothing above a block")
        self.way = words.split()[0]
        self.file = match["file"]
        if self.way == "run" and (self.file is None) != (self.language in SHELL):
            raise BadBlock(f"{self.where}: a block of shell is 'run', and any other 'run as' a file")
        if self.way == "parsed" and self.language not in SHELL:
            raise BadBlock(f"{self.where}: only a shell's block is parsed")
        self.reason = match["why"] or match["reason"] or match["path"]

    @property
    def where(self):
        return f"{self.page}:{self.line}"

    def commands(self):
        """What a person types: of a console, the lines behind a prompt."""
        if self.language != "console":
            return self.text
        kept, goes_on = [], False
        for line in self.text.split("\n"):
            if line.startswith("$ ") or goes_on:
                kept.append(line if goes_on else line[2:])
                goes_on = line.endswith("\\")
            elif not kept:
                raise BadBlock(f"{self.where}: a console begins with a prompt, '$ '")
        return "\n".join(kept)

    def script(self):
        """The shell that is run, with the block where it belongs."""
        text = self.text if self.file else self.commands()
        for old, new in self.replaced:
            text = text.replace(old, new)
        return self.around if self.file else re.sub(f"(?m)^{PLACE}$", lambda _: text, self.around)

    def essence(self):
        """What two languages have in common: the code without its remarks, and the comment above it."""
        lines = [re.sub(r"(^|\s+)(#|//) .*", "", line).rstrip() for line in self.text.split("\n")]
        return self.language, self.mark, [line for line in lines if line]


def read(root, page):
    """The blocks of a page, in their order."""
    with open(os.path.join(root, page), encoding="utf-8") as file:
        lines = file.read().split("\n")
    blocks, number, mark = [], 0, None
    while number < len(lines):
        line = lines[number]
        match = re.match(r"<!-- (block|sample)\b:?", line)
        if match:
            first = number
            while "-->" not in lines[number]:
                number += 1
                if number == len(lines):
                    raise BadBlock(f"{page}:{first + 1}: the comment does not end")
            mark = "\n".join(lines[first:number + 1]).split("-->")[0][match.end():]
            number += 1
            if not lines[number].startswith("```") or lines[number].startswith("```swift") != (match[1] == "sample"):
                raise BadBlock(f"{page}:{first + 1}: the comment does not stand above a block of its kind")
            continue
        fence = FENCE.match(line)
        if fence:
            end = next((other for other in range(number + 1, len(lines)) if lines[other].strip().startswith(fence[2])), None)
            if end is None:
                raise BadBlock(f"{page}:{number + 1}: the block does not end")
            if not fence[3]:
                raise BadBlock(f"{page}:{number + 1}: the block does not say its language")
            blocks.append(Block(page, number + 2, fence[3], "\n".join(lines[number + 1:end]), mark))
            number, mark = end, None
        elif line.startswith("    ") and not lines[number - 1].strip() and not is_in_list(lines, number):
            raise BadBlock(f"{page}:{number + 1}: a block begins with ``` and its language")
        number += 1
    return blocks


def is_in_list(lines, number):
    """Whether an indented line goes on with an item of a list."""
    for line in reversed(lines[:number]):
        if line.strip() and not line.startswith(" "):
            return re.match(r"([-*]|\d+\.) ", line) is not None
    return False


def disagreements(blocks_of, pairs=PAIRS):
    """Where pages in two languages have different code."""
    found = []
    for one, other in pairs:
        if other not in blocks_of:
            found.append(f"{other} is missing")
            continue
        here, there = blocks_of[one], blocks_of[other]
        if len(here) != len(there):
            found.append(f"{one} has {len(here)} blocks of code, and {other} has {len(there)}")
        for left, right in zip(here, there):
            if left.essence() != right.essence():
                found.append(f"{left.where} and {right.where} have different code")
    return found
