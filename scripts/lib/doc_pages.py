# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: their headings, their links and where those lead (scripts/docs)."""

import glob
import os
import re
import urllib.parse

# In the order in which they are named when something is wrong. Whatever of these is missing is not looked for.
PATTERNS = ["README.md", "README.*.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
            "packaging/README.md", "docs/*.md", "docs/ko/*.md", "docs/decisions/*.md"]
FENCE = re.compile(r"( *)(`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\]\([^()]*\)|\[[^\[\]]*\])*)\]\(([^()\s]*)\)")
BARE = re.compile(r"<(https?://[^>\s]+)>")
HEADING = re.compile(r"(#{1,6}) +(.+?) *#*$")
NAME = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")


def blank(match):
    """As many characters as there were, so that what stands behind keeps its place."""
    return re.sub(r"[^\n]", " ", match[0])


class Link:
    """What a page points to; `start` and `end` are where its target stands in the page's text."""

    def __init__(self, match, line):
        self.is_image, self.line = match[1] == "!", line
        self.target, (self.start, self.end) = match[3], match.span(3)
        self.whole, self.words = match.span(0), match[2]


class Page:
    """One file of Markdown, and what is in it outside of its blocks of code."""

    def __init__(self, root, path):
        self.root, self.path = root, path
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.text = file.read()
        self.prose = CODE.sub(blank, self._without_blocks())
        self.headings = self._headings()
        self.anchors = self._anchors()

    def _without_blocks(self):
        lines, fence = [], None
        for line in COMMENT.sub(blank, self.text).split("\n"):
            match = FENCE.match(line)
            inside = fence is not None
            if match and not inside:
                fence = match[2]
            elif inside and line.strip().startswith(fence):
                fence = None
            # A block that is set off by spaces alone is code, unless it goes on with a list.
            indented = line.startswith("    ") and not re.match(r" +([-*]|\d+\.) ", line) and lines and not lines[-1].strip()
            lines.append(" " * len(line) if inside or match or indented else line)
        return "\n".join(lines)

    def _headings(self):
        """(level, text as it is written), in their order."""
        kept = self._without_blocks().split("\n")
        return [(len(match[1]), match[2]) for match in map(HEADING.fullmatch, kept) if match]

    @property
    def title(self):
        return next((text for level, text in self.headings if level == 1), self.path)

    def _anchors(self):
        """As GitHub makes them: for each heading, in their order."""
        found = []
        for _, text in self.headings:
            words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").lower()
            slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            number, anchor = 0, slug
            while anchor in found:
                number += 1
                anchor = f"{slug}-{number}"
            found.append(anchor)
        return found

    def links(self):
        for pattern in (LINK, BARE):
            for match in pattern.finditer(self.prose):
                line = self.prose.count("\n", 0, match.start()) + 1
                if pattern is LINK:
                    yield Link(match, line)
                else:
                    yield Link(re.match(r"(!?)(x?)(.*)", match[1]), line)

    def place(self, target):
        """The path that a link leads to, from the root, and its anchor."""
        path, _, anchor = target.partition("#")
        if not path:
            return self.path, anchor
        return os.path.normpath(os.path.join(os.path.dirname(self.path), urllib.parse.unquote(path))), anchor


def read(root):
    """Every page, by its path."""
    paths = []
    for pattern in PATTERNS:
        paths += [path for path in sorted(glob.glob(pattern, root_dir=root)) if path not in paths]
    return {path: Page(root, path) for path in paths}


def foreign(target):
    """What is wrong with the form of an address elsewhere; nobody is asked whether it is there."""
    try:
        parts = urllib.parse.urlsplit(target)
        port = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost"):
        return None
    if parts.scheme != "https":
        return f"'{parts.scheme}' is not https"
    if not parts.hostname or not NAME.fullmatch(parts.hostname):
        return f"'{parts.netloc}' is no host"
    if parts.username or parts.password or port == 0:
        return "it has more than a host in front of its path"
    if re.search(r"[^!-~]|[<>\"{}|\\^`]|%(?![0-9A-Fa-f]{2})", target):
        return "it has characters that no address has"
    return None


def problems(root, pages):
    """One sentence for each link that leads nowhere."""
    found = []
    for page in pages.values():
        for link in page.links():
            said = judged(root, pages, page, link)
            if said:
                found.append(f"{page.path}:{link.line}: the link '{link.target}': {said}")
    return found


def judged(root, pages, page, link):
    if not link.target:
        return "it has no target"
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", link.target):
        return None if link.target.startswith("mailto:") else foreign(link.target)
    if link.target.startswith("/"):
        return "it is not relative to its page"
    path, anchor = page.place(link.target)
    if path.startswith(".."):
        return "it leads out of the project"
    if not os.path.exists(os.path.join(root, path)):
        return f"there is no {path}"
    if not anchor:
        return None
    if path not in pages:
        return f"{path} is no page that has headings"
    if urllib.parse.unquote(anchor) not in pages[path].anchors:
        return f"{path} has no heading '{anchor}'"
    return None


def unlisted(pages, index="docs/README.md"):
    """Pages that no index names: each is found from docs/README.md, or from that of the decisions."""
    if index not in pages:
        return [f"{index} is missing"]
    found = []
    for path in pages:
        own = "docs/decisions/README.md" if os.path.dirname(path) == "docs/decisions" else index
        if path in (own, index, "README.md"):
            continue
        if path == "docs/decisions/README.md":
            own = index
        if path not in {pages[own].place(link.target)[0] for link in pages[own].links()}:
            found.append(f"{path}: {own} does not name it")
    return found
