// SPDX-License-Identifier: Apache-2.0
// The search of the site: every word has to be somewhere in a section; where it is decides on the order.
"use strict";

/** The sections that have all words of a query, the best first. An entry is [title, heading, role, address, text]. */
function search(entries, query, most = 60) {
  const words = query.toLowerCase().normalize("NFC").split(/\s+/).filter(Boolean), phrase = words.join(" ");
  if (words.length === 0) return [];
  const found = [];
  for (const entry of entries) {
    const [title, heading, role, , text] = entry;
    const places = [title.toLowerCase(), heading.toLowerCase(), text.toLowerCase()];
    let score = 0;
    for (const word of words) {
      const here = weight(places, word);
      if (here === 0) { score = 0; break; }
      score += here;
    }
    if (score === 0) continue;
    if (places[0].includes(phrase)) score += places[0] === phrase ? 80 : 40;
    else if (places[1].includes(phrase)) score += 30;
    // The top of a page before its parts, and a guide before a symbol that is named alike.
    found.push([score + (heading === "" ? 3 : 0) + (role === "Article" ? 1 : 0), entry]);
  }
  return found.sort((a, b) => b[0] - a[0]).slice(0, most).map(([, entry]) => entry);
}

function weight([title, heading, text], word) {
  if (title === word || heading === word) return 40;
  if (title.startsWith(word)) return 20;
  if (heading.startsWith(word)) return 16;
  if (title.includes(word)) return 12;
  if (heading.includes(word)) return 8;
  return text.includes(word) ? 2 : 0;
}

/** The part of a text around the first word that is in it. */
function excerpt(text, query, length = 180) {
  const lower = text.toLowerCase();
  const places = query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, (places.length ? Math.min(...places) : 0) - 60);
  return (start > 0 ? "…" : "") + text.slice(start, start + length) + (start + length < text.length ? "…" : "");
}

/** Text with the words of the query marked: only ever as text, never as markup. */
function marked(text, query) {
  const fragment = document.createDocumentFragment();
  const words = query.split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  for (const [index, part] of text.split(new RegExp(`(${words.join("|")})`, "gi")).entries()) {
    if (index % 2 === 0) { fragment.append(part); continue; }
    const mark = document.createElement("mark");
    mark.textContent = part;
    fragment.append(mark);
  }
  return fragment;
}

function show(entries, query) {
  const list = document.getElementById("found"), count = document.getElementById("count");
  const results = search(entries, query);
  list.replaceChildren(...results.map(([title, heading, role, address, text]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    const kind = document.createElement("span"), words = document.createElement("p");
    link.href = address;
    link.append(marked(heading ? `${title}: ${heading}` : title, query));
    kind.className = "role";
    kind.textContent = ` ${role}`;
    words.append(marked(excerpt(text, query), query));
    item.append(link, kind, words);
    return item;
  }));
  if (query.trim() === "") count.textContent = "";
  else count.textContent = results.length === 0 ? `Nothing has '${query.trim()}'.` : `${results.length} found`;
}

if (typeof document === "undefined") {
  module.exports = { search, excerpt };
} else {
  const field = document.querySelector("input[name=q]");
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  fetch("index.json").then((answer) => answer.json()).then((entries) => {
    field.addEventListener("input", () => {
      history.replaceState(null, "", "?q=" + encodeURIComponent(field.value));
      show(entries, field.value);
    });
    show(entries, field.value);
  });
}
