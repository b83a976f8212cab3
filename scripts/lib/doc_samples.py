# SPDX-License-Identifier: Apache-2.0
"""The Swift samples of the documentation, and what is said of them in comments that no reader sees (docs/testing.md)."""

import os
import re

PLACE = "…"
KNOWN = re.compile(r"package|inside the package|Swift 5|flags of (?P<pages>[\w-]+(?: and [\w-]+)*)")


class BadSample(Exception):
    pass


class Sample:
    """A block of Swift on a page, with the comment above it."""

    def __init__(self, page, line, text, mark):
        self.page, self.line, self.text = page, line, text
        self.is_package = self.is_inside = False
        self.version = "6"
        self.reason = None
        self.name = os.path.splitext(os.path.basename(page))[0]
        self.flags_of = [self.name]
        self.around = PLACE
        if mark is None:
            self.is_package = text.startswith("// swift-tools-version:")
            return
        words, _, around = mark.partition("\n")
        words = words.strip()
        if words.startswith("not compiled"):
            self.reason = words.removeprefix("not compiled").strip()
            if not self.reason.startswith("because ") or around.strip():
                raise BadSample(f"{self.where}: say 'not compiled because …', and nothing below it")
            return
        for word in filter(None, (part.strip() for part in words.split(","))):
            known = KNOWN.fullmatch(word)
            if not known:
                raise BadSample(f"{self.where}: '{word}' means nothing above a sample")
            self.is_package |= word == "package"
            self.is_inside |= word == "inside the package"
            self.version = "5" if word == "Swift 5" else self.version
            if known["pages"]:
                self.flags_of = known["pages"].split(" and ")
        if around.strip():
            self.around = around.rstrip()
        if self.around.count(PLACE) != 1:
            raise BadSample(f"{self.where}: what is around a sample has one {PLACE} in it, where the sample belongs")

    @property
    def where(self):
        return f"{self.page}:{self.line}"

    def source(self):
        """What is compiled: the sample where it belongs, so that mistakes are reported by the lines of the page."""
        if self.is_package:
            return self.around.replace(PLACE, self.text) + "\n"
        lines, imports = self.text.split("\n"), []
        if self.around != PLACE:
            # Imports are at the top of a file, wherever the rest belongs.
            imports = [line for line in lines if line.startswith("import ")]
            lines = ["" if line in imports else line for line in lines]
        body = "\n".join([f'#sourceLocation(file: "{self.page}", line: {self.line})', *lines, "#sourceLocation()"])
        return "\n".join([*imports, self.around.replace(PLACE, f"\n{body}\n"), ""])


def read(root, page):
    """The samples of a page, in their order."""
    with open(os.path.join(root, page), encoding="utf-8") as file:
        lines = file.read().split("\n")
    samples, number, mark = [], 0, None
    while number < len(lines):
        line = lines[number]
        if line.startswith("<!-- sample"):
            first = number
            while "-->" not in lines[number]:
                number += 1
                if number == len(lines):
                    raise BadSample(f"{page}:{first + 1}: the comment does not end")
            text = "\n".join(lines[first:number + 1]).split("-->")[0].removeprefix("<!-- sample")
            mark = text.removeprefix(":")
            number += 1
            if not lines[number].startswith("```swift"):
                raise BadSample(f"{page}:{first + 1}: the comment does not stand above a sample")
            continue
        fence = re.match(r"( *)(`{3,}|~{3,}) *(\S*)", line)
        if fence:
            end = next((other for other in range(number + 1, len(lines))
                        if lines[other].strip().startswith(fence[2])), None)
            if end is None:
                raise BadSample(f"{page}:{number + 1}: the block does not end")
            if fence[3].lower() == "swift":
                if fence[1] or fence[3] != "swift" or fence[2] != "```":
                    raise BadSample(f"{page}:{number + 1}: a sample begins with ```swift, at the left")
                samples.append(Sample(page, number + 2, "\n".join(lines[number + 1:end]), mark))
            number, mark = end, None
        number += 1
    return samples
