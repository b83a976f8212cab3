# SPDX-License-Identifier: Apache-2.0
"""The site of scripts/docs: symbol graphs, articles made from the pages, DocC's archives as one, and an index to search."""

import glob
import html
import json
import os
import re
import shutil
import subprocess
import urllib.parse


# What each library is for, on its first page; the order is that of the site.
LIBRARIES = {
    "Offstage": "Apple's background `URLSession` on Linux, with forms, and uploads to Dropbox, S3 and Google Cloud Storage.",
    "OffstageUIKit": "The life cycle of a `UIApplication`, its scenes and its background tasks on Linux.",
    "OffstageBackgroundTasks": "`BGTaskScheduler` on Linux: work that is done later, while nobody looks.",
    "OffstageUserNotifications": "`UNUserNotificationCenter` on Linux.",
    "OffstageOS": "`Logger`, `os_log`, locks and signposts on Linux.",
    "OffstageOSLog": "Apple's `OSLog` on Linux, over `OffstageOS`.",
}
INDEX, DECISIONS, FRONT = "docs/README.md", "docs/decisions/README.md", "README.md"
# The part of an address that the guides have in common: DocC makes it of the name of their first page.
GUIDES = "Guides"


class BadSite(Exception):
    pass


def run(*arguments, **more):
    result = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, **more)
    if result.returncode != 0:
        raise BadSite(f"{os.path.basename(arguments[0])} says:\n{result.stdout.strip()}")
    return result.stdout


def docc():
    """DocC of the toolchain; nil when that has none."""
    swift = shutil.which("swift")
    beside = swift and os.path.join(os.path.dirname(os.path.realpath(swift)), "docc")
    return beside if beside and os.access(beside, os.X_OK) else shutil.which("docc")


def libraries(root):
    """The modules that are products for others, by Package.swift; one that is not described above is a mistake."""
    with open(os.path.join(root, "Package.swift"), encoding="utf-8") as file:
        products = re.findall(r'\.library\(name: "\w+", targets: \[([^\]]*)\]\)', file.read())
    modules = [name for product in products for name in re.findall(r'"(\w+)"', product)]
    if sorted(modules) != sorted(LIBRARIES):
        raise BadSite(f"Package.swift has the libraries {', '.join(sorted(modules))}: describe those in scripts/lib/doc_site.py")
    return list(LIBRARIES)


# Symbols.


def newest(*patterns):
    return max((os.path.getmtime(path) for pattern in patterns for path in glob.glob(pattern, recursive=True)), default=0)


def stale(root, binaries, modules):
    """Those that were changed since they were built: comments are read from their sources, at the places of that build."""
    return [module for module in modules if newest(os.path.join(root, "Sources", module, "**", "*.swift")) >
            newest(os.path.join(binaries, "Modules", module + ".*"), os.path.join(binaries, module + ".build", "*.o"))]


def symbol_graphs(module, compiler_arguments, folder):
    """Has the compiler say what is public in a module that was built."""
    os.makedirs(folder, exist_ok=True)
    run("swift-symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public", "-output-dir", folder,
        "-skip-synthesized-members", "-emit-extension-block-symbols", *compiler_arguments)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".symbols.json")]


def undocumented(root, paths):
    """How many public symbols of our sources there are, and which have no documentation comment."""
    counted, missing = set(), []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        for symbol in graph["symbols"]:
            place = urllib.parse.unquote(symbol.get("location", {}).get("uri", "")).removeprefix("file://")
            name = symbol["identifier"]["precise"]
            # What an extension adds has a comment; the extension itself needs none, and so does what has been inherited.
            if not place.startswith(root + "/Sources/") or symbol["kind"]["identifier"] == "swift.extension" or name in counted:
                continue
            counted.add(name)
            if not "".join(line["text"] for line in symbol.get("docComment", {}).get("lines", [])).strip():
                line = symbol["location"]["position"]["line"] + 1
                missing.append(f"{os.path.relpath(place, root)}:{line}: {'.'.join(symbol['pathComponents'])} is public, "
                               "and has no documentation comment")
    return len(counted), sorted(missing)


