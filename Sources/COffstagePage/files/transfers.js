// SPDX-License-Identifier: Apache-2.0
// All transfers: a list of any length, of which only what is looked at is asked for and drawn.
import { actionBar, performAll } from './actions.js';
import { open } from './detail.js';
import { attribute, button, el, text } from './elements.js';
import { number } from './format.js';
import { Rows } from './rows.js';
import { rowView } from './rowview.js';
import { get } from './server.js';
import * as state from './state.js';
import { t } from './words.js';

const FILTERS = ['all', 'running', 'waiting', 'queued', 'paused', 'failed', 'completed', 'cancelled'];
const RESULTS = new Set(['failed', 'completed', 'cancelled']);
const MORE = 6;
/// Browsers draw nothing that is higher than some 17 million pixels.
const HIGHEST = 16_000_000;

export default {
  id: 'transfers',
  show(main) {
    const view = new List();
    main.append(view.node);
    return view.start();
  },
};

class List {
  constructor() {
    Object.assign(this, { filter: 'all', words: '', owner: '', active: 0, selected: new Map(), slots: new Map(), spare: [], drawn: false });
    this.rows = new Rows((query) => get('/api/list', { ...query, ...this.query() }).then((page) => this.counted(page)), (shift) => this.arrived(shift));
    this.make();
  }

  query() {
    return { state: this.filter === 'all' ? '' : this.filter, text: this.words, owner: this.owner };
  }

  counted(page) {
    this.counts = page.counts;
    this.rows.expected = this.expected();
    return page;
  }

  /// How many there are, where the daemon keeps count.
  expected() {
    if (this.words || this.owner || RESULTS.has(this.filter) || !this.counts) return null;
    return this.filter === 'all' ? Object.values(this.counts).reduce((sum, count) => sum + count, 0) : this.counts[this.filter] ?? 0;
  }

  fits(row) {
    const word = row.state === 'finished' ? row.result : row.state;
    if (this.filter !== 'all' && word !== this.filter) return false;
    if (this.owner && row.owner !== this.owner) return false;
    const words = this.words.toLowerCase();
    return !words || row.url.toLowerCase().includes(words) || (row.path ?? '').toLowerCase().includes(words);
  }

  make() {
    this.buttons = FILTERS.map((name) => button(name === 'all' ? t('list.all') : t(`state.${name}`), () => this.choose({ filter: name }), { 'data-filter': name, 'aria-pressed': 'false' }));
    let timer = 0;
    const later = (change) => { clearTimeout(timer); timer = setTimeout(() => this.choose(change()), 250); };
    const search = el('input', { type: 'search', class: 'grow', 'aria-label': t('list.search'), placeholder: t('list.search'), 'data-search': '', oninput: () => later(() => ({ words: search.value })) });
    const owner = el('input', { type: 'search', 'aria-label': t('list.owner'), placeholder: t('list.owner'), 'data-owner': '', oninput: () => later(() => ({ owner: owner.value })) });
    this.bar = actionBar(() => [...this.selected.values()]);
    this.count = el('span', { class: 'soft', role: 'status' });
    this.clear = button(t('list.clear'), () => this.select(new Map()), { hidden: true });
    const all = ['pause', 'resume', 'retry', 'cancel', 'forget'].map((verb) => button(t(`do.${verb}All`), () => performAll(verb), { 'data-all': verb, class: verb === 'cancel' || verb === 'forget' ? 'danger' : undefined }));
    this.canvas = el('div', { class: 'canvas', role: 'presentation' });
    this.scroller = el('div', { class: 'scroll', role: 'grid', tabindex: '0', 'aria-label': t('list.label'), 'aria-multiselectable': 'true', 'aria-describedby': 'list-help', 'data-list': '' }, this.canvas);
    this.scroller.addEventListener('scroll', () => this.draw(), { passive: true });
    this.scroller.addEventListener('keydown', (event) => this.key(event));
    this.empty = el('p', { class: 'empty', hidden: true });
    this.node = el('section', { class: 'list' },
      el('div', { class: 'bar', role: 'group', 'aria-label': t('list.filter') }, this.buttons, search, owner),
      el('div', { class: 'bar' }, this.bar, this.clear, this.count),
      this.empty, this.scroller,
      el('details', { class: 'bar' }, el('summary', {}, t('list.together')), el('div', { class: 'bar' }, all)),
      el('p', { class: 'soft small', id: 'list-help', hidden: true }, t('list.help')));
  }

