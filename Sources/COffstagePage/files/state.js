// SPDX-License-Identifier: Apache-2.0
// What this page knows of what goes on: kept up to date by news, read by the views.
import { get } from './server.js';

export const live = new Map();
/// Those that have ended while this page was open, the latest first.
export const ended = [];
const MOST_ENDED = 20;
const SAMPLES = 60;
const histories = new Map();
let totals = [];
export let daemon = { state: null, trouble: null };

const listeners = new Set();
/// Calls `listener` with what has changed, at most once a frame; returns what ends that.
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let pending = null;
function changed(change) {
  if (!pending) {
    pending = { rows: [], progress: [], removed: [] };
    requestAnimationFrame(() => {
      const all = pending;
      pending = null;
      for (const listener of [...listeners]) listener(all);
    });
  }
  for (const name of ['rows', 'progress', 'removed']) if (change[name]) pending[name].push(...change[name]);
  for (const name of ['isNew', 'isCut', 'hasTasks', 'state', 'trouble', 'second']) if (change[name] !== undefined) pending[name] = change[name];
}

function keep(row) {
  if (row.state !== 'finished') return live.set(row.id, row);
  live.delete(row.id);
  histories.delete(row.id);
  const known = ended.findIndex((one) => one.id === row.id);
  if (known >= 0) ended.splice(known, 1);
  ended.unshift(row);
  ended.length = Math.min(ended.length, MOST_ENDED);
}

/// Asks what has become of transfers that were under way and are not in a snapshot: they have ended while this page was told
/// nothing, or are among the many that a snapshot leaves out.
async function settle(ids) {
  for (const id of ids.sort((one, other) => other - one).slice(0, MOST_ENDED)) {
    const found = await get('/api/show', { id }).catch((error) => error);
    if (found instanceof Error) {
      // Forgotten in the meantime. For the others a later snapshot comes.
      if (found.status === 404) continue;
      return;
    }
    // News may have come first.
    if (!found.length || live.has(id) || ended.some((one) => one.id === id)) continue;
    keep(found[0].row);
    ended.sort((one, other) => Date.parse(other.finishedAt ?? 0) - Date.parse(one.finishedAt ?? 0));
    changed({ rows: [found[0].row] });
  }
}

export function take(news) {
  const change = {};
  if (news.trouble !== undefined) {
    daemon = { ...daemon, trouble: news.trouble || null };
    change.trouble = daemon.trouble;
  }
  if (news.snapshot) {
    const before = [...live.keys()];
    live.clear();
    for (const row of news.snapshot) keep(row);
    settle(before.filter((id) => !live.has(id)));
    for (const id of [...histories.keys()]) if (!live.has(id)) histories.delete(id);
    change.isNew = true;
  }
  if (news.rows) {
    news.rows.forEach(keep);
    change.rows = news.rows;
  }
  if (news.progress) {
    change.progress = news.progress;
    for (const one of news.progress) {
      const row = live.get(one.id);
      if (row) Object.assign(row, { bytesDone: one.bytesDone, bytesTotal: one.bytesTotal ?? row.bytesTotal, rate: one.rate, standing: one.standing });
    }
  }
  if (news.removed) {
    change.removed = news.removed;
    for (const id of news.removed) {
      live.delete(id);
      const known = ended.findIndex((one) => one.id === id);
      if (known >= 0) ended.splice(known, 1);
    }
  }
  if (news.isCut) change.isCut = true;
  if (news.hasTasks) change.hasTasks = true;
  if (news.state) {
    daemon = { ...daemon, state: news.state };
    change.state = true;
  }
  changed(change);
}

export const running = () => [...live.values()].filter((row) => row.state === 'running').sort((one, other) => one.id - other.id);
export const stuck = () => [...live.values()].filter((row) => row.state === 'waiting' || row.state === 'paused').sort((one, other) => other.id - one.id);
export const history = (id) => histories.get(id) ?? [];
export const total = () => totals;
export const totalRate = () => running().reduce((sum, row) => sum + (row.rate || 0), 0);

function sample() {
  if (document.hidden) return;
  const push = (values, value) => [...values.slice(1 - SAMPLES), value];
  for (const row of running()) histories.set(row.id, push(history(row.id), row.rate || 0));
  totals = push(totals, totalRate());
  changed({ second: true });
}
setInterval(sample, 1000);
