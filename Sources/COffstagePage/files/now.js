// SPDX-License-Identifier: Apache-2.0
// What moves now, what does not and why, and what has ended since the page was opened.
import { open } from './detail.js';
import { el, sparkline, text } from './elements.js';
import { number, rate } from './format.js';
import { rowView } from './rowview.js';
import * as state from './state.js';
import { advice, t } from './words.js';

const MOST = { running: 200, stuck: 50, ended: 20 };
const KINDS = ['running', 'waiting', 'queued', 'paused', 'finished'];

/// A part of the view: a heading and rows that are reused.
function part(key, list, most, withAdvice) {
  const nodes = new Map();
  const body = el('div', { 'data-part': key }), empty = el('p', { class: 'soft' }, t(`now.${key === 'running' ? 'none' : `${key}None`}`)), more = el('p', { class: 'soft', hidden: true });
  const node = el('section', { 'data-section': key }, el('h2', {}, t(`now.${key}`)), body, empty, more);
  const make = (row) => {
    const view = rowView({ tabindex: '0', role: 'button', 'data-id': row.id }, {});
    const todo = withAdvice && el('p', { class: 'small soft' });
    view.addEventListener('click', () => open(row.id));
    view.addEventListener('keydown', (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); open(row.id); } });
    const all = withAdvice ? el('div', { class: 'advised' }, view, todo) : view;
    return { all, view, todo };
  };
  const draw = (one, row) => {
    one.view.draw(row);
    if (one.todo) text(one.todo, advice(row));
  };
  node.refresh = () => {
    const rows = list();
    const shown = rows.slice(0, most);
    const wanted = new Set(shown.map((row) => row.id));
    for (const [id, one] of nodes) if (!wanted.has(id)) { one.all.remove(); nodes.delete(id); }
    shown.forEach((row, index) => {
      if (!nodes.has(row.id)) nodes.set(row.id, make(row));
      const one = nodes.get(row.id);
      draw(one, row);
      if (body.children[index] !== one.all) body.insertBefore(one.all, body.children[index] ?? null);
    });
    empty.hidden = rows.length > 0;
    more.hidden = rows.length <= most;
    text(more, t('now.more', { count: number(rows.length - most) }));
  };
  node.progress = (id) => { const row = state.live.get(id); const one = nodes.get(id); if (row && one) draw(one, row); };
  node.second = () => { for (const [id, one] of nodes) { const row = state.live.get(id); if (row?.state === 'running') one.view.curve(row); } };
  return node;
}

export default {
  id: 'now',
  show(main) {
    const speed = el('dd', { 'data-figure': 'rate' }), curve = sparkline(t('now.rateOfAll'), true);
    const counts = KINDS.map((kind) => [kind, el('dd', { 'data-figure': kind }, '–')]);
    const figures = el('section', { class: 'overview' }, el('dl', { class: 'figures' },
      el('div', {}, el('dt', {}, t('now.rate')), speed),
      counts.map(([kind, node]) => el('div', {}, el('dt', {}, t(`state.${kind}`)), node))), curve);
    const notices = el('ul', {}), noticed = el('section', { hidden: true }, el('h2', {}, t('now.notices')), notices);
    const parts = [part('running', state.running, MOST.running), part('stuck', state.stuck, MOST.stuck, true), part('ended', () => state.ended, MOST.ended)];
    main.append(figures, noticed, ...parts);
    const tell = () => {
      const known = state.daemon.state;
      for (const [kind, node] of counts) text(node, known ? number(known.counts[kind] ?? 0) : '–');
      noticed.hidden = !known?.notices.length;
      notices.replaceChildren(...(known?.notices ?? []).map((line) => el('li', {}, line)));
    };
    const sum = () => text(speed, rate(state.totalRate()));
    const all = () => { parts.forEach((one) => one.refresh()); sum(); };
    all();
    tell();
    curve.draw(state.total());
    return state.subscribe((change) => {
      if (change.isNew || change.rows.length || change.removed.length) all();
      else for (const one of change.progress) parts[0].progress(one.id);
      if (change.progress.length) sum();
      if (change.state) tell();
      if (change.second) { parts[0].second(); curve.draw(state.total()); sum(); }
    });
  },
};