  start() {
    const end = state.subscribe((change) => this.told(change));
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.scroller);
    this.choose({});
    return () => { end(); this.resized.disconnect(); };
  }

  choose(change) {
    Object.assign(this, change);
    this.buttons.forEach((one) => attribute(one, 'aria-pressed', String(one.dataset.filter === this.filter)));
    this.select(new Map());
    this.active = 0;
    this.scroller.scrollTop = 0;
    this.rows.load();
  }

  // MARK: Drawing

  get height() { return parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 60; }

  arrived(shift) {
    if (shift) {
      this.active = Math.max(0, this.active + shift);
      this.scroller.scrollTop = Math.max(0, this.scroller.scrollTop + shift * this.height);
    }
    this.draw();
  }

  draw() {
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => { this.drawn = false; this.drawNow(); });
  }

  drawNow() {
    const { height } = this;
    const total = Math.min(this.rows.total, Math.floor(HIGHEST / height));
    this.canvas.style.height = `${total * height}px`;
    attribute(this.scroller, 'aria-rowcount', this.rows.atEnd || this.rows.expected !== null ? total : -1);
    const isEmpty = this.rows.isLoaded && total === 0;
    this.empty.hidden = !isEmpty && !this.rows.problem;
    this.scroller.hidden = isEmpty;
    text(this.empty, this.rows.problem ? t('page.failed', { reason: this.rows.problem.message || t('page.notReached') }) : this.filter === 'all' && !this.words && !this.owner ? t('list.none') : t('list.empty'));
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / height) - MORE);
    const last = Math.min(total - 1, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / height) + MORE);
    for (const [index, slot] of this.slots) if (index < first || index > last) { slot.hidden = true; this.slots.delete(index); this.spare.push(slot); }
    for (let index = first; index <= last; index += 1) this.drawRow(index, height);
    this.active = Math.max(0, Math.min(this.active, total - 1));
    attribute(this.scroller, 'aria-activedescendant', this.slots.has(this.active) ? `row-${this.slots.get(this.active).dataset.slot}` : null);
    if (this.rows.isLoaded && last >= first) this.rows.want(first, last);
    this.say();
  }

  drawRow(index, height) {
    let slot = this.slots.get(index);
    if (!slot) {
      slot = this.spare.pop() ?? this.makeSlot();
      slot.hidden = false;
      this.slots.set(index, slot);
    }
    const row = this.rows.at(index);
    slot.style.transform = `translateY(${index * height}px)`;
    attribute(slot, 'aria-rowindex', index + 1);
    attribute(slot, 'aria-selected', String(Boolean(row && this.selected.has(row.id))));
    attribute(slot, 'data-id', row?.id);
    slot.classList.toggle('active', index === this.active);
    attribute(slot.pick, 'aria-label', row ? t('list.select', { id: row.id }) : '');
    slot.draw(row);
  }

  makeSlot() {
    const pick = el('div', { class: 'pick', role: 'gridcell' });
    const number = this.slots.size + this.spare.length;
    const slot = rowView({ id: `row-${number}`, 'data-slot': number }, { row: 'row', cell: 'gridcell' }, pick);
    slot.pick = pick;
    slot.addEventListener('click', (event) => {
      const index = Number(slot.getAttribute('aria-rowindex')) - 1;
      const isPick = pick.contains(event.target);
      this.move(index);
      if (isPick) this.toggle(index, event.shiftKey);
      else this.openRow(index);
    });
    this.canvas.append(slot);
    return slot;
  }

  say() {
    const chosen = this.selected.size;
    this.clear.hidden = !chosen;
    const total = this.rows.expected ?? (this.rows.atEnd ? this.rows.total : null);
    text(this.count, chosen ? t('list.selected', { count: number(chosen) }) : total === null ? '' : t('list.count', { count: number(total) }));
  }

  // MARK: Choosing

  select(all) {
    this.selected = all;
    this.bar.refresh();
    this.draw();
  }

  toggle(index, isRange) {
    const row = this.rows.at(index);
    if (!row) return;
    const selected = new Map(this.selected);
    if (isRange && this.anchor !== undefined) {
      for (let place = Math.min(index, this.anchor); place <= Math.max(index, this.anchor); place += 1) {
        const one = this.rows.at(place);
        if (one) selected.set(one.id, one);
      }
    } else if (selected.has(row.id)) selected.delete(row.id);
    else selected.set(row.id, row);
    this.anchor = index;
    this.select(selected);
  }

  openRow(index) {
    const row = this.rows.at(index);
    if (row) open(row.id);
  }

  move(index) {
    this.active = Math.max(0, Math.min(index, this.rows.total - 1));
    const { height } = this;
    const top = this.active * height, bottom = top + height;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (bottom > this.scroller.scrollTop + this.scroller.clientHeight) this.scroller.scrollTop = bottom - this.scroller.clientHeight;
    this.draw();
  }

  key(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.height) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in moves) {
      const target = moves[event.key] === Infinity ? this.rows.total - 1 : moves[event.key] === -Infinity ? 0 : this.active + moves[event.key];
      if (event.shiftKey) {
        this.anchor ??= this.active;
        const anchor = this.anchor;
        this.move(target);
        this.toggle(this.active, true);
        this.anchor = anchor;
      } else {
        this.anchor = undefined;
        this.move(target);
      }
    } else if (event.key === ' ') this.toggle(this.active, event.shiftKey);
    else if (event.key === 'Enter') this.openRow(this.active);
    else if (event.key === 'Escape' && this.selected.size) this.select(new Map());
    else return;
    event.preventDefault();
  }

  // MARK: News

  told(change) {
    // A snapshot also follows when more has changed than is told.
    if (change.isNew) this.rows.refresh(this.top);
    let added = 0;
    for (const row of change.rows) {
      added += this.rows.update(row, this.fits(row));
      if (this.selected.has(row.id)) this.selected.set(row.id, row);
    }
    for (const id of change.removed) { this.rows.remove(id); this.selected.delete(id); }
    if (change.state && state.daemon.state) {
      this.counts = state.daemon.state.counts;
      this.rows.expected = this.expected();
    }
    if (added && this.scroller.scrollTop > 0) this.arrived(added);
    if (change.rows.length || change.removed.length) this.bar.refresh();
    for (const one of change.progress) this.rows.progress(one);
    if (change.second) this.rows.retry();
    if (change.rows.length || change.removed.length || change.progress.length || change.state || change.second) this.draw();
  }

  get top() { return Math.floor(this.scroller.scrollTop / this.height); }
}
