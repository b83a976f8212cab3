#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the checks of the documentation with pages that have something wrong, and with ones that have not."""

import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import doc_blocks
import doc_pages
import doc_site


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, path, text):
        place = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def problems(self):
        return doc_pages.problems(self.folder.name, doc_pages.read(self.folder.name))

    def test_links_that_lead_somewhere(self):
        self.write("README.md", "# A\n\n[b](docs/b.md#two-words-and-code), [c](https://swift.org/a?b=c), [here](#a), "
                                "![p](docs/p.svg), [x](LICENSE)\n")
        self.write("docs/b.md", "# B\n\n## Two words, and `code`\n\n## B\n\n[up](../README.md#a), [second](#b-1)\n")
        self.write("docs/p.svg", "<svg/>")
        self.write("LICENSE", "")
        self.assertEqual(self.problems(), [])

    def test_each_kind_of_broken_link(self):
        for target, said in [("docs/no.md", "there is no docs/no.md"), ("#no", "no heading 'no'"), ("../x.md", "out of the"),
                             ("/b.md", "not relative"), ("http://swift.org", "not https"), ("https://swift", "is no host"),
                             ("https://a.b:x/", "Port"), ("https://me@swift.org", "more than a host"), ("", "no target"),
                             ("https://swift.org/%zz", "characters"), ("LICENSE#a", "no page that has headings")]:
            self.write("README.md", f"# A\n\nsome [words\nover two lines]({target})\n")
            self.write("LICENSE", "")
            found = self.problems()
            self.assertEqual(len(found), 1, target)
            self.assertIn(said, found[0])
            self.assertTrue(found[0].startswith("README.md:3:"), found)

    def test_code_and_comments_have_no_links(self):
        self.write("README.md", "# A\n\n`[a](no.md)`\n\n```sh\n[b](no.md)\n```\n\n<!-- [c](no.md) -->\n\n    [d](no.md)\n\n"
                                "- item\n\n  [e](no.md)\n")
        self.assertEqual([problem.split(":")[1] for problem in self.problems()], ["15"])

    def test_a_page_that_no_index_names(self):
        self.write("docs/README.md", "# All\n\n- [a](a.md)\n- [decisions](decisions/README.md)\n")
        for path in ("docs/a.md", "docs/b.md", "docs/decisions/README.md", "docs/decisions/0001-a.md"):
            self.write(path, "# A\n")
        said = doc_pages.unlisted(doc_pages.read(self.folder.name))
        self.assertEqual(said, ["docs/b.md: docs/README.md does not name it",
                                "docs/decisions/0001-a.md: docs/decisions/README.md does not name it"])

    def test_blocks(self):
        self.write("a.md", "<!-- block: run\nreplace A with B\nbefore\n…\nafter\n-->\n```console\n$ one A \\\n  two\nsaid\n$ three\n"
                           "```\n\n<!-- block: run as x.json\ncat x.json\n-->\n```json\n{}\n```\n\n```swift\nlet a = 1\n```\n")
        console, data, swift = doc_blocks.read(self.folder.name, "a.md")
        self.assertEqual(console.script(), "before\none B \\\n  two\nthree\nafter")
        self.assertEqual((data.file, data.script(), swift.language), ("x.json", "cat x.json", "swift"))

    def test_blocks_that_say_too_little(self):
        for text, said in [("```\na\n```", "does not say its language"), ("```json\n{}\n```", "say in a comment"),
                           ("```perl\n1\n```", "no language"), ("words\n\n    code", "begins with ```"),
                           ("<!-- block: shown -->\n```text\na\n```", "means nothing"),
                           ("<!-- block: parsed because x -->\n```text\na\n```", "only a shell's"),
                           ("<!-- block: run\na\n-->\n```sh\nb\n```", "one line …"),
                           ("<!-- block: run\nreplace x with y\n…\n-->\n```sh\nb\n```", "no 'x'"),
                           ("<!-- block: run -->\nwords", "does not stand above"), ("```sh\na", "does not end")]:
            self.write("a.md", text + "\n")
            with self.assertRaises(doc_blocks.BadBlock, msg=text) as caught:
                doc_blocks.read(self.folder.name, "a.md")
            self.assertIn(said, str(caught.exception))

    def test_two_languages_with_other_code(self):
        self.write("a.md", "```sh\nls  # files\n```\n")
        self.write("b.md", "```sh\nls  # 파일 목록\n```\n")
        self.write("c.md", "```sh\nls -l\n```\n")
        found = {name: doc_blocks.read(self.folder.name, name) for name in ("a.md", "b.md", "c.md")}
        self.assertEqual(doc_blocks.disagreements(found, [("a.md", "b.md")]), [])
        self.assertEqual(len(doc_blocks.disagreements(found, [("a.md", "c.md"), ("a.md", "d.md")])), 2)

    def test_a_symbol_without_a_comment(self):
        def symbol(name, comment):
            return {"identifier": {"precise": name}, "kind": {"identifier": "swift.func"}, "pathComponents": ["A", name],
                    "location": {"uri": f"file://{self.folder.name}/Sources/A.swift", "position": {"line": 6}},
                    **({"docComment": {"lines": [{"text": comment}]}} if comment is not None else {})}
        graph = {"symbols": [symbol("a", "Does it."), symbol("b", None), symbol("c", " "), symbol("b", None)]}
        self.write("A.symbols.json", json.dumps(graph))
        count, missing = doc_site.undocumented(self.folder.name, [os.path.join(self.folder.name, "A.symbols.json")])
        self.assertEqual((count, len(missing)), (3, 2))
        self.assertIn("Sources/A.swift:7: A.b is public", missing[0])

    def test_a_module_that_is_older_than_its_sources(self):
        for path, age in [("Sources/A/A.swift", 5), ("b/Modules/A.swiftmodule", 9), ("b/A.build/A.swift.o", 3),
                          ("Sources/B/deep/B.swift", 5), ("b/Modules/B.swiftmodule", 9)]:
            self.write(path, "")
            os.utime(os.path.join(self.folder.name, path), (1000 - age, 1000 - age))
        found = doc_site.stale(self.folder.name, os.path.join(self.folder.name, "b"), ["A", "B"])
        self.assertEqual(found, ["B"])

    def test_a_dead_link_of_the_site(self):
        def page(url, kind="topic"):
            return json.dumps({"metadata": {"title": "A"}, "references": {"x": {"type": kind, "url": url}},
                               "primaryContentSections": [{"content": [{"type": "heading", "text": "H", "anchor": "H"}]}]})
        self.write("index/index.json", json.dumps({"interfaceLanguages": {"swift": [{"title": "A", "path": "/documentation/a"}]}}))
        for url, count in [("/documentation/a#H", 0), ("/documentation/b", 1), ("/documentation/a#no", 1)]:
            self.write("data/documentation/a.json", page(url))
            self.assertEqual(len(doc_site.dead_links(self.folder.name, "/")[1]), count, url)
        self.write("data/documentation/a.json", page("/base/documentation/b", "link"))
        self.assertEqual(len(doc_site.dead_links(self.folder.name, "/base/")[1]), 1)


if __name__ == "__main__":
    unittest.main()
