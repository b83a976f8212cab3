// SPDX-License-Identifier: Apache-2.0
// Elements from names, properties and children. Text is always text: nothing here reads markup.

const SVG = 'http://www.w3.org/2000/svg';

/// Characters that change the direction of what follows: a name would be read as another.
const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const shown = (value) => (typeof value === 'string' ? value.replace(TURNS, '\uFFFD') : value);

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'dataset') Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? '' : shown(value));
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false).map(shown));
  return element;
}

export function el(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/// Writes only what differs: a node that is not touched costs no layout.
export function text(node, value) {
  const said = shown(value);
  if (node.textContent !== said) node.textContent = said;
}

export function attribute(node, name, value) {
  if (value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== shown(String(value))) node.setAttribute(name, shown(String(value)));
}

/// A line of the last minute's values.
/// One without a label stands beside the number that it draws.
export function sparkline(label, wide) {
  const line = svg('polyline', {});
  const area = svg('path', {});
  const node = svg('svg', { class: wide ? 'spark wide' : 'spark', viewBox: '0 0 59 20', preserveAspectRatio: 'none', ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) }, area, line);
  node.draw = (values) => {
    const most = Math.max(1, ...values);
    const from = 60 - values.length;
    const points = values.map((value, index) => `${from + index},${(19 - (18 * value) / most).toFixed(1)}`);
    attribute(line, 'points', points.join(' '));
    attribute(area, 'd', points.length > 1 ? `M${from},20 L${points.join(' ')} L59,20 Z` : '');
  };
  return node;
}

export function meter() {
  const bar = el('i');
  const node = el('div', { class: 'meter', 'aria-hidden': 'true' }, bar);
  node.set = (share) => { bar.style.transform = `scaleX(${Math.min(1, Math.max(0, share || 0)).toFixed(4)})`; };
  return node;
}

export function button(label, onclick, properties) {
  return el('button', { type: 'button', ...properties, onclick }, label);
}

/// A table with a heading for each column: `[[word, isNumber]]`, and rows of nodes or texts.
export function table(caption, columns, rows) {
  return el('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {},
      el('thead', {}, el('tr', {}, columns.map(([word, isNumber]) => el('th', { scope: 'col', class: isNumber && 'number' }, word)))),
      el('tbody', {}, rows.map((cells) => el('tr', {}, cells.map((cell, index) => el('td', { class: columns[index][1] && 'number' }, cell)))))));
}
