// SPDX-License-Identifier: Apache-2.0
// Everything about one transfer, in a dialog that stays up to date.
import { actionBar, complain, dialog } from './actions.js';
import { button, el, meter, table, text } from './elements.js';
import { ago, amount, bytes, duration, rate, share, time, until } from './format.js';
import { get } from './server.js';
import { subscribe } from './state.js';
import { advice, has, language, reason, standing, t } from './words.js';

function facts(row, detail) {
  const all = [
    ['address', row.url], ['path', row.path], ['owner', row.owner], ['label', row.label], ['method', detail.method],
    ['protocol', [row.dialect, detail.options].filter(Boolean).join(', ')], ['proxy', detail.proxy], ['checksum', detail.checksum],
    ['priority', row.priority === 0.5 ? null : String(row.priority)],
    ['limit', detail.rateLimit ? rate(detail.rateLimit) : t('detail.none')], ['attempts', String(row.attempts)],
    ['status', row.status && String(row.status)], ['created', time(row.createdAt)], ['finished', row.finishedAt && time(row.finishedAt)],
  ];
  return el('dl', { class: 'facts' }, all.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', {}, t(`detail.${name}`)), el('dd', { 'data-fact': name }, value)]));
}

function history(detail, row) {
  if (!detail.history.length) return null;
  // An attempt without a failure was stopped, but for the last one of a transfer that has completed.
  const ended = (one) => t(row.result === 'completed' && one === detail.history.at(-1) ? 'detail.ok' : 'detail.stopped');
  const outcome = (one) => (one.failure ? (language() === 'en' || !has(`failure.${one.failure}`) ? one.detail : `${t(`failure.${one.failure}`)} (${one.detail})`) : ended(one));
  return el('section', {}, el('h3', {}, t('detail.history')),
    table(t('detail.history'), [[t('detail.attempt'), true], [t('detail.began')], [t('detail.took'), true], [t('detail.moved'), true], [t('detail.outcome')]],
      detail.history.map((one) => [String(one.number), time(one.startedAt), duration((new Date(one.endedAt) - new Date(one.startedAt)) / 1000), bytes(Math.max(0, one.toByte - one.fromByte)), outcome(one)])));
}

export async function open(id) {
  let found;
  try {
    [found] = await get('/api/show', { id });
  } catch (error) {
    return complain(error);
  }
  let row = found.row;
  const state = el('p', { 'data-state': '' });
  const why = el('p', {}), since = el('p', { class: 'soft small' }), todo = el('p', {}), progress = el('p', { class: 'amount' }), bar = meter();
  const bars = actionBar(() => [row]);
  const rest = el('div', {});
  const { node, closed } = dialog('detail', t('detail.title', { id }), state, bar, progress, el('div', { class: 'why', 'data-why': '' }, why, since, todo), bars, rest,
    el('p', { class: 'bar' }, button(t('page.close'), () => node.close(), { class: 'main', 'data-close': '' })));
  const draw = () => {
    text(state, t(`state.${standing(row)}`));
    bar.set(share(row));
    text(progress, `${amount(row)}${row.state === 'running' ? ` · ${rate(row.rate)}` : ''}`);
    text(why, reason(row) + (row.standing ? ` – ${row.standing}` : ''));
    const next = row.reason.nextLook ? ` · ${t('detail.next', { time: time(row.reason.nextLook), until: until(row.reason.nextLook) })}` : '';
    text(since, t('detail.since', { time: time(row.reason.since), ago: ago(row.reason.since) }) + next);
    text(todo, advice(row));
    bars.refresh();
  };
  const fill = () => rest.replaceChildren(facts(row, found.detail), ...[headers(found.detail), history(found.detail, row)].filter(Boolean));
  draw();
  fill();
  const end = subscribe(async (change) => {
    const mine = change.rows.filter((one) => one.id === id).at(-1);
    const moved = change.progress.filter((one) => one.id === id).at(-1);
    if (change.removed.includes(id)) return node.close();
    if (mine) row = mine;
    if (moved) Object.assign(row, { bytesDone: moved.bytesDone, bytesTotal: moved.bytesTotal ?? row.bytesTotal, rate: moved.rate, standing: moved.standing });
    if (mine || moved || change.second) draw();
    // After a time without news, or with more of it than is told, what concerns this one may be missing.
    if (!mine && !change.isNew) return;
    const [again] = await get('/api/show', { id }).catch((error) => { if (error.status === 404) node.close(); return []; });
    if (again && node.isConnected) { found = again; row = again.row; draw(); fill(); }
  });
  await closed;
  end();
}

function headers(detail) {
  if (!detail.headers.length) return null;
  return el('section', {}, el('h3', {}, t('detail.headers')),
    el('dl', { class: 'facts' }, detail.headers.flatMap((one) => [el('dt', {}, one.name), el('dd', {}, one.value)])));
}
