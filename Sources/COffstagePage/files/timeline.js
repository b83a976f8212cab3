// SPDX-License-Identifier: Apache-2.0
// What has happened, lasts and is expected, on one line of time. The program behind the page decides what lies where: units of
// the line, rows, and which bars are drawn as one.
import { el, svg } from './elements.js';
import { bytes, duration, number, time } from './format.js';
import { loaded } from './loaded.js';
import { get } from './server.js';
import { language, t } from './words.js';

const PERIODS = [3600, 21600, 86400, 604800, 2592000];
/// Points of a row, and of a bar in it.
const ROW = 14, BAR = 11;
/// Where a bar lies in its row, and how high it is: looks differ by more than their colour.
const SHAPES = {
  failed: [0, ROW], offline: [0, ROW], held: [0, ROW],
  underWay: [0, 5], broken: [5, 6], expired: [9, 5], metered: [5, 6], battery: [5, 6], limited: [5, 6],
  paused: [5, 3], cancelled: [8, 3], suspended: [8, 3], background: [5, 6],
};
let seconds = 86400;

const MARKS = { retry: 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z', begin: 'M-3-4l6 4l-6 4z', look: 'M-3-3h6v6h-6z', run: 'M0-4l4 4l-4 4l-4-4z' };

function tick({ date }) {
  const at = new Date(date);
  const isDay = at.getHours() === 0 && at.getMinutes() === 0;
  const options = isDay ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', ...(at.getSeconds() ? { second: '2-digit' } : {}) };
  return new Intl.DateTimeFormat(language(), options).format(at);
}

const tallied = (tally) => Object.entries(tally).map(([look, count]) => `${number(count)} × ${t(`look.${look}`)}`).join(', ');

/// A bar in a sentence, for a pointer that rests on it.
function sentence(bar) {
  const length = (new Date(bar.ended) - new Date(bar.began)) / 1000;
  const when = `${time(bar.began)}, ${length < 1 ? '< 1' + t('unit.s') : duration(length)}`;
  const look = t(`look.${bar.look}`);
  if (bar.attempt) {
    const { file, host, isUpload, transfer, number: count, bytes: moved, failure } = bar.attempt;
    const parts = [`${look}${failure ? ` (${failure})` : ''}`, moved > 0 && bytes(moved), t('timeline.attempt', { number: count, id: transfer })];
    return `${when}: ${[file ?? t('detail.title', { id: transfer }), isUpload ? '→' : '←', host].filter(Boolean).join(' ')}: ${parts.filter(Boolean).join(', ')}`;
  }
  if (bar.work) return `${when}: ${bar.work}: ${look}`;
  return `${when}: ${bar.count > 1 ? tallied(bar.tally) : look}`;
}

const named = (mark) => (mark.count > 1 ? t('timeline.more', { name: mark.name, count: number(mark.count - 1) }) : mark.name);
const expectation = (mark) => `${named(mark)}: ${t(`mark.${mark.look}`)}, ${time(mark.date)}`;

function shape(bar, row) {
  const [top, height] = SHAPES[bar.look] ?? [1, BAR];
  return svg('rect', { class: `look-${bar.look}`, x: bar.from, y: row * ROW + top, width: bar.to - bar.from, height });
}

/// About how many points wide the line is.
const room = () => Math.max(200, document.getElementById('view').clientWidth - (innerWidth > 700 ? 240 : 60));

function lane(one, picture) {
  const height = Math.max(1, one.rows.length) * ROW;
  const title = one.others ? t('timeline.hosts', { count: number(one.others) }) : one.kind === 'host' ? one.title : t(`lane.${one.kind}`);
  const bars = one.rows.flatMap((bars, row) => bars.map((bar) => {
    const node = shape(bar, row);
    node.append(svg('title', {}, sentence(bar)));
    return node;
  }));
  // A unit is as wide as the line allows, and a mark as wide as it is high.
  const scale = (picture.units / room()).toFixed(3);
  const marks = one.marks.map((mark) => svg('path', { class: 'mark', d: MARKS[mark.look], transform: `translate(${mark.unit} ${ROW / 2}) scale(${scale} 1)` }, svg('title', {}, expectation(mark))));
  const present = picture.nowUnit;
  const ground = [
    present !== undefined && svg('rect', { class: 'ahead', x: present, y: 0, width: picture.units - present, height }),
    ...picture.ticks.map(({ unit }) => svg('rect', { class: 'grid', x: unit, y: 0, width: 0.4, height })),
  ];
  const tally = {};
  for (const bar of one.rows.flat()) for (const [look, count] of Object.entries(bar.tally)) tally[look] = (tally[look] ?? 0) + count;
  const expected = one.marks.reduce((sum, mark) => sum + mark.count, 0);
  const looks = Object.keys(tally).length > 0 ? tallied(tally) : [...new Set(one.rows.flat().map((bar) => t(`look.${bar.look}`)))].join(', ');
  const spoken = `${title}: ${[looks, expected > 0 && t('timeline.expected', { count: number(expected) })].filter(Boolean).join(', ')}`;
  return el('div', { class: 'lane', 'data-lane': one.kind },
    el('span', { title }, title),
    svg('svg', { viewBox: `0 0 ${picture.units} ${height}`, height, preserveAspectRatio: 'none', role: 'img', 'aria-label': spoken },
      ...ground, ...bars, ...marks, present !== undefined && svg('rect', { class: 'present', x: present, y: 0, width: 0.8, height })));
}

/// Points that a label needs.
const LABEL = 74;

function ticks(picture) {
  const each = Math.max(1, Math.ceil((picture.ticks.length * LABEL) / room()));
  const shown = picture.ticks.filter((_, index) => index % each === 0);
  const box = el('div', { class: 'ticks', 'aria-hidden': 'true' }, shown.map((one) => {
    const node = el('span', {}, tick(one));
    node.style.insetInlineStart = `${((100 * one.unit) / picture.units).toFixed(2)}%`;
    return node;
  }));
  return el('div', { class: 'lane' }, el('span'), box);
}

function legend(picture) {
  const lanes = [...picture.groups.flatMap((group) => group.lanes), ...picture.bands];
  const looks = [...new Set(lanes.flatMap((one) => one.rows.flat()).map((bar) => bar.look))];
  const marks = [...new Set(lanes.flatMap((one) => one.marks).map((mark) => mark.look))];
  const item = (drawn, words) => el('li', {}, svg('svg', { viewBox: `0 0 20 ${ROW}`, 'aria-hidden': 'true' }, drawn), words);
  return looks.length + marks.length > 0 && el('ul', { class: 'legend', 'aria-label': t('timeline.legend') },
    looks.map((look) => item(shape({ look, from: 0, to: 20 }, 0), t(`look.${look}`))),
    marks.map((look) => item(svg('path', { class: 'mark', d: MARKS[look], transform: `translate(10 ${ROW / 2})` }), t(`mark.${look}`))));
}

function draw(picture) {
  const count = Object.values(picture.tally).reduce((sum, one) => sum + one, 0);
  const lines = [
    count > 0 ? t('timeline.attempts', { count: number(count), tally: tallied(picture.tally) }) : t('timeline.none'),
    picture.next && t('timeline.next', { what: expectation(picture.next) }),
    picture.isCut && t('timeline.cut'),
    picture.ownersLeftOut > 0 && t('timeline.left', { count: number(picture.ownersLeftOut) }),
  ];
  const groups = picture.groups.flatMap((group) => [el('h2', {}, group.title), ...group.lanes.map((one) => lane(one, picture))]);
  return [el('section', { 'data-timeline': picture.seconds },
    el('div', { class: 'small', 'data-summary': '' }, lines.filter(Boolean).map((line) => el('p', {}, line))),
    el('div', { class: 'timeline' }, ticks(picture), groups, groups.length === 0 && el('p', { class: 'soft' }, t('timeline.empty')),
      picture.bands.length > 0 && el('h2', {}, t('timeline.machine')), picture.bands.map((one) => lane(one, picture))),
    legend(picture))];
}

export default {
  id: 'timeline',
  show(main) {
    let again = () => {};
    // Outside of what is drawn anew, since a list that is open would close.
    const period = el('select', { id: 'timeline-period', onchange: (event) => { seconds = Number(event.target.value); again(); } },
      PERIODS.map((one) => el('option', { value: one, selected: one === seconds }, t(`timeline.${one}`))));
    main.append(el('p', { class: 'bar' }, el('label', { for: 'timeline-period' }, t('timeline.period')), period));
    return loaded(main, {
      ask: () => get('/api/timeline', { seconds }),
      again: (change) => change.hasTasks || change.removed.length > 0 || change.rows.length > 0,
      every: 30,
      draw: (picture, load) => { again = load; return draw(picture); },
    });
  },
};