# Articles.


def article(path):
    """The name that a page has on the site: one for each."""
    if path in (FRONT, INDEX):
        return GUIDES
    folder, name = os.path.split(path)
    name = name.removesuffix(".md")
    if name == "README":
        return os.path.basename(folder)
    if folder == "docs/ko":
        return f"{name}-ko"
    return name.lower().replace("readme.", "offstage-")


class Articles:
    """Writes the catalog. The links of a page become DocC's, so that it says which of them lead nowhere."""

    def __init__(self, root, pages, base, folder):
        self.root, self.pages, self.base, self.folder = root, pages, base, folder
        # The anchors that DocC gives to headings, once it has been asked; it has its own way to make them.
        self.anchors = {}

    def write(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        for path, page in self.pages.items():
            if path == INDEX:
                continue
            text = self.linked(page)
            if path == FRONT:
                text = self.first(text)
            elif path == DECISIONS:
                text = text[:text.index("\n## ")] + self.topics(page)
            with open(os.path.join(self.folder, article(path) + ".md"), "w", encoding="utf-8") as file:
                file.write(text)
        write_header(self.folder, self.base)

    def first(self, text):
        """The front page is README.md, and leads to every other page as docs/README.md does."""
        rest = text.partition("\n")[2]
        # A library has the project's name.
        return f"# Guides to Offstage\n\n@Metadata {{\n    @TechnologyRoot\n}}\n{rest}{self.topics(self.pages[INDEX])}"

    def topics(self, index):
        """DocC's table of contents, by the headings of a page and the links that its list items begin with."""
        lines = ["", "## Topics", ""]
        for line in index.text.split("\n"):
            if line.startswith("## "):
                lines += ["", "### " + line[3:], ""]
            for target in re.findall(r"^- \[[^\]]*\]\(([^)#]+\.md)\)", line):
                path = index.place(target)[0]
                if path != FRONT:
                    lines.append(f"- <doc:{article(path)}>")
        return "\n".join(lines) + "\n"

    def linked(self, page):
        text = page.text
        for link in sorted(page.links(), key=lambda link: -link.start):
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", link.target):
                continue
            path, anchor = page.place(link.target)
            if link.is_image:
                shutil.copy(os.path.join(self.root, path), self.folder)
                text = text[:link.start] + os.path.basename(path) + text[link.end:]
            elif path in self.pages:
                text = text[:link.start] + self.address(path, urllib.parse.unquote(anchor)) + text[link.end:]
            else:
                # A file that the site does not have.
                text = text[:link.whole[0]] + link.words + text[link.whole[1]:]
        # What is said in comments is for our scripts alone.
        return re.sub(r"(?m)^<!-- (?:.|\n)*?-->\n", "", text)

    def address(self, path, anchor):
        name = article(path)
        if not anchor:
            return "doc:" + name
        place = self.pages[path].anchors.index(anchor)
        made = self.anchors.get(path, {}).get(place)
        if made is None:
            return "doc:" + name
        if re.fullmatch(r"\w+(-\w+)*", made, re.ASCII):
            return f"doc:{name}#{made}"
        # DocC does not find again what it makes of some headings.
        own = "" if name == GUIDES else "/" + name.lower()
        return f"{self.base}documentation/{GUIDES.lower()}{own}#{made}"

    def learn(self, archive):
        """Reads which anchors the headings have got."""
        for path, page in self.pages.items():
            made = [anchor for _, anchor, _ in sections(render(archive, article(path)))[1:]]
            first = 1 if page.headings and page.headings[0][0] == 1 else 0
            # DocC puts a heading of its own above what stands between the first paragraph and the first heading.
            if made[:1] == ["overview"] and page.headings[first:first + 1] != [(2, "Overview")]:
                made = made[1:]
            self.anchors[path] = dict(enumerate(made, first))


def render(archive, name):
    own = "" if name == GUIDES else "/" + name.lower()
    with open(os.path.join(archive, "data", "documentation", GUIDES.lower() + own + ".json"), encoding="utf-8") as file:
        return json.load(file)


def write_header(folder, base):
    """What stands above every page: the way to the guides and to the search."""
    with open(os.path.join(os.path.dirname(__file__), "site", "header.html"), encoding="utf-8") as file:
        text = file.read().replace("{base}", html.escape(base))
    with open(os.path.join(folder, "header.html"), "w", encoding="utf-8") as file:
        file.write(text)


# DocC.


def convert(catalog, output, base, name, *more):
    shutil.rmtree(output, ignore_errors=True)
    run(docc(), "convert", catalog, "--output-dir", output, "--hosting-base-path", base, "--fallback-display-name", name,
        "--fallback-bundle-identifier", "offstage." + name, "--warnings-as-errors", "--transform-for-static-hosting",
        "--experimental-enable-custom-templates", *more)
    return output


def guides(root, pages, base, folder):
    """Twice: the first time tells the anchors of headings."""
    catalog, output = os.path.join(folder, "Guides.docc"), os.path.join(folder, "Guides.doccarchive")
    articles = Articles(root, pages, base, catalog)
    for _ in range(2):
        articles.write()
        convert(catalog, output, base, GUIDES)
        articles.learn(output)
    return output


def reference(module, graphs, base, folder):
    catalog = os.path.join(folder, module + ".docc")
    shutil.rmtree(catalog, ignore_errors=True)
    os.makedirs(catalog)
    with open(os.path.join(catalog, module + ".md"), "w", encoding="utf-8") as file:
        file.write(f"# ``{module}``\n\n{LIBRARIES[module]}\n")
    write_header(catalog, base)
    return convert(catalog, os.path.join(folder, module + ".doccarchive"), base, module,
                   "--additional-symbol-graph-dir", graphs)


def merge(archives, output, base):
    shutil.rmtree(output, ignore_errors=True)
    run(docc(), "merge", *archives, "--output-path", output, "--synthesized-landing-page-name", "Offstage")
    # Whoever opens the site is led to its guides.
    home = f"{base}documentation/{GUIDES.lower()}/"
    with open(os.path.join(output, "index.html"), "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta charset="utf-8"><title>Offstage</title>\n'
                   f'<meta http-equiv="refresh" content="0; url={home}"><a href="{home}">Offstage</a>\n')


# What is on the site.


def plain(value, references):
    """The words in a piece of DocC's JSON, as they are read."""
    if isinstance(value, list):
        return "".join(plain(part, references) for part in value)
    if not isinstance(value, dict):
        return ""
    kind = value.get("type")
    if kind == "codeListing":
        return " " + "\n".join(value["code"]) + " "
    if kind in ("text", "codeVoice"):
        return value.get("text", value.get("code", ""))
    if kind == "reference":
        return value.get("overridingTitle") or references.get(value["identifier"], {}).get("title", "")
    inner = "".join(plain(value.get(key), references) for key in ("inlineContent", "content", "items"))
    inner += " ".join(plain(cell, references) for row in value.get("rows", []) for cell in row)
    return inner if kind in ("emphasis", "strong", "newTerm", "inlineHead") else " " + inner + " "


def sections(page):
    """(heading, anchor, text) of a page; what stands above the first heading has neither."""
    references = page.get("references", {})
    found = [["", "", plain(page.get("abstract", []), references)]]
    for part in page.get("primaryContentSections", []):
        if part.get("kind") == "declarations":
            for declaration in part["declarations"]:
                found[0][2] += " " + "".join(token["text"] for token in declaration["tokens"])
        for block in part.get("content", []):
            if block["type"] == "heading":
                found.append([block["text"].replace("`", ""), block["anchor"], ""])
            else:
                found[-1][2] += plain(block, references)
        for parameter in part.get("parameters", []):
            found[-1][2] += f" {parameter['name']} {plain(parameter['content'], references)}"
    return [(heading, anchor, re.sub(r"\s+", " ", text).strip()) for heading, anchor, text in found]


def data(site):
    """Every page's JSON, by its address without the base."""
    top = os.path.join(site, "data")
    for path in sorted(glob.glob("**/*.json", root_dir=top, recursive=True)):
        with open(os.path.join(top, path), encoding="utf-8") as file:
            yield "/" + path.removesuffix(".json"), json.load(file)


def write_search(site, base):
    """One index over guides and references, and the page that searches it."""
    entries = []
    for address, page in data(site):
        title, role = page["metadata"].get("title"), page["metadata"].get("roleHeading", "Article")
        if not title or address == "/documentation":
            continue
        top, *rest = sections(page)
        # DocC's own heading is none to look for.
        while rest and rest[0][1] == "overview":
            top = (*top[:2], f"{top[2]} {rest.pop(0)[2]}")
        for heading, anchor, text in [top, *rest]:
            if heading or text:
                entries.append([title, heading, role, base + address[1:] + ("#" + anchor if anchor else ""), text])
    folder, source = os.path.join(site, "search"), os.path.join(os.path.dirname(__file__), "site")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
        json.dump(entries, file, ensure_ascii=False, separators=(",", ":"))
    shutil.copy(os.path.join(source, "search.js"), folder)
    with open(os.path.join(source, "search.html"), encoding="utf-8") as file:
        text = file.read().replace("{base}", html.escape(base))
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write(text)
    node = shutil.which("node")
    if node:
        run(node, os.path.join(source, "check.js"), os.path.join(folder, "index.json"))
    return len(entries), node is not None


def dead_links(site, base):
    """One sentence for each link on the site that leads nowhere, with how many were looked at."""
    pages = dict(data(site))
    anchors = {address: {anchor for _, anchor, _ in sections(page)} | {part["anchor"] for key in
               ("topicSections", "seeAlsoSections", "relationshipsSections") for part in page.get(key, []) if "anchor" in part}
               for address, page in pages.items()}
    found, count = [], 0

    def lead(where, target):
        nonlocal count
        count += 1
        address, _, anchor = target.partition("#")
        address = address.rstrip("/")
        known = pages.get(address) or os.path.isfile(site + urllib.parse.unquote(address))
        if not known:
            found.append(f"{where}: nothing is at {target}")
        elif anchor and anchor not in anchors.get(address, ()):
            found.append(f"{where}: {address} has no '{anchor}'")

    for address, page in pages.items():
        for entry in page.get("references", {}).values():
            url = entry.get("url", "")
            # What is unresolvable is a symbol of another module, which DocC shows without a link.
            if entry.get("type") in ("topic", "section") and url.startswith("/"):
                lead(address, url)
            elif entry.get("type") == "link" and url.startswith("/"):
                lead(address, "/" + url.removeprefix(base))
        for variant in (one for entry in page.get("references", {}).values() for one in entry.get("variants", [])):
            if variant["url"].startswith(base):
                lead(address, "/" + variant["url"].removeprefix(base))
    for path in glob.glob("**/*.html", root_dir=site, recursive=True):
        with open(os.path.join(site, path), encoding="utf-8") as file:
            text = file.read()
        for target in re.findall(r'<(?:script|link|img|a|form)\b[^>]*?\b(?:src|href|action)="([^"]+)"', text):
            target = html.unescape(target)
            if target.startswith(base):
                local = "/" + target.removeprefix(base)
                if local in ("/search/", "/"):
                    local += "index.html"
                lead(path, local)
            elif not target.startswith("https://") and not target.startswith(("#", "index.json", "search.js")):
                found.append(f"{path}: the link '{target}' is neither of the site nor https")
    with open(os.path.join(site, "index", "index.json"), encoding="utf-8") as file:
        navigator = json.load(file)["interfaceLanguages"]["swift"]
    while navigator:
        entry = navigator.pop()
        navigator += entry.get("children", [])
        if "path" in entry:
            lead("the navigator", entry["path"])
    return count, sorted(set(found))
