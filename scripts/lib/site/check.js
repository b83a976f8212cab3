// SPDX-License-Identifier: Apache-2.0
// Run by scripts/docs: whoever types the title of a page, or some words of its text, is led to it.
"use strict";
const { search, excerpt } = require("./search.js");
const entries = require(process.argv[2]);
const problems = [];
const pages = entries.filter(([, heading]) => heading === "");
const alike = (one, other) => one.toLowerCase().includes(other.toLowerCase());
for (const [title, , , address] of pages) {
  // Several symbols may have one name, and others have it within theirs.
  const first = search(entries, title, entries.length).findIndex((entry) => entry[3] === address);
  const before = search(entries, title, Math.max(first, 0)).filter((entry) => !alike(entry[0], title) && !alike(entry[1], title));
  if (first < 0 || before.length > 0) problems.push(`${address} is not found by its title '${title}'`);
}
for (const [, , , address, text] of entries) {
  const words = text.split(" ").slice(0, 4).join(" ");
  if (words && !search(entries, words, entries.length).some((entry) => entry[3] === address)) {
    problems.push(`${address} is not found by its words '${words}'`);
  }
  if (words && !alike(excerpt(text, words), words.split(" ")[0])) problems.push(`${address}: the excerpt lacks '${words}'`);
}
if (search(entries, "", 9).length + search(entries, "qqqzzz", 9).length > 0) problems.push("nothing is found by everything");
console.log(problems.slice(0, 20).join("\n"));
process.exit(problems.length > 0 ? 1 : 0);
